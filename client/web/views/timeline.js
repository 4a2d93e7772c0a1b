// The picture of a file's history: a lane for each session, and one for all
// that no session did. The list below it says the same in words.
import {el, svg} from "../base/dom.js";
import {go, toChange} from "../base/route.js";
import {firstLine, hue, id8, time} from "../base/text.js";

const LANES = 12;
const ROW = 22;
const LEFT = 90;
const WIDE = 900;

const moment = (step) =>
    +new Date(step.timestamp || step.to || step.from) || Date.now();

// Session → its lane; those with the last changes first.
function lanesOf(steps) {
    const lanes = new Map();

    for (const step of steps) {
        const name = step.kind === "change" ? step.sessionId : "";

        if (!lanes.has(name) && (lanes.size < LANES || !name))
            lanes.set(name, lanes.size);
    }
    return lanes;
}

function mark(step, x, y) {
    const isChange = step.kind === "change";
    const name = isChange ? hue(step.sessionId) : "outside";
    const title = svg("title", null, [
        time(step.timestamp || step.to), step.tool || step.kind,
        firstLine(step.prompt || "", 120)
    ].filter(Boolean).join(" · "));
    const more = {
        class: "mark " + name,
        onclick: isChange ? () => go(toChange(step.changeId)) : undefined
    };

    if (!isChange)
        return svg("path", {...more, d: `M${x} ${y - 6}l6 11h-12z`}, title);
    return step.command
        ? svg("rect", {...more, x: x - 5, y: y - 5, width: 10, height: 10},
              title)
        : svg("circle", {...more, cx: x, cy: y, r: 5}, title);
}

export function timeline(steps) {
    if (!steps.length)
        return null;
    const lanes = lanesOf(steps);
    const times = steps.map(moment);
    const first = Math.min(...times);
    const way = Math.max(1, Math.max(...times) - first);
    const tall = lanes.size * ROW + 24;
    const x = (t) => LEFT + 8 + (t - first) / way * (WIDE - LEFT - 20);
    const y = (step) =>
        (lanes.get(step.kind === "change" ? step.sessionId : "") ??
            lanes.size - 1) *
            ROW +
        ROW / 2;
    const label =
        `${steps.length} steps from ${time(first)} to ` + time(first + way);

    return el("figure", null,
        svg("svg", {
            class: "timeline",
            role: "img",
            "aria-label": label,
            viewBox: `0 0 ${WIDE} ${tall}`,
            width: WIDE,
            height: tall
        },
            [...lanes].map(([id, lane]) => [svg("line", {
                class: "lane",
                x1: LEFT,
                x2: WIDE,
                y1: lane * ROW + ROW / 2,
                y2: lane * ROW + ROW / 2
            }),
                               svg("text", {x: 0, y: lane * ROW + ROW / 2 + 4},
                                   id ? id8(id) : "outside")]),
            steps.map((step, i) => mark(step, x(times[i]), y(step))),
            svg("text", {x: LEFT, y: tall - 4}, time(first, false)),
            svg("text", {x: WIDE - 4, y: tall - 4, "text-anchor": "end"},
                time(first + way, false))),
        el("figcaption", {class: "faint"},
            "● tool  ■ shell command  ▲ outside of all sessions"));
}
