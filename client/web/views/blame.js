// Blame: who wrote each line, at any moment of the file's history.
import {ask, segment} from "../base/api.js";
import {button, el, put} from "../base/dom.js";
import {addOwn} from "../base/keys.js";
import {List} from "../base/list.js";
import {onEvent} from "../base/live.js";
import {Pages} from "../base/pages.js";
import {
    changeLink,
    doubt,
    failure,
    fileLink,
    link,
    sessionMark,
    toChange
} from "../base/parts.js";
import {amend} from "../base/route.js";
import {
    baseName,
    contentText,
    firstLine,
    hue,
    id8,
    time
} from "../base/text.js";
import {codeLine} from "../diff/line.js";
import {paint} from "../diff/paint.js";

const PAGE = 400;

const owner = (line) => line.kind === "session" ? line.changeId : line.kind;

function lineTitle(line) {
    return line.kind === "session" ?
        [`${line.tool || ""} ` + time(line.timestamp), line.model, line.prompt]
            .filter(Boolean)
            .join("\n") :
        line.kind + ", between " + (time(line.from) || "the beginning") +
            " and " + (time(line.to) || "now");
}

// The owner of a line, shown once for a run of lines: a link to the change, and
// the prompt where there is room.
function ownerOf(line) {
    if (line.kind !== "session")
        return el("span", {class: "owner"}, line.kind);
    return el("span", {class: "owner"},
        link(toChange(line.changeId), id8(line.sessionId), {"data-main": ""}),
        el("span", {class: "asked"}, firstLine(line.prompt || "", 60)),
        el("span", {class: "date"}, time(line.timestamp, false).slice(5)));
}

function lineRow(line, before) {
    if (!line)
        return el("div", {class: "blameline faint"}, "…");
    const first = !before || owner(before) !== owner(line);
    const by = line.kind === "session";

    return el("div", {
        class: "blameline " + (by ? hue(line.sessionId) : "outside") +
            (first ? " first" : ""),
        title: lineTitle(line)
    },
        first ? ownerOf(line) : el("span", {class: "owner"}),
        el("span", {class: "number"}, line.line),
        codeLine(line.content, line.colours));
}

// Describes the line under the pointer or with the focus.
function describe(line) {
    return line.kind === "session" ?
        [
            sessionMark(line.sessionId), " ",
            changeLink(line.changeId, line.tool || "change"), " ",
            time(line.timestamp), " ", line.model || "", " ",
            el("span", {class: "prompt"}, firstLine(line.prompt || "")),
            line.command ? [" ", el("code", null, line.command)] : null
        ] :
        lineTitle(line);
}

