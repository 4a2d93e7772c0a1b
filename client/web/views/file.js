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
    stamp,
    toBlame,
    toChange
} from "../base/parts.js";
import {
    baseName,
    count,
    firstLine,
    several,
    shortTime,
    time
} from "../base/text.js";

import {timeline} from "./timeline.js";

const WORDS = {
    outside: "changed outside of all sessions",
    unknown: "not known whether somebody changed it",
    returned: "an earlier state came back",
    overwritten: "an earlier state was written over others' changes",
    hook: "a hook changed it",
    backup: "seen in a backup"
};

// A change has a time, and a state that was seen on disk has one. Any other
// step happened between two times.
function whenRow(step) {
    if (step.kind === "change" || step.seenAt)
        return stamp(step.timestamp || step.seenAt);
    return el("span", {
        class: "faint fixed stamp",
        title: "between " + (time(step.from) || "the beginning") + " and " +
            (time(step.to) || "now")
    },
        el("span", {class: "wideonly"},
            step.to ? "< " + time(step.to) : "by now"),
        el("span", {class: "phoneonly"},
            step.to ? "< " + shortTime(step.to) : "by now"));
}

function what(step) {
    if (step.kind !== "change")
        return el("span", {class: "what"}, WORDS[step.kind] || step.kind);
    return link(toChange(step.changeId),
        [
            step.tool || "change",
            step.command ? " " + firstLine(step.command, 80) : null
        ],
        {"data-main": "", class: "what", title: step.command || step.tool});
}

function stepRow(step, path) {
    if (!step)
        return el("div", {class: "line faint"}, "…");
    const isChange = step.kind === "change";

    return el("div", {class: "line step " + step.kind}, whenRow(step),
        el("span", {class: "who"},
            step.sessionId ? sessionMark(step.sessionId) : "outside"),
        lines(step.linesAdded, step.linesRemoved), what(step),
        step.evidence && step.evidence !== "result"
            ? el("span", {class: "badge"}, step.evidence)
            : null,
        step.conflict ? el("span", {class: "status failed"}, step.conflict)
                      : null,
        el("span", {class: "grow prompt wideonly", title: step.prompt},
            firstLine(step.prompt, 160)),
        isChange
            ? link(toBlame(path, step.changeId), "blame", {class: "wideonly"})
            : null);
}

// "12 changes by 5 sessions": of the steps that are drawn.
function summary(got) {
    const changes = got.steps.filter((s) => s.kind === "change");
    const sessions = new Set(changes.map((s) => s.sessionId));
    const others = got.steps.length - changes.length;

    return several(changes.length, "change") + " by " +
        several(sessions.size, "session") +
        (others ? `, ${others} from outside` : "") +
        (got.totalSteps > got.steps.length
                ? `; the last ${count(got.steps.length)} of ` +
                    `${count(got.totalSteps)} steps are drawn`
                : "");
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

    let drawn = [];

    function resized() {
        put(picture, timeline(drawn, picture.clientWidth));
    }

    async function draw() {
        try {
            const got = await ask(url, {limit: 400}, control.signal);

            drawn = got.steps;
            put(picture, timeline(drawn, picture.clientWidth));
            put(about, summary(got));
        } catch (e) {
            if (e.name === "AbortError")
                return;
            put(about);
            put(alarm, failure(e));
        }
    }

    put(place, el("h1", null, baseName(path)), el("p", {class: "path"}, path),
        el("p", {class: "bar"}, link(toBlame(path), "Blame"), about), alarm,
        picture, list.node);
    const off = onEvent((type, event) => {
        if (type !== "change" || event.path !== path)
            return;
        pages.again();
        draw();
    });

    window.addEventListener("resize", resized);
    draw();
    return {
        title: baseName(path),
        ready: pages.fetch(0),
        close() {
            off();
            window.removeEventListener("resize", resized);
            control.abort();
            pages.close();
            list.close();
        }
    };
}
