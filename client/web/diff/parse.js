// A unified diff as hunks of lines. The daemon writes these diffs, but their
// text comes from files: the counts in its head end a hunk, not the look of a
// line.

import {contentText} from "../base/text.js";

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@(.*)$/;

// [{ head, lines: [{ kind: " " | "-" | "+", text, old, new }] }]
export function parseDiff(text) {
    const hunks = [];
    let at = 0;
    const all = contentText(text).split("\n");

    while (at < all.length) {
        const found = HUNK.exec(all[at]);

        at++;
        if (found)
            at = takeHunk(hunks, found, all, at);
    }
    return hunks;
}

const number = (text) => text === undefined ? 1 : Number(text);

function takeHunk(hunks, found, all, at) {
    const hunk = {head: found[0], lines: []};
    let before = number(found[2]), after = number(found[4]);
    let old = Number(found[1]), now = Number(found[3]);

    hunks.push(hunk);
    while (at < all.length &&
        (before > 0 || after > 0 || all[at].startsWith("\\"))) {
        const line = all[at];
        const kind = line[0] || " ";

        at++;
        if (kind === "\\") {
            if (hunk.lines.length)
                hunk.lines[hunk.lines.length - 1].open = true;
            continue;
        }
        hunk.lines.push({
            kind,
            text: line.slice(1),
            old: kind === "+" ? null : old,
            new: kind === "-" ? null : now
        });
        if (kind !== "+") {
            old++;
            before--;
        }
        if (kind !== "-") {
            now++;
            after--;
        }
    }
    return at;
}

// Runs of lines: kept lines, or removed lines with the added ones after them.
export function blocks(lines) {
    const out = [];

    for (const line of lines) {
        const last = out[out.length - 1];
        const kept = line.kind === " ";

        if (last && last.kept === kept &&
            !(line.kind === "-" && last.plus.length))
            last[line.kind === "+" ? "plus" : "minus"].push(line);
        else
            out.push({
                kept,
                minus: line.kind === "+" ? [] : [line],
                plus: line.kind === "+" ? [line] : []
            });
    }
    return out;
}
