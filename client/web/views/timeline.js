// The picture of a file's history: a lane for each session, and one for changes
// from outside. The list below the picture says the same in words.
import {el, svg} from "../base/dom.js";
import {go, toChange, toSession} from "../base/route.js";
import {firstLine, hue, id8, time} from "../base/text.js";

const LANES = 16;
const ROW = 22;
const LEFT = 76;
const LEAST = 300;
const TICK = 170;  // pixels between two times below the lanes, at least
const MARGIN = 10;

const moment = (step) =>
    +new Date(step.timestamp || step.to || step.from) || Date.now();

// Session → its lane; sessions with the latest changes first. The sessions
// beyond the limit share the lane `others`.
function lanesOf(steps) {
    const lanes = new Map();

    for (const step of steps) {
        const name = step.kind === "change" ? step.sessionId : "";

        if (lanes.has(name))
            continue;
        if (lanes.size < LANES || !name)
            lanes.set(name, lanes.size);
        else if (!lanes.has("others"))
            lanes.set("others", lanes.size);
    }
    return lanes;
}

function laneOf(lanes, step) {
    const name = step.kind === "change" ? step.sessionId : "";

    return lanes.has(name) ? lanes.get(name) : lanes.get("others");
}

function mark(step, x, y) {
    const isChange = step.kind === "change";
    const name = isChange ? hue(step.sessionId) : "outside";
    const title = svg("title", null, [
        time(step.timestamp || step.to), step.tool || step.kind,
        step.command && firstLine(step.command, 120),
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

// To a screen reader the picture is one image, so the names of lanes are not
// links; the list has the links.
function laneRow([id, lane], wide) {
    const y = lane * ROW + ROW / 2;
    const known = id && id !== "others";

    return [
        svg("line", {class: "lane", x1: LEFT, x2: wide, y1: y, y2: y}),
        svg("text", {
            x: 0,
            y: y + 4,
            class: known ? "lanename" : null,
            onclick: known ? () => go(toSession(id)) : () => {}
        },
            known ? id8(id) : id || "outside")
    ];
}

// Times below the lanes, with lines through the lanes.
function ticks(first, way, x, wide, tall) {
    // At most one for each second: closer times would have the same text.
    const n =
        Math.min(Math.floor((wide - LEFT) / TICK), Math.floor(way / 1000));
    const oneDay = time(first).slice(0, 10) === time(first + way).slice(0, 10);

    return Array.from({length: n + 1}, (_, i) => {
        const t = n ? first + way * i / n : first;
        const isLast = i && i === n;
        const text = oneDay && i ? time(t).slice(11) : time(t, false);

        return [
            svg("line",
                {class: "tick", x1: x(t), x2: x(t), y1: 0, y2: tall - 18}),
            svg("text", {
                x: isLast ? wide : x(t),
                y: tall - 4,
                "text-anchor": isLast ? "end"
                    : i               ? "middle"
                                      : "start"
            },
                wide < 500 && !oneDay ? text.slice(0, 10) : text)
        ];
    });
}

// `wide`: the width of its place, in pixels.
export function timeline(steps, wide) {
    if (!steps.length)
        return null;
    const width = Math.max(LEAST, wide);
    const lanes = lanesOf(steps);
    const times = steps.map(moment);
    const first = Math.min(...times);
    const way = Math.max(1, Math.max(...times) - first);
    const tall = lanes.size * ROW + 24;
    const x = (t) =>
        LEFT + MARGIN + (t - first) / way * (width - LEFT - 2 * MARGIN);
    const y = (step) => laneOf(lanes, step) * ROW + ROW / 2;
    const label =
        `${steps.length} steps from ${time(first)} to ` + time(first + way);

    return el("figure", null,
        svg("svg", {
            class: "timeline",
            role: "img",
            "aria-label": label,
            viewBox: `0 0 ${width} ${tall}`,
            width,
            height: tall
        },
            ticks(first, way, x, width, tall),
            [...lanes].map((lane) => laneRow(lane, width)),
            steps.map((step, i) => mark(step, x(times[i]), y(step)))),
        el("figcaption", {class: "faint"},
            "● tool  ■ shell command  ▲ outside of all sessions"));
}
