// Search: texts of all sessions, the best first.
import {ask} from "../base/api.js";
import {el, put} from "../base/dom.js";
import {List} from "../base/list.js";
import {Pages} from "../base/pages.js";
import {choice, failure, link, stamp, toSession} from "../base/parts.js";
import {amend} from "../base/route.js";
import {bytesToChars, endOf, hue, id8, several} from "../base/text.js";
import {codeLine} from "../diff/line.js";

const WHERE = [
    ["text", "what was said"], ["tool", "calls"], ["result", "results"],
    ["text,tool,result,thinking,meta", "everything"]
];
const WHO = [["", "anybody"], ["user", "people"], ["assistant", "the model"]];
const BEFORE = 12;  // characters before a match, on a phone
const SORTS = [["rank", "best first"], ["recent", "newest first"]];

// On a phone the text begins shortly before the match: else the match is out
// of sight.
function snippet(m) {
    const text = m.snippet.replace(/\n/g, " ");
    const marks = bytesToChars(m.snippet, m.matches);
    const first = marks.length ? marks[0][0] : 0;
    const cut = window.innerWidth > 700 ? 0 : Math.max(0, first - BEFORE);
    const from = cut && (text.codePointAt(cut - 1) > 0xffff ? cut - 1 : cut);

    return el("div", {class: "snippet"}, from ? "…" : null,
        codeLine(text.slice(from), null,
            marks.map(([a, b]) => [a - from, b - from]), "found"));
}

function matchRow(m) {
    if (!m)
        return el("div", {class: "match faint"}, "…");

    return el("div", {class: "match"},
        el("div", {class: "line"},
            link(toSession(m.sessionId,
                     m.messageUuid ? {message: m.messageUuid, agent: m.agentId}
                                   : {}),
                [
                    el("span", {class: "dot " + hue(m.sessionId)}),
                    m.title || id8(m.sessionId)
                ],
                {"data-main": "", class: "grow"}),
            el("span", {class: "faint wideonly project"},
                endOf(m.projectPath) || ""),
            el("span", {class: "faint toolname"}, m.toolName || m.role),
            stamp(m.timestamp, false)),
        snippet(m));
}

export function searchView(place, {query}) {
    const now = { q: query.q || "", in: query.in || "text",
		role: query.role || "", sort: query.sort || "rank",
		regex: query.regex || "" };
    const about = el("p", {class: "faint", role: "status"});
    const alarm = el("div");
    let timer = 0;
    const list = new List("Matches", 56, (i) => matchRow(pages.get(i)));
    const pages = new Pages(50,
        async (offset, limit, signal) => {
            const got = await ask("grep", { pattern: now.q, in: now.in,
			role: now.role, sort: now.sort, offset, limit,
			regex: now.regex ? true : undefined }, signal);

            put(about,
                several(got.totalMatches, "text") + " in " +
                    several(got.totalSessions, "session") +
                    (got.truncated && got.totalMatches < limit
                            ? "; not all could be searched"
                            : ""));
            return {rows: got.matches, total: got.totalMatches};
        },
        () => {
            const none = pages.failed && pages.failed.status === 404;

            if (none)
                put(about, `Nothing found for “${now.q}”.`);
            put(alarm, pages.failed && !none ? failure(pages.failed) : null);
            list.setCount(pages.failed ? 0 : pages.total || 0);
            list.refresh();
        });
    const field = el("input", {
        type: "search",
        "data-search": "",
        value: now.q,
        placeholder: "text in any session",
        spellcheck: "false",
        autocomplete: "off",
        enterkeyhint: "search",
        "aria-label": "Search text",
        oninput: () => {
            clearTimeout(timer);
            timer = setTimeout(() => change({q: field.value}), 250);
        }
    });

    function renew() {
        pages.renew();
        list.setCount(0);
        put(alarm);
        put(about, "…");
        if (now.q.trim())
            return pages.fetch(0);
        put(about, "Type what you look for.");
        return Promise.resolve();
    }

    function change(what) {
        Object.assign(now, what);
        amend(what);
        renew();
    }

    put(place, el("h1", null, "Search"),
        el("form", {
            class: "bar",
            role: "search",
            onsubmit: (e) => {
                e.preventDefault();
                clearTimeout(timer);
                change({q: field.value});
            }
        },
            field, choice("in", WHERE, now.in, (v) => change({in : v})),
            choice("by", WHO, now.role, (v) => change({role: v})),
            choice("order", SORTS, now.sort, (v) => change({sort: v})),
            el("label", {class: "field"}, el("span", null, "expression"),
                el("input", {
                    type: "checkbox",
                    checked: Boolean(now.regex),
                    onchange: (e) =>
                        change({regex: e.target.checked ? "1" : ""})
                }))),
        about, alarm, list.node);
    if (!now.q)
        field.focus();
    return {
        title: "Search",
        ready: renew(),
        close() {
            clearTimeout(timer);
            pages.close();
            list.close();
        }
    };
}
