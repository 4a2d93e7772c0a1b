// Times, numbers and paths as text for people. And `clean`, which every text on
// the page passes through.

// Control characters, invisible characters, and characters that change the
// direction of text: a transcript must not look different from what it has.
const CONTROLS = "\0-\x08\x0b-\x1f\x7f-\x9f";
const TURNS = "\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff";
const UNSEEN = new RegExp(`[${CONTROLS}${TURNS}]`, "g");

function shown(c) {
    const code = c.charCodeAt(0);

    if (code < 0x20)
        return String.fromCharCode(0x2400 + code);
    if (code === 0x7f)
        return "\u2421";
    return "\\u" + code.toString(16).padStart(4, "0");
}

export function clean(text) {
    return String(text).replace(/\r\n/g, "\n").replace(UNSEEN, shown);
}

// The API sends contents that are not UTF-8 as { base64 }.
export function contentText(value) {
    if (!value || value.base64 === undefined)
        return value || "";
    return new TextDecoder().decode(
        Uint8Array.from(atob(value.base64), (c) => c.charCodeAt(0)));
}

export function firstLine(text, most = 300) {
    const line = (text || "").trimStart().split("\n", 1)[0];

    return line.length > most ? line.slice(0, most) + "…" : line;
}

const two = (n) => String(n).padStart(2, "0");

// "2026-11-16 03:00:19", in the browser's time zone.
export function time(value, seconds = true) {
    const t = new Date(value);

    if (value === null || value === undefined || Number.isNaN(+t))
        return "";
    return `${t.getFullYear()}-${two(t.getMonth() + 1)}-${two(t.getDate())} ` +
        `${two(t.getHours())}:${two(t.getMinutes())}` +
        (seconds ? ":" + two(t.getSeconds()) : "");
}

// Where there is little room: "03:00" today, "11-16" this year.
export function shortTime(value) {
    const text = time(value, false);
    const now = time(Date.now(), false);

    if (text.slice(0, 10) === now.slice(0, 10))
        return text.slice(11);
    return text.slice(0, 4) === now.slice(0, 4) ? text.slice(5, 10)
                                                : text.slice(0, 10);
}

const STEPS = [[60, "s"], [60, "min"], [24, "h"], [365, "d"], [Infinity, "y"]];

// "3 min": a duration, in its largest unit.
export function span(seconds) {
    let n = Math.max(0, seconds);

    for (const [size, unit] of STEPS) {
        if (n < size)
            return `${Math.floor(n)} ${unit}`;
        n /= size;
    }
    return "";
}

export function ago(value) {
    const t = +new Date(value);

    return value && !Number.isNaN(t) ? span((Date.now() - t) / 1000) + " ago"
                                     : "";
}

const numbers = new Intl.NumberFormat("en");

export function count(n) {
    return n === null || n === undefined ? "?" : numbers.format(n);
}

// "1 change", "3 changes"
export function several(n, word) {
    return `${count(n)} ${word}${n === 1 ? "" : "s"}`;
}

// "12.3k": for tokens.
export function short(n) {
    for (const [size, unit] of [[1e9, "G"], [1e6, "M"], [1e3, "k"]])
        if (n >= size)
            return (n / size).toFixed(1) + unit;
    return String(n);
}

export function baseName(path) {
    return (path || "").replace(/\/+$/, "").split("/").pop() || path;
}

// "demo/src": the last name alone is often the same.
export function endOf(path) {
    return (path || "").split("/").filter(Boolean).slice(-2).join("/") || path;
}

// Path → its end, with as many directories as make that end unique.
export function ownEnds(paths) {
    const names = new Map();
    const many = new Map();
    const end = (parts, n) => parts.slice(-n).join("/");
    const all = paths.map((p) => [p, (p || "").split("/").filter(Boolean)]);

    for (const [, parts] of all)
        for (let n = 2; n <= parts.length; n++)
            many.set(end(parts, n), (many.get(end(parts, n)) || 0) + 1);
    for (const [path, parts] of all) {
        let n = 2;

        while (n < parts.length && many.get(end(parts, n)) > 1)
            n++;
        names.set(path, end(parts, n) || path);
    }
    return names;
}

// A path without the directory of its project.
export function inProject(path, project) {
    return project && path.startsWith(project + "/")
        ? path.slice(project.length + 1)
        : path;
}

const ABOUT = [
    "file_path", "notebook_path", "command", "pattern", "path", "description",
    "prompt"
];

// "Bash make test", "Edit src/a.c": the tool, and the main input of the call.
export function callText(call, project, most = 160) {
    const input = call.input || {};
    const name = ABOUT.find((k) => input[k]);
    const about = name && firstLine(String(input[name]), most);

    return (call.name || "") + (about ? " " + inProject(about, project) : "");
}

export const id8 = (id) => (id || "").slice(0, 8);

const HUES = 12;
const hues = new Map();  // session → its colour
const uses = new Array(HUES).fill(0);

// A colour for each session, the same in every view: one of twelve classes. The
// id chooses among the colours that the fewest sessions have.
export function hue(id) {
    let n = 7;

    if (hues.has(id))
        return "hue" + hues.get(id);
    for (const c of id || "")
        n = (Math.imul(n, 31) + c.charCodeAt(0)) >>> 0;
    const order = uses.map((_, i) => (n + 5 * i) % HUES);
    const best = order.reduce((found, i) => uses[i] < uses[found] ? i : found);

    uses[best]++;
    hues.set(id, best);
    return "hue" + best;
}

// Converts [[start, end]] in bytes of UTF-8 to indexes of the string.
export function bytesToChars(text, ranges) {
    const at = new Map();
    const wanted = new Set(ranges.flat());
    let bytes = 0, chars = 0;

    for (const c of text) {
        if (wanted.has(bytes))
            at.set(bytes, chars);
        const code = c.codePointAt(0);

        bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
        chars += c.length;
    }
    at.set(bytes, chars);
    return ranges.map(([a, b]) => [at.get(a), at.get(b)]).filter(([a,
        b]) => a !== undefined && b !== undefined);
}
