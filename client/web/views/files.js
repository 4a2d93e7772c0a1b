// Files: all changed files as a tree that marks many and recent changes; or a
// list of the files that match the typed filter.
import {select} from "../base/api.js";
import {el, put} from "../base/dom.js";
import {addOwn} from "../base/keys.js";
import {List} from "../base/list.js";
import {onEvent} from "../base/live.js";
import {failure, link, pathText, toFile} from "../base/parts.js";
import {amend} from "../base/route.js";
import {ago, count, several} from "../base/text.js";

import {makeTree, matcher, visible} from "./tree.js";

// Every query sorts all files, so few queries fetch the rest.
const FIRST = 2000;
const REST = 100000;
const MOST = 300000;
const SQL = "SELECT path, changes, sessions, last_modified FROM files " +
    "WHERE changes > 0 ORDER BY last_modified DESC, id";

// [how recent, how many], each from 0 to 5.
function heat(node) {
    const days = (Date.now() - node.last) / 86400000;
    const recent = days < 0.1 ? 5
        : days < 1            ? 4
        : days < 7            ? 3
        : days < 30           ? 2
        : days < 180          ? 1
                              : 0;
    const many = Math.min(5, Math.floor(Math.log2(1 + node.changes) / 2));

    return [recent, many];
}

function heatMark(node) {
    const [recent, many] = heat(node);

    return el("span", {
        class: `heat recent${recent} many${many}`,
        title: several(node.changes, "change") + ", the last " + ago(node.last)
    });
}

export function filesView(place, {query}) {
    const control = new AbortController();
    const tree = makeTree();
    const opened = new Set((query.open || "").split("\n").filter(Boolean));
    const about = el("p", {class: "faint"}, "…");
    const alarm = el("div");
    const note = el("p", {class: "faint"});
    let rows = [];
    let loaded = false;
    const list = new List("Files", 30, (i) => draw(rows[i]));
    const field = el("input", {
        type: "search",
        "data-search": "",
        value: query.q || "",
        placeholder: "path or glob: src/**/*.ts",
        spellcheck: "false",
        autocomplete: "off",
        "aria-label": "Find files by path or glob",
        oninput: () => {
            amend({q: field.value});
            renew();
        }
    });

    function draw(row) {
        const indent = el("span", {class: "indent", "aria-hidden": "true"},
            "\u00a0".repeat(row.depth * 3));
        const what = row.node.children
            ? el("button", {
                  type: "button",
                  class: "plainbutton",
                  "data-main": "",
                  "aria-expanded": opened.has(row.node.path) ? "true" : "false",
                  onclick: () => toggle(row.node)
              },
                  (opened.has(row.node.path) ? "▾ " : "▸ ") + row.name + "/")
            : link(toFile(row.node.path), pathText(row.name),
                  {"data-main": "", class: "pathtext", title: row.node.path});

        return el("div", {class: "line"}, heatMark(row.node),
            el("span", {class: "grow entry"}, indent, what),
            el("span", {class: "faint changes"},
                several(row.node.changes, "change")),
            el("span", {class: "faint wideonly tokens"}, ago(row.node.last)));
    }

    function toggle(node) {
        if (!opened.delete(node.path))
            opened.add(node.path);
        amend({open: [...opened].slice(0, 50).join("\n")});
        renew();
    }

    // Opens or closes the directory of the current row.
    function fold(open) {
        const row = rows[list.at];

        if (row && row.node.children && opened.has(row.node.path) !== open)
            toggle(row.node);
    }

    function renew() {
        const text = field.value.trim();

        rows = text ? tree.files.filter(matcher(text))
                          .map((node) => ({node, depth: 0, name: node.path}))
                    : visible(tree, opened);
        put(about,
            text ? `${count(rows.length)} of ` +
                    `${several(tree.files.length, "file")}`
                 : several(tree.files.length, "file"));
        put(note,
            loaded && !rows.length ? tree.files.length
                    ? "No changed file matches."
                    : "No session has changed a file yet."
                                   : "");
        list.setCount(rows.length);
        list.refresh();
    }

    async function load() {
        for (let at = 0, size = FIRST; at < MOST;) {
            const got = await select(
                `${SQL} LIMIT ${size} OFFSET ${at}`, size, control.signal);

            got.forEach((f) => tree.add(f));
            if (!at && !opened.size)
                tree.openFirst(opened);
            if (got.length < size) {
                loaded = true;
                renew();
                return;
            }
            renew();
            at += size;
            size = REST;
        }
    }

    const ready = load().catch((e) => {
        if (e.name !== "AbortError")
            put(alarm, failure(e));
    });
    const off = onEvent((type, event) => {
        if (type !== "change" || event.state !== "applied")
            return;
        tree.touch(event.path, +new Date(event.timestamp));
        renew();
    });

    put(place, el("h1", null, "Files"), el("div", {class: "bar"}, field, about),
        el("p", {class: "faint legend wideonly"}, "wide: many changes",
            el("span", {class: "heat recent3 many5"}), "strong: recent ones",
            el("span", {class: "heat recent5 many2"})),
        alarm, note, list.node);
    addOwn("ArrowLeft", "closes a directory", () => fold(false));
    addOwn("ArrowRight", "opens a directory", () => fold(true));
    return {
        title: "Files",
        ready,
        close() {
            off();
            control.abort();
            list.close();
        }
    };
}
