// Elements that several views share.
import {el, put} from "./dom.js";
import {toBlame, toChange, toFile, toSession} from "./route.js";
import {ago, baseName, count, hue, id8, shortTime, time} from "./text.js";

export function link(hash, text, props) {
    return el("a", {href: hash, ...props}, text);
}

export function when(value) {
    return value ? el("time", {datetime: value, title: ago(value)}, time(value))
                 : el("span", null, "at an unknown time");
}

// The time in a row of a list: short on a phone. `about` replaces its title.
export function stamp(value, seconds = true, about = "") {
    return el("span", {
        class: "faint fixed stamp",
        title: about || `${time(value)}, ${ago(value)}`
    },
        el("span", {class: "wideonly"}, time(value, seconds)),
        el("span", {class: "phoneonly"}, shortTime(value)));
}

// A path; page.css cuts the folder first, so the file's name stays visible.
export function pathText(path) {
    const at = path.lastIndexOf("/") + 1;

    return [
        el("span", {class: "folder"}, path.slice(0, at)),
        el("span", {class: "name"}, path.slice(at))
    ];
}

const unknown = (n) => n === null || n === undefined;

export function lines(added, removed) {
    if (unknown(added) && unknown(removed))
        return el("span",
            {class: "lines faint", title: "how many lines is not known"}, "?");
    return el("span", {class: "lines"},
        el("span", {class: "plus"}, "+" + count(added)), " ",
        el("span", {class: "minus"}, "−" + count(removed)));
}

// A link to a session: its colour, and `text` or the start of the id.
export function sessionMark(id, text) {
    return link(toSession(id),
        [el("span", {class: "dot " + hue(id)}), text || id8(id)],
        {class: "session", title: "session " + id});
}

export function fileLink(path, text, props) {
    return link(toFile(path), text || path, {title: path, ...props});
}

export function changeLink(change, text) {
    return link(toChange(change), text);
}

export function status(name) {
    return el("span", {class: "status " + name}, name);
}

export function conflictNote(c) {
    const words = {
        stale: "changed a file that it had not read since",
        concurrent: "changed the same file at the same time as",
        lost_update: "overwrote what was written by"
    };

    return el("p", {class: "conflict"}, el("strong", null, "Conflict: "),
        sessionMark(c.sessionId), " " + (words[c.kind] || c.kind) + " ",
        c.otherSessionId ? sessionMark(c.otherSessionId)
                         : "somebody outside of all sessions",
        " in ", fileLink(c.path, baseName(c.path)), " (" + c.kind + ") ",
        changeLink(c.changeId, "diff"));
}

// The fidelity of an answer and the reason; nothing if it is simply exact.
export function doubt(fidelity, why) {
    if (!fidelity || (fidelity === "exact" && !why))
        return null;
    return el("p", {class: "doubt"}, fidelity + (why ? ": " + why : ""));
}

export function failure(error) {
    return el("div", {class: "failure", role: "alert"},
        el("p", null, error.message || String(error)),
        error.hint ? el("p", null, error.hint) : null);
}

export function field(label, input) {
    return el("label", {class: "field"}, el("span", null, label), input);
}

export function choice(label, values, now, act) {
    const node = el("select", {onchange: () => act(node.value)},
        values.map(([value, text]) =>
                       el("option", {value, selected: value === now}, text)));

    return field(label, node);
}

// A row of links; `now` is the name of the current one.
export function tabs(label, all, now) {
    return el("nav", {class: "tabs", "aria-label": label},
        all.map(([name, text, hash]) => link(hash, text,
                    {"aria-current": name === now ? "page" : null})));
}

// Fills `node` with the result of a promise, or with its error.
export async function fillLater(node, promise, make) {
    try {
        put(node, make(await promise));
    } catch (e) {
        if (e.name !== "AbortError")
            put(node, failure(e));
    }
}

export {toBlame, toChange, toFile, toSession};
