// Now: the sessions that are at work, each with its prompt, its last tool and
// its last changes, as they arrive. Below, all sessions or all changes.
import {ask, segment, select} from "../base/api.js";
import {el, put, replace, say} from "../base/dom.js";
import {List} from "../base/list.js";
import {onEvent} from "../base/live.js";
import {Pages} from "../base/pages.js";
import {
    changeLink,
    conflictNote,
    failure,
    fileLink,
    lines,
    link,
    pathText,
    sessionMark,
    stamp,
    status,
    tabs,
    toSession
} from "../base/parts.js";
import {to} from "../base/route.js";
import {
    ago,
    baseName,
    callText,
    endOf,
    firstLine,
    hue,
    inProject,
    several,
    short,
    shortTime,
    time
} from "../base/text.js";

const AGAIN = 5000;  // ms; polls, because a prompt makes no event
const SOON = 300;    // ms; joins events that arrive together
const LAST_MESSAGES = 40;
const CHANGES = 5;
const CONFLICTS = 3;

const isLive = (s) => s.status === "active" || s.status === "waiting";

// The last prompt and tool of a session, out of its last messages.
async function doing(session, signal) {
    const offset = Math.max(0, session.messageCount - LAST_MESSAGES / 2);
    const page = await ask(`sessions/${segment(session.id)}/messages`,
        {limit: LAST_MESSAGES, offset, maxContent: 400}, signal);
    const out = {};

    for (const m of page.messages) {
        if (m.role === "user" && m.content && !m.isMeta &&
            !(m.toolResults || []).length)
            out.prompt = m.content;
        for (const call of m.toolCalls || [])
            out.tool = callText(call, session.projectPath, 120);
    }
    return out;
}

const LAST = `SELECT tool_use_id, path, tool, time_utc, lines_added, ` +
    `lines_removed FROM changes WHERE state = 'applied' AND session_id = `;

