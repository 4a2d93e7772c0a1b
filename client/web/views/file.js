// File: the history of one file, drawn over time and listed: sessions, shell
// commands, and edits from outside.
import {ask, segment} from "../base/api.js";
import {el, put} from "../base/dom.js";
import {List} from "../base/list.js";
import {onEvent} from "../base/live.js";
import {Pages} from "../base/pages.js";
import {
    failure,
    lines,
    link,
    sessionMark,
    toBlame,
    toChange
} from "../base/parts.js";
import {baseName, firstLine, several, time} from "../base/text.js";

import {timeline} from "./timeline.js";

const WORDS = {
    outside: "changed outside of all sessions",
    unknown: "not known whether somebody changed it",
    returned: "an earlier state came back",
    overwritten: "an earlier state was written over others' changes",
    hook: "a hook changed it",
    backup: "seen in a backup"
};

function between(step) {
    return [time(step.from), time(step.to) || "now"].join(" … ");
}

function stepRow(step, path) {
    if (!step)
        return el("div", {class: "line faint"}, "…");
    const isChange = step.kind === "change";

    return el("div", {class: "line step " + step.kind},
        el("span", {class: "faint fixed"},
            isChange ? time(step.timestamp) : between(step)),
        " ", step.sessionId ? sessionMark(step.sessionId) : null, " ",
        isChange
            ? link(toChange(step.changeId),
                  [
                      step.tool || "change",
                      step.command ? " " + firstLine(step.command, 80) : null
                  ],
                  {"data-main": ""})
            : el("span", null, WORDS[step.kind] || step.kind),
        " ", lines(step.linesAdded, step.linesRemoved), " ",
        step.evidence && step.evidence !== "result"
            ? el("span", {class: "badge"}, step.evidence)
            : null,
        step.conflict ? el("span", {class: "status failed"}, step.conflict)
                      : null,
        el("span", {class: "grow prompt wideonly"},
            firstLine(step.prompt, 160)),
        isChange
            ? link(toBlame(path, step.changeId), "blame", {class: "wideonly"})
            : null);
}

export function fileView(place, {query: {path = ""}}) {
    const control = new AbortController();
    const picture = el("div", {class: "wide"});
    const alarm = el("div");
    const about = el("p", {class: "faint"}, "…");
    const url = `files/${segment(path)}/log`;
    const list = new List("History", 30, (i) => stepRow(pages.get(i), path));
    const pages = new Pages(100,
        async (offset, limit, signal) => {
            const got = await ask(url, {offset, limit}, signal);

            return {rows: got.steps, total: got.totalSteps};
        },
        () => {
            list.setCount(pages.total || 0);
            list.refresh();
            if (pages.failed)
                put(alarm, failure(pages.failed));
        });

    async function draw() {
        try {
            const got = await ask(url, {limit: 400}, control.signal);

            put(picture, timeline(got.steps));
            put(about,
                several(got.totalSteps, "step") +
                    (got.totalSteps > 400 ? ", the last 400 are drawn" : ""));
        } catch (e) {
            if (e.name !== "AbortError")
                put(alarm, failure(e));
        }
    }

    put(place, el("h1", null, baseName(path)), el("p", {class: "path"}, path),
        el("p", {class: "bar"}, link(toBlame(path), "Blame"), about), alarm,
        picture, list.node);
    const off = onEvent((type, event) => {
        if (type !== "change" || event.path !== path)
            return;
        pages.renew();
        pages.fetch(0);
        draw();
    });

    draw();
    return {
        title: baseName(path),
        ready: pages.fetch(0),
        close() {
            off();
            control.abort();
            pages.close();
            list.close();
        }
    };
}
