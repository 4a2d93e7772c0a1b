// Diffs as rows of a list: unified, or side by side.
import {el, unseen} from "../base/dom.js";
import {List} from "../base/list.js";
import {changeLink, doubt, fileLink, lines} from "../base/parts.js";

import {codeLine} from "./line.js";
import {paint} from "./paint.js";
import {blocks, parseDiff} from "./parse.js";
import {wordMarks} from "./words.js";

const HEIGHT = 21;

// Marks the words that differ between a removed line and its replacement.
function markWords(block) {
    const n = Math.min(block.minus.length, block.plus.length);

    if (block.kept)
        return;
    for (let i = 0; i < n; i++) {
        const marks = wordMarks(block.minus[i].text, block.plus[i].text);

        if (marks) {
            block.minus[i].marks = marks.old;
            block.plus[i].marks = marks.new;
        }
    }
}

function splitRows(block) {
    const n = Math.max(block.minus.length, block.plus.length);

    return Array.from({length: n},
        (_, i) => block.kept ? {left: block.minus[i], right: block.minus[i]}
                             : {left: block.minus[i], right: block.plus[i]});
}

// All rows of some files: [{ path, name, diff, … }].
function makeRows(files, split) {
    const rows = [];

    for (const file of files) {
        rows.push({file});
        if (!file.hunks)
            file.hunks = parseDiff(file.diff);
        if (!file.hunks.length)
            rows.push({
                note: file.binary ? "binary" : file.why || "no lines to show"
            });
        for (const hunk of file.hunks) {
            rows.push({hunk});
            for (const block of blocks(hunk.lines)) {
                markWords(block);
                if (split)
                    rows.push(...splitRows(block));
                else
                    [...block.minus, ...block.plus].forEach(
                        (line) => rows.push({line}));
            }
        }
    }
    return rows;
}

// Colours of one side of a hunk.
async function paintSide(file, hunk, skip) {
    const side = hunk.lines.filter((line) => line.kind !== skip);
    const got =
        await paint(file.path, side.map((line) => line.text).join("\n"));

    if (got)
        side.forEach((line, i) => {
            line.colours = line.colours || got[i];
        });
}

async function paintHunk(file, hunk) {
    await paintSide(file, hunk, "-");
    await paintSide(file, hunk, "+");
}

const WORDS = {
    "-": "removed",
    "+": "added",
    " ": ""
};

function cell(line, which, text) {
    const kind = line ? line.kind : "none";
    const names = {"-": "gone", "+": "come", " ": "same", none: "none"};

    return el("div", {class: "cell " + names[kind]},
        el("span", {class: "number"}, line && line[which] || ""),
        line && WORDS[kind] ? unseen(WORDS[kind]) : null,
        line ? codeLine(line.text, line.colours, line.marks) : null, text);
}

function unifiedRow(line) {
    const names = {"-": "gone", "+": "come", " ": "same"};

    return el("div", {class: "diffline unified " + names[line.kind]},
        el("span", {class: "number"}, line.old || ""),
        el("span", {class: "number"}, line.new || ""),
        el("span", {class: "sign", "aria-hidden": "true"}, line.kind),
        WORDS[line.kind] ? unseen(WORDS[line.kind]) : null,
        codeLine(line.text, line.colours, line.marks),
        line.open ? el("em", null, " no newline at the end") : null);
}

function fileRow(file) {
    return el("div", {class: "diffline filehead"},
        fileLink(file.path, file.name || file.path), " ",
        lines(file.linesAdded, file.linesRemoved), " ",
        file.changeId ? changeLink(file.changeId, "change") : null,
        file.changes > 1 ? ` ${file.changes} changes ` : null,
        file.fidelity && file.fidelity !== "exact"
            ? el("span", {class: "doubt", title: file.why}, " " + file.fidelity)
            : null);
}

// The approximate width of a line in columns; line.js cuts longer lines.
function wide(text) {
    return Math.min(text.length + 7 * (text.split("\t").length - 1), 5040);
}

export class DiffRows {
    constructor(files, split) {
        this.files = files;
        this.list = new List(
            "Lines of the diff", HEIGHT, (i) => this.draw(this.rows[i]));
        this.list.node.classList.add("diff");
        this.node = el("div", null, el("div", {class: "wide"}, this.list.node),
            this.makeBar());
        this.setSplit(split);
        this.paint();
    }

    // Side by side, the halves of the diff do not move: this scroll bar
    // moves the lines in both halves.
    makeBar() {
        const reach = el("div");
        const bar = el("div", {
            class: "sideways diff",
            tabindex: "0",
            role: "group",
            "aria-label": "Long lines: to the left and right",
            onscroll: () => this.list.node.style.setProperty(
                "--shift", `-${bar.scrollLeft}px`)
        },
            reach);

        this.list.node.addEventListener("wheel", (e) => {
            if (!bar.hidden && (e.deltaX || e.shiftKey))
                bar.scrollLeft += e.deltaX || e.deltaY;
        }, {passive: true});
        this.bar = bar;
        return bar;
    }

    setSplit(split) {
        this.rows = makeRows(this.files, split);
        this.list.node.classList.toggle("split", split);
        let longest = 0;

        for (const file of this.files)
            for (const hunk of file.hunks)
                for (const line of hunk.lines)
                    longest = Math.max(longest, wide(line.text));
        this.list.node.style.minWidth =
            split ? "0" : Math.min(longest + 15, 800) + "ch";
        this.bar.hidden = !split;
        this.bar.scrollLeft = 0;
        this.bar.firstChild.style.width = `calc(50% + ${longest + 8}ch)`;
        this.list.setCount(this.rows.length);
        this.list.refresh();
    }

    async paint() {
        for (const file of this.files) {
            for (const hunk of file.hunks)
                await paintHunk(file, hunk);
            this.list.refresh();
        }
    }

    draw(row) {
        if (row.file)
            return fileRow(row.file);
        if (row.hunk)
            return el("div", {class: "diffline hunkhead"}, row.hunk.head);
        if (row.note)
            return el("div", {class: "diffline note"}, row.note);
        if (row.line)
            return unifiedRow(row.line);
        return el("div", {class: "diffline"}, cell(row.left, "old"),
            cell(row.right, "new"));
    }

    close() {
        this.list.close();
    }
}

// Replaces the rows when their colours are known.
async function paintSmall(file, hunks, rows) {
    for (const hunk of hunks)
        await paintHunk(file, hunk);
    for (const [line, row] of rows)
        row.replaceWith(unifiedRow(line));
}

// A small diff inside a message: not a list, at most `most` lines.
export function smallDiff(file, most = 400) {
    const hunks = parseDiff(file.diff);
    const node = el("div", {class: "diff small"});
    const rows = [];
    let n = 0, shown = 0;

    for (const hunk of hunks) {
        node.append(el("div", {class: "diffline hunkhead"}, hunk.head));
        for (const block of blocks(hunk.lines)) {
            markWords(block);
            for (const line of [...block.minus, ...block.plus])
                if (n++ < most)
                    rows.push([line, unifiedRow(line)]);
            node.append(...rows.slice(shown).map(([, row]) => row));
            shown = rows.length;
        }
    }
    if (n > most)
        node.append(el("div", {class: "diffline note"},
            `${n - most} more lines: see the change`));
    paintSmall(file, hunks, rows);
    return el("div", null, node,
        hunks.length ? null : doubt(file.fidelity || "unknown", file.why));
}
