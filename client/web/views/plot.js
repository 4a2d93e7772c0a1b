// Bar charts: vertical bars over time, horizontal bars for names.
import {el, svg} from "../base/dom.js";

const WIDE = 560;
const TALL = 100;
const NAMES = 15;   // horizontal bars, at most
const LINES = 4;    // grid lines above 0
const WIDEST = 60;  // of a bar with its gap

// The next round number that is not less than `n`.
function roundUp(n) {
    const size = 10 ** Math.floor(Math.log10(Math.max(n, 1)));

    return [1, 2, 4, 6, 8, 10].map((k) => k * size).find((k) => k >= n);
}

// Texts are outside the picture, because the picture is stretched.
function upright(rows, text) {
    const most = roundUp(Math.max(...rows.map((r) => r[1]), 2));
    const step = Math.min(WIDE / rows.length, WIDEST);
    const y = (value) => TALL - value / most * TALL;
    const heights =
        Array.from({length: LINES + 1}, (_, i) => y(most * i / LINES));
    const bar = ([name, value], i) => svg("rect", {
        class: "bar",
        x: i * step + step * 0.1,
        y: y(value),
        width: step * 0.8,
        height: TALL - y(value)
    },
        svg("title", null, `${name}: ${text(value)}`));

    return el("div", {class: "upright", "aria-hidden": "true"},
        el("div", {class: "scale faint"}, el("span", null, text(most)),
            el("span", null, text(most / 2)), el("span", null, "0")),
        svg("svg", {
            viewBox: `0 0 ${WIDE} ${TALL}`,
            preserveAspectRatio: "none",
            class: "plot"
        },
            heights.map((at) => svg("line",
                            {class: "lane", x1: 0, x2: WIDE, y1: at, y2: at})),
            rows.map(bar)),
        el("div", {class: "ends faint"}, el("span", null, rows[0][0]),
            rows.length > 1 ? el("span", null, rows[rows.length - 1][0])
                            : null));
}

function lying(rows, text) {
    const best = [...rows]
                     .sort((a, b) => b[1] - a[1])
                     .slice(0, NAMES)
                     .filter((r) => r[1]);
    const most = Math.max(...best.map((r) => r[1]), 1);

    return el("div", {class: "lying", "aria-hidden": "true"},
        best.map(([name, value,
            key]) => [el("span", {class: "name", title: key || name}, name),
                     svg("svg", {
                         viewBox: "0 0 100 10",
                         preserveAspectRatio: "none",
                         class: "one"
                     },
                         svg("rect", {
                             class: "bar",
                             x: 0,
                             y: 0,
                             width: Math.max(0.5, value / most * 100),
                             height: 10
                         })),
                     el("span", {class: "value"}, text(value))]));
}

export function plot(title, rows, text, inTime) {
    const sum = rows.reduce((n, r) => n + r[1], 0);

    return el("figure", {class: "plotbox"},
        el("figcaption", null, el("strong", null, title),
            el("span", {class: "faint", "aria-hidden": "true"},
                " " + text(sum)),
            el("span", {class: "unseen"},
                `, ${text(sum)} together; the ` +
                    "table below has the numbers")),
        inTime ? upright(rows, text) : lying(rows, text));
}