export function blameView(place, {query}) {
    const path = query.path || "";
    const control = new AbortController();
    const url = `files/${segment(path)}/blame`;
    const about = el("div");
    const alarm = el("div");
    const foot = el("div", {class: "foot"}, "Point at a line.");
    const slider = el("input", {
        type: "range",
        min: 0,
        max: 0,
        value: 0,
        oninput: () => slide(),
        "aria-label": "Moment of the history"
    });
    const moment = el("output", {class: "faint moment"});
    let at = query.at || "";
    let steps = [];  // the oldest first; then the file on disk
    let timer = 0;
    const list = new List(
        "Lines", 20, (i) => lineRow(pages.get(i), i ? pages.get(i - 1) : null));
    const pages = new Pages(PAGE,
        async (offset, limit, signal) => {
            // An empty file has no line 1: the first page has no `from`.
            const from = offset ? offset + 1 : null;
            const got = await ask(url, {at, from, to: offset + limit}, signal);

            for (const line of got.lines)
                line.content = contentText(line.content);
            put(about, doubt(got.fidelity, got.why),
                got.totalLines ? null
                               : el("p", {class: "faint"}, "An empty file."));
            colour(got.lines);
            return {rows: got.lines, total: got.totalLines};
        },
        () => {
            put(alarm, pages.failed ? failure(pages.failed) : null);
            list.setCount(pages.failed ? 0 : pages.total || 0);
            list.refresh();
        });

    async function colour(rows) {
        const got = await paint(path, rows.map((l) => l.content).join("\n"));

        rows.forEach((line, i) => {
            line.colours = got && got[i];
        });
        if (got)
            list.refresh();
    }

    function name(index) {
        const step = steps[index];
        const text = step && step.changeId ? time(step.timestamp) + " " +
                id8(step.sessionId) + " " + firstLine(step.prompt || "", 60)
                                           : "now, on disk";

        put(moment, text);
        slider.setAttribute("aria-valuetext", text);
    }

    // True: the file did not exist after this step, so there is no blame.
    function isGone(index) {
        const {after} = steps[index] || {};

        return Boolean(after) && after.exists === false;
    }

    function fetchFirst() {
        const index = Number(slider.value);

        pages.renew();
        if (!isGone(index) || (at && !steps[index].changeId))
            return pages.fetch(0);
        put(about,
            el("p", {class: "faint"},
                steps[index].changeId ? "This change removed the file."
                                      : "The file is not there now."));
        put(alarm);
        list.setCount(0);
        return Promise.resolve();
    }

    function setAt(index) {
        at = steps[index] ? steps[index].changeId || "" : "";
        slider.value = index;
        amend({at: at || null});
        name(index);
        fetchFirst();
    }

    // Requests only the step where the slider rests.
    function slide() {
        const index = Number(slider.value);

        name(index);
        clearTimeout(timer);
        timer = setTimeout(() => setAt(index), 80);
    }

    function step(by) {
        const index = Number(slider.value) + by;

        if (index >= 0 && index < steps.length)
            setAt(index);
    }

    // The step of `at`: a change, or a session's last one. -1: no such step.
    function whichStep() {
        let last = at ? -1 : steps.length - 1;

        steps.forEach((s, i) => {
            if (at && s.changeId &&
                (s.changeId.startsWith(at) || s.sessionId.startsWith(at)))
                last = i;
        });
        return last;
    }

    async function loadSteps() {
        const got = await ask(
            `files/${segment(path)}/log`, {limit: 1000}, control.signal);

        steps = [
            ...got.steps.filter((s) => s.kind === "change").reverse(),
            {after: got.steps.length ? got.steps[0].after : undefined}
        ];
        slider.max = steps.length - 1;
        placeSlider();
    }

    // Without `at`: now, or the last step at which the file existed.
    function placeSlider() {
        let found = whichStep();

        if (!at) {
            while (found > 0 && isGone(found))
                found--;
            at = steps[found].changeId || "";
        }
        slider.value = found < 0 ? steps.length - 1 : found;
        name(Number(slider.value));
        if (found < 0)
            put(moment, at);
    }

    function point(event) {
        const row = event.target.closest(".row");
        const line = row && pages.get(Number(row.dataset.index));

        if (line)
            put(foot, describe(line));
    }

    async function begin() {
        try {
            await loadSteps();
        } catch (e) {
            if (e.name !== "AbortError")
                put(alarm, failure(e));
            return;
        }
        await fetchFirst();
    }

    // A view of the last step follows new changes; any other step stays.
    async function follow(type, event) {
        if (type !== "change" || event.path !== path || !steps.length)
            return;
        const last = Number(slider.value) === steps.length - 1;

        try {
            await loadSteps();
            if (last)
                setAt(steps.length - 1);
        } catch (e) {
            // The next event asks again.
        }
    }

    list.node.classList.add("blame");
    list.node.addEventListener("mouseover", point);
    list.node.addEventListener("focusin", point);
    put(place, el("h1", null, baseName(path)),
        el("p", {class: "path"}, fileLink(path)),
        el("div", {class: "bar slide"},
            el("span", {class: "faint wideonly"}, "Through time"),
            button("‹", () => step(-1), {"aria-label": "an earlier moment"}),
            slider,
            button("›", () => step(1), {"aria-label": "a later moment"})),
        moment, about, alarm, el("div", {class: "wide"}, list.node), foot);
    const off = onEvent(follow);

    addOwn("[", "an earlier moment", () => step(-1));
    addOwn("]", "a later moment", () => step(1));
    return {
        title: "Blame " + baseName(path),
        ready: begin(),
        close() {
            off();
            control.abort();
            clearTimeout(timer);
            pages.close();
            list.close();
        }
    };
}