const quoted = (text) => "'" + text.replace(/'/g, "''") + "'";

// One live session. Shows the old values until new ones arrive.
class Card {
    constructor(session, signal) {
        this.signal = signal;
        this.changes = [];
        this.conflicts = [];
        this.node = el("article", {class: "card", "data-session": session.id});
        this.set(session);
    }

    set(session) {
        const moved = !this.session || this.session.endTime !== session.endTime;

        this.session = session;
        this.draw();
        if (moved)
            this.ask();
    }

    async ask() {
        const s = this.session;

        try {
            const [what, rows] = await Promise.all([
                doing(s, this.signal).catch(() => ({})),
                select(LAST + quoted(s.id) + " ORDER BY time DESC", CHANGES,
                    this.signal)
            ]);

            Object.assign(this, what);
            this.changes = rows.map((r) => ({
                changeId: r.tool_use_id,
                path: r.path,
                tool: r.tool,
                timestamp: r.time_utc,
                linesAdded: r.lines_added,
                linesRemoved: r.lines_removed
            }));
            this.draw();
        } catch (e) {
            // The session's next line asks again.
        }
    }

    // Adds a change in the form of its event.
    add(change) {
        this.changes = [
            change,
            ...this.changes.filter((c) => c.changeId !== change.changeId)
        ].slice(0, CHANGES);
        this.draw();
    }

    // Draws only if something has changed, so as not to disturb a reader or
    // the focus.
    draw() {
        const s = this.session;
        const shown = JSON.stringify([
            s, s.endTime && ago(s.endTime), this.prompt, this.tool,
            this.changes, this.conflicts
        ]);

        if (shown === this.shown)
            return;
        this.shown = shown;
        this.node.className = "card " + hue(s.id) +
            (this.conflicts.length || s.conflictCount ? " clash" : "");
        replace(this.node,
            el("h3", null,
                link(toSession(s.id), s.title || "session " + s.id.slice(0, 8)),
                " ", status(s.status)),
            el("p", {class: "faint"},
                [
                    endOf(s.projectPath), s.gitBranch, s.model,
                    s.endTime && "last line " + ago(s.endTime)
                ].filter(Boolean)
                    .join(" · ")),
            this.prompt ? el("p", {class: "prompt", title: this.prompt},
                              firstLine(this.prompt))
                        : null,
            this.tool ? el("p", {class: "tool"}, el("code", null, this.tool))
                      : null,
            this.changes.length ? el("ul", {class: "plain"},
                                      this.changes.map((c) => this.change(c)))
                                : null,
            this.conflicts.slice(0, CONFLICTS).map(conflictNote),
            this.earlier());
    }

    // The number of other conflicts, also those with ended sessions.
    earlier() {
        const told = Math.min(this.conflicts.length, CONFLICTS);
        const n =
            Math.max(this.conflicts.length, this.session.conflictCount || 0) -
            told;

        return n > 0
            ? el("p", {class: "conflict"},
                  (told ? "and " : "") + several(n, "earlier conflict") + ": ",
                  link(toSession(this.session.id), "see the session"))
            : null;
    }

    change(c) {
        return el("li", {class: "line"},
            el("span", {class: "faint fixed", title: time(c.timestamp)},
                shortTime(c.timestamp)),
            el("span", {class: "toolname"},
                c.early ? c.operation || "changing" : c.tool),
            fileLink(c.path,
                pathText(inProject(c.path, this.session.projectPath)),
                {class: "pathtext"}),
            c.early ? el("em", null, "…") : [
                lines(c.linesAdded, c.linesRemoved),
                changeLink(c.changeId, "diff")
            ]);
    }
}

function sessionRow(s) {
    if (!s)
        return el("div", {class: "line faint"}, "…");
    return el("div", {class: "line"}, stamp(s.endTime, false),
        link(toSession(s.id),
            [el("span", {class: "dot " + hue(s.id)}), s.title || s.id],
            {"data-main": "", class: "grow", title: s.title || s.id}),
        s.conflictCount ? el("span", {class: "status failed"}, "conflict")
                        : null,
        el("span", {class: "faint wideonly project", title: s.projectPath},
            endOf(s.projectPath) || ""),
        el("span", {class: "faint changes"}, several(s.totalChanges, "change")),
        el("span", {class: "faint wideonly tokens"},
            short(s.tokenUsage.output) + " tokens"));
}

function changeRow(c) {
    if (!c)
        return el("div", {class: "line faint"}, "…");
    return el("div", {class: "line"}, stamp(c.time_utc),
        sessionMark(c.session_id),
        el("span", {class: "wideonly toolname"}, c.tool),
        link(to("diff", [], {change: c.tool_use_id}), pathText(c.path),
            {"data-main": "", class: "grow pathtext", title: c.path}),
        lines(c.lines_added, c.lines_removed));
}

// Sorts ids only: sorting 100,000 whole rows takes twice as long.
function changesFrom(offset, limit) {
    return "SELECT tool_use_id, path, session_id, tool, time_utc, " +
        "lines_added, lines_removed FROM changes WHERE id IN (SELECT id " +
        "FROM changes WHERE state = 'applied' ORDER BY time DESC, id DESC " +
        `LIMIT ${limit} OFFSET ${offset}) ORDER BY time DESC, id DESC`;
}

const LISTS = {
    sessions: [
        async (offset, limit, signal) => {
            const got = await ask("sessions", {limit, offset}, signal);

            return {rows: got.sessions, total: got.totalSessions};
        },
        sessionRow
    ],
    changes: [
        async (offset, limit, signal) => {
            return {
                rows: await select(changesFrom(offset, limit), limit, signal)
            };
        },
        changeRow
    ],
};

export function nowView(place, {query}) {
    const name = query.list === "changes" ? "changes" : "sessions";
    const control = new AbortController();
    const cards = new Map();
    const alarm = el("div");
    const alive = el("div", {class: "cards"});
    const [load, row] = LISTS[name];
    const list = new List(name, 32, (i) => row(pages.get(i)));
    const pages = new Pages(100, load, () => {
        if (pages.total !== null)
            list.setCount(pages.total);
        if (pages.failed && pages.failed.status !== 404)
            put(alarm, failure(pages.failed));
        list.refresh();
    });
    const hello = el("div");
    let none = false;
    let timer = 0;
    let renewal = 0;

    async function look() {
        clearTimeout(timer);
        try {
            const [got, clashes] = await Promise.all([
                ask("sessions", {limit: 30}, control.signal).catch((e) => {
                    if (e.status === 404)
                        return {sessions: []};
                    throw e;
                }),
                ask("conflicts", {live: true}, control.signal)
                    .catch(() => ({conflicts: []}))
            ]);

            put(alarm);
            take(got.sessions.filter(isLive), clashes.conflicts);
            none = !got.sessions.length;
            welcome();
        } catch (e) {
            if (e.name === "AbortError")
                return;
            put(alarm, failure(e));
        }
        if (!control.signal.aborted)
            timer = setTimeout(look, AGAIN);
    }

    function take(sessions, clashes) {
        const ids = new Set(sessions.map((s) => s.id));

        for (const id of [...cards.keys()])
            if (!ids.has(id))
                cards.delete(id);
        for (const s of sessions) {
            const card = cards.get(s.id);

            if (card)
                card.set(s);
            else
                cards.set(s.id, new Card(s, control.signal));
            cards.get(s.id).conflicts = clashes.filter(
                (c) => c.sessionId === s.id || c.otherSessionId === s.id);
            cards.get(s.id).draw();
        }
        const nodes = [...cards.values()].map((c) => c.node);

        if (!nodes.length)
            put(alive,
                el("p", {class: "faint"}, "No session is at work right now."));
        else if (nodes.length !== alive.children.length ||
            nodes.some((node, i) => alive.children[i] !== node))
            replace(alive, nodes);
    }

    // Help for a user without any session.
    function welcome() {
        list.node.hidden = none;
        put(hello,
            none ? el("p", null, "No session is known yet. Start ",
                       el("code", null, "claude"), " in a project: its ",
                       "changes show up here as they happen. ",
                       el("code", null, "ccfc doctor"),
                       " says where ccfc looks for sessions.")
                 : null);
    }

    async function countAll() {
        try {
            if (name === "changes") {
                const got = await ask("files/index/stats", {}, control.signal);

                pages.total = got.totalChanges;
                list.setCount(got.totalChanges);
            }
            pages.again();
            await pages.fetch(0);
        } catch (e) {
            if (e.name !== "AbortError")
                put(alarm, failure(e));
        }
    }

    function onLive(type, event) {
        const card = cards.get(event.sessionId);

        if (type === "change" && event.state === "applied") {
            say(`${event.tool} ${baseName(event.path)}`);
            if (card && !event.withdrawn)
                card.add(event);
            clearTimeout(renewal);
            renewal = setTimeout(countAll, SOON);
        } else if (type === "early" && card) {
            card.add({
                ...event,
                early: true,
                changeId: "early " + event.path,
                timestamp: event.seenAt
            });
        }
        if (type === "change" || type === "conflict" || type === "fresh") {
            clearTimeout(timer);
            timer = setTimeout(look, SOON);
        }
    }

    put(place, el("h1", null, "Now"), alarm, alive,
        tabs("All",
            [
                ["sessions", "Sessions", to("now")],
                ["changes", "Changes", to("now", [], {list: "changes"})]
            ],
            name),
        hello, list.node);
    const off = onEvent(onLive);

    look();
    return {
        title: "Now",
        ready: countAll(),
        close() {
            off();
            control.abort();
            clearTimeout(timer);
            clearTimeout(renewal);
            pages.close();
            list.close();
        }
    };
}
