// One line of program text as spans: its colours, and marks over them.
import {el} from "../base/dom.js";

const LONGEST = 5000;

// colours: [length, class, …]; marks: [[start, end]].
export function codeLine(text, colours, marks, markClass = "word") {
    const node = el("code");
    const shown = text.length > LONGEST ? text.slice(0, LONGEST) : text;
    const cuts = new Set([0, shown.length]);
    const classes = [];
    let at = 0;

    for (let i = 0; colours && i < colours.length; i += 2) {
        cuts.add(Math.min(at, shown.length));
        classes.push([at, at + colours[i], colours[i + 1]]);
        at += colours[i];
    }
    for (const [a, b] of marks || []) {
        cuts.add(Math.min(a, shown.length));
        cuts.add(Math.min(b, shown.length));
    }
    const sorted = [...cuts].sort((a, b) => a - b);
    let next = 0;

    for (let i = 0; i + 1 < sorted.length; i++) {
        const [a, b] = [sorted[i], sorted[i + 1]];

        while (next < classes.length && classes[next][1] <= a)
            next++;
        const colour =
            classes[next] && classes[next][0] <= a ? classes[next][2] : "";
        const marked = (marks || []).some(([x, y]) => x <= a && b <= y);
        const name =
            [colour && "c-" + colour, marked && markClass].filter(Boolean).join(
                " ");
        const part = shown.slice(a, b);

        node.append(
            name ? el("span", {class: name}, part) : el("span", null, part));
    }
    if (shown.length < text.length)
        node.append(
            el("em", null, ` … ${text.length - shown.length} more characters`));
    return node;
}
