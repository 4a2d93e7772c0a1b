// Stats: changes, lines and tokens by day, project, model and more.
import {ask} from "../base/api.js";
import {el, put} from "../base/dom.js";
import {choice, failure, field, link, toSession} from "../base/parts.js";
import {amend} from "../base/route.js";
import {count, ownEnds, short} from "../base/text.js";
import {plot} from "./plot.js";

const BY = [
    ["day", "day"], ["week", "week"], ["month", "month"],
    ["project", "project"], ["model", "model"], ["tool", "tool"],
    ["ext", "kind of file"], ["session", "session"]
];
const IN_TIME = ["day", "week", "month"];
const ROWS = 400;
const MOST = 1500;  // rows over time; with more, empty ones are left out

// The browser's time zone in the last six years, as the API's `zone`.
function zone() {
    const hour = 3600000;
    const out = [];
    let last = null;

    for (let t = Date.now() - 6 * 365 * 24 * hour; t < Date.now();
         t += 6 * hour) {
        const offset = -new Date(t).getTimezoneOffset() * 60;

        if (offset !== last)
            out.push(`${out.length ? Math.floor(t / 1000) : 0}:` + offset);
        last = offset;
    }
    return out;
}

const total = (t) => t ? t.input + t.output + t.cacheRead + t.cacheWrite : 0;

// Row → its name; for a project a unique end of the path.
function namer(rows, by) {
    if (by !== "project")
        return (row) => row.title || row.key;
    const names = ownEnds(rows.map((row) => row.key));

    return (row) => names.get(row.key);
}

// The day, week or month after this one; keys are "2026-11-16" or "2026-11".
function after(key, by) {
    const [year, month, day = 1] = key.split("-").map(Number);
    const next = by === "month"
        ? new Date(Date.UTC(year, month, 1))
        : new Date(Date.UTC(year, month - 1, day + (by === "week" ? 7 : 1)));

    return next.toISOString().slice(0, key.length);
}

// In the order of time, with empty rows where nothing happened.
function inOrder(rows, by) {
    const known = new Map(rows.map((r) => [r.key, r]));
    const keys = [...known.keys()].sort();
    const last = keys[keys.length - 1];
    const out = [];

    for (let key = keys[0]; key <= last; key = after(key, by)) {
        out.push(known.get(key) || {key});
        if (out.length > MOST)
            return keys.map((k) => known.get(k));
    }
    return out;
}

// [heading, value of a row, text of a value]
const PLOTS = [
    ["Changes", (r) => r.changes || 0, count],
    ["Lines added", (r) => r.linesAdded || 0, count],
    ["Tokens", (r) => total(r.tokenUsage), short],
    ["Tool calls", (r) => r.toolCalls || 0, count]
];

function numbers(t) {
    const rows = [
        ["Sessions", count(t.sessions)], ["Changes", count(t.changes)],
        ["Files", count(t.filesChanged)],
        ["Lines", `+${count(t.linesAdded)} −${count(t.linesRemoved)}`],
        ["Calls", count(t.toolCalls)], ["Errors", count(t.errors)],
        ["Tokens", short(total(t.tokenUsage))],
        ["Cost", t.costUSD === undefined ? null : "$" + t.costUSD.toFixed(2)]
    ];

    return el("dl", {class: "numbers"}, rows.filter(([, v]) => v).map(([
        name, value
    ]) => el("div", null, el("dt", null, name), el("dd", null, value))));
}

function table(rows, by, nameOf) {
    return el("details", null, el("summary", null, "As a table"),
        el("div", {class: "wide"},
            el("table", null,
                el("thead", null, el("tr", null, [by,
                    ...PLOTS.map(
                        (p) => p[0])].map((t) => el("th", {scope: "col"}, t)))),
                el("tbody", null,
                    rows.map((r) => el("tr", null,
                                 el("th", {scope: "row", title: r.key},
                                     by === "session"
                                         ? link(toSession(r.key), nameOf(r))
                                         : by === "project" ? r.key
                                                            : nameOf(r)),
                                 PLOTS.map(([, value, text]) => el("td", null,
                                               text(value(r))))))))));
}

export function statsView(place, {query}) {
    const control = new AbortController();
    const now = {
        by: query.by || "day",
        from: query.from || "",
        to: query.to || ""
    };
    const where = el("div");

    async function load() {
        try {
            const got = await ask("stats", {
                by: now.by,
                limit: ROWS,
                from: now.from,
                to: now.to,
                zone: zone()
            },
                control.signal);
            const rows =
                IN_TIME.includes(now.by) ? inOrder(got.rows, now.by) : got.rows;

            const nameOf = namer(rows, now.by);

            put(where, numbers(got.totals),
                el("div", {class: "plots"},
                    PLOTS.filter(([, value]) => rows.some((r) => value(r)))
                        .map((p) => plot(p[0],
                                 rows.map((r) => [nameOf(r), p[1](r), r.key]),
                                 p[2], IN_TIME.includes(now.by)))),
                table(got.rows, now.by, nameOf));
        } catch (e) {
            if (e.status === 404)
                put(where, el("p", {class: "faint"}, e.message));
            else if (e.name !== "AbortError")
                put(where, failure(e));
        }
    }

    function change(what) {
        Object.assign(now, what);
        amend(what);
        load();
    }

    const day = (label, name) => field(label, el("input", {
        type: "date",
        value: now[name],
        onchange: (e) => change({[name]: e.target.value})
    }));

    put(place, el("h1", null, "Stats"),
        el("div", {class: "bar"},
            choice("by", BY, now.by, (by) => change({by})), day("from", "from"),
            day("to", "to")),
        where);
    return {
        title: "Stats",
        ready: load(),
        close() {
            control.abort();
        }
    };
}
