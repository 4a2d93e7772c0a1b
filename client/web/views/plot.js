// Bars: upright ones over time, lying ones for names.
import {el, svg} from "../base/dom.js";

const WIDE = 560;
const TALL = 120;
const NAMES = 15;  // lying bars, at most

function upright(rows, text) {
    const most = Math.max(...rows.map((r) => r[1]), 1);
    const step = Math.min(WIDE / rows.length, 60);

    return svg("svg", {
        viewBox: `0 0 ${WIDE} ${TALL + 16}`,
        class: "plot",
        "aria-hidden": "true"
    },
        rows.map(([name, value], i) => {
            const tall = value / most * (TALL - 14);

            return svg("rect", {
                class: "bar",
                x: i * step + step * 0.1,
                y: TALL - tall,
                width: step * 0.8,
                height: tall
            },
                svg("title", null, `${name}: ${text(value)}`));
        }),
        svg("text", {x: 0, y: 10}, text(most)),
        svg("text", {x: 0, y: TALL + 13}, rows[0][0]),
        rows.length > 1
            ? svg("text", {x: WIDE, y: TALL + 13, "text-anchor": "end"},
                  rows[rows.length - 1][0])
            : null);
}

function lying(rows, text) {
    const best = [...rows]
                     .sort((a, b) => b[1] - a[1])
                     .slice(0, NAMES)
                     .filter((r) => r[1]);
    const most = Math.max(...best.map((r) => r[1]), 1);

    return el("div", {class: "lying", "aria-hidden": "true"},
        best.map(
            ([name, value]) => [el("span", {class: "name", title: name}, name),
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
                el("span", null, text(value))]));
}

export function plot(title, rows, text, inTime) {
    const sum = rows.reduce((n, r) => n + r[1], 0);

    return el("figure", {class: "plotbox"},
        el("figcaption", null, title,
            el("span", {class: "unseen"},
                `, ${text(sum)} together; the ` +
                    "table below has the numbers")),
        inTime ? upright(rows, text) : lying(rows, text));
}
