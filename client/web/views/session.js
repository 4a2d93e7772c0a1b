// Session: what it was asked, what was said and done, its files, its net diff,
// its tasks, tokens and agents.
import {ask, segment} from "../base/api.js";
import {el, put} from "../base/dom.js";
import {List} from "../base/list.js";
import {onEvent} from "../base/live.js";
import {
    conflictNote,
    failure,
    fileLink,
    lines,
    link,
    pathText,
    status,
    tabs,
    toSession,
    when
} from "../base/parts.js";
import {to} from "../base/route.js";
import {
    count,
    firstLine,
    hue,
    inProject,
    several,
    short,
    span
} from "../base/text.js";
import {DiffRows} from "../diff/rows.js";
import {Messages} from "./messages.js";

const PROMPTS = 50;
const CONFLICTS = 50;
const AGAIN = 5000;  // ms; polls, because a message makes no event
const SOON = 300;    // ms; joins events that arrive together

function facts(s) {
    const t = s.tokenUsage;
    const rows = [
        ["Project", s.projectPath], ["Branch", s.gitBranch],
        ["Model", s.models.join(", ")],
        [
            "Time",
            [
                when(s.startTime),
                s.durationSeconds ? `, ${span(s.durationSeconds)}` : ""
            ]
        ],
        ["Messages", count(s.messageCount)],
        [
            "Changes",
            [
                several(s.totalChanges, "change") + " in " +
                    several(s.filesModifiedCount, "file"),
                s.shellChanges ? `, ${count(s.shellChanges)} by shell commands`
                               : "",
                s.unknownCommands
                    ? "; " + several(s.unknownCommands, "command") +
                        " with unknown effects"
                    : ""
            ]
        ],
        [
            "Tokens",
            `${short(t.input)} in, ${short(t.output)} out, ` +
                `${short(t.cacheRead)} from the cache, ` +
                `${short(t.cacheWrite)} into it`
        ],
        ["Tools", s.tools.map((x) => `${x.name} ${x.count}`).join(", ")]
    ];

    return el("dl", {class: "facts"},
        rows.filter(([, value]) => value).map(([name,
            value]) => [el("dt", null, name), el("dd", null, value)]));
}

function taskList(tasks, open) {
    const signs = {completed: "✓", in_progress: "▸", pending: "○"};

    if (!tasks.length)
        return null;
    return el("details", {class: "box", "data-name": "tasks", open},
        el("summary", null, `Tasks (${tasks.length})`),
        el("ul", {class: "plain"},
            tasks.map((task) => el("li", {class: "task " + task.status},
                          (signs[task.status] || "·") + " ", task.content || "",
                          el("span", {class: "unseen"}, " " + task.status)))));
}

// The user's prompts: the first as a quote, the others folded.
async function asked(id, signal) {
    const got = await ask(`sessions/${segment(id)}/messages`,
        {role: "user", limit: PROMPTS, maxContent: 2000}, signal);
    const all = got.messages.filter((m) => m.content && !m.isMeta &&
            !/^<(command|local-command)/.test(m.content.trim()));
    const item = (m) => el(
        "li", null, link(toSession(id, {message: m.id}), firstLine(m.content)));

    if (!all.length)
        return null;
    return el("section", {class: "box", "aria-label": "Asked"},
        el("h2", null, "Asked"), el("blockquote", null, all[0].content),
        all.length > 1 ? el("details", null,
                             el("summary", null,
                                 `${all.length - 1} more` +
                                     (got.totalMessages > PROMPTS
                                             ? " of the first messages"
                                             : "")),
                             el("ol", {class: "plain"}, all.slice(1).map(item)))
                       : null);
}

// The session's conflicts, the latest first.
async function conflictList(id, signal) {
    const got = await ask("conflicts", {session: id, limit: CONFLICTS}, signal);

    return el("details", {class: "box"},
        el("summary", null,
            several(got.totalConflicts, "conflict") +
                (got.truncated ? `, the last ${CONFLICTS}` : "")),
        got.conflicts.map(conflictNote));
}

// --- the tabs ---

const NOTHING = "This session changed no file.";

// Commands with unknown effects.
function commandList(commands) {
    return commands.length
        ? el("details", {class: "box"},
              el("summary", null,
                  several(commands.length, "command") +
                      " with unknown effects"),
              el("ul", {class: "plain"},
                  commands.map(
                      (c) => el("li", null,
                          el("code", null, firstLine(c.command, 200))))))
        : null;
}

function filesTab(id, session) {
    let files = [];
    const list = new List("Files", 30, (i) => {
        const f = files[i];

        return el("div", {class: "line"},
            fileLink(f.path, pathText(inProject(f.path, session.projectPath)),
                {class: "grow pathtext"}),
            el("span", {class: "faint wideonly"}, f.toolsUsed.join(", ")),
            el("span", {class: "faint operation"}, f.operation || ""),
            lines(f.linesAdded, f.linesRemoved),
            el("span", {class: "faint changes wideonly"},
                several(f.changeCount, "change")),
            link(to("diff", [], {session: id, path: f.path}), "diff",
                {"data-main": ""}));
    });
    const note = el("p", {class: "faint"}, "…");
    const commands = el("div");
    const load = () => ask(`sessions/${segment(id)}/files`,
        {includeChanges:
                false}).then((got) => {
        files = got.files;
        put(note,
            files.length ? several(got.totalFilesChanged, "file") : NOTHING);
        put(commands, commandList(got.commands));
        list.setCount(files.length);
        list.refresh();
    }, (e) => put(note, failure(e)));

    return {
        node: el("div", null, note, list.node, commands),
        ready: load(),
        renew: load,
        close: () => list.close()
    };
}

function diffTab(id) {
    const node = el("div", null, "…");
    const tab = {node, close() {}};

    tab.ready = ask(`sessions/${segment(id)}/diff`, {net: true}).then((got) => {
        if (!got.diffs.length) {
            put(node, el("p", {class: "faint"}, NOTHING));
            return;
        }
        const rows = new DiffRows(got.diffs, false);

        put(node,
            el("p", {class: "bar"}, lines(got.totalAdded, got.totalRemoved),
                link(to("diff", [], {session: id}), "side by side")),
            rows.node);
        tab.close = () => rows.close();
    }, (e) => put(node, failure(e)));
    return tab;
}

function agentsTab(id) {
    const node = el("div", null, "…");

    const ready =
        ask("stats", {session: id, by: "agent", limit: 1000}).then((got) => {
            const rows = got.rows.map(
                (r) => el("tr", null,
                    el("th", {scope: "row"},
                        r.key === "main"
                            ? "the session " +
                                "itself"
                            : link(toSession(id, {agent: r.key}), r.key)),
                    el("td", null, count(r.messages)),
                    el("td", null, count(r.toolCalls)),
                    el("td", null, count(r.changes)),
                    el("td", null,
                        short(r.tokenUsage ? r.tokenUsage.output : 0))));

            put(node,
                el("div", {class: "wide"},
                    el("table", null,
                        el("thead", null,
                            el("tr", null,
                                [
                                    "Agent", "Messages", "Calls", "Changes",
                                    "Tokens out"
                                ].map((t) => el("th", {scope: "col"}, t)))),
                        el("tbody", null, rows))));
        }, (e) => put(node, failure(e)));
    return {node, ready, close() {}};
}

function messagesTab(id, session, query) {
    const messages = new Messages(id, query, session.projectPath);

    return {
        node: el("div", null,
            query.agent ? el("p", null, "Agent ", el("code", null, query.agent),
                              " · ", link(toSession(id), "the session itself"))
                        : null,
            messages.node),
        ready: messages.ready,
        renew: () => messages.renew(),
        close: () => messages.close()
    };
}

const TABS = {
    messages: messagesTab,
    files: filesTab,
    diff: diffTab,
    agents: agentsTab
};

export function sessionView(place, {rest: [id = ""], query}) {
    const control = new AbortController();
    const name = TABS[query.tab] ? query.tab : "messages";
    const head = el("div", null, el("h1", null, "Session"));
    const clashes = el("div");
    const prompts = el("div");
    const where = el("div");
    const open = {about: window.innerWidth > 700 && !query.message};
    let tab = {close() {}};
    let closed = false;
    let timer = 0;
    let session = null;
    let known = 0;  // conflicts that are shown

    async function load() {
        const s = await ask(
            `sessions/${segment(id)}`, {includeContent: false}, control.signal);

        for (const node of head.querySelectorAll("details"))
            open[node.dataset.name] = node.open;
        put(head,
            el("h1", null, el("span", {class: "dot big " + hue(s.id)}),
                s.title || s.id, " ", status(s.status)),
            el("p", {class: "path"}, s.id),
            el("details",
                {class: "box", "data-name": "about", open: open.about},
                el("summary", null, "About"), facts(s)),
            taskList(s.tasks, open.tasks));
        document.title = (s.title || s.id) + " · ccfc";
        if (s.conflictCount && s.conflictCount !== known) {
            known = s.conflictCount;
            conflictList(s.id, control.signal)
                .then((node) => put(clashes, node), () => {});
        }
        return s;
    }

    // Polls a live session, because new messages make no event.
    function watch(s) {
        clearTimeout(timer);
        if (closed || !/^(active|waiting)$/.test(s.status))
            return;
        timer = setTimeout(() => renew(s), AGAIN);
    }

    async function renew(before) {
        try {
            const s = await load();

            if (!closed && tab.renew && s.endTime !== before.endTime)
                tab.renew();
            watch(s);
        } catch (e) {
            watch(before);
        }
    }

    async function begin() {
        try {
            const s = session = await load();
            const all = [
                ["messages", "Messages"],
                ["files", `Files (${s.filesModifiedCount})`],
                ["diff", "Net diff"], ["agents", `Agents (${s.agents.count})`]
            ];

            // The prompts come first, because they would move the messages,
            // and the daemon is asked for one page at a time (base/pages.js).
            await asked(s.id, control.signal)
                .then((node) => put(prompts, node), () => {});
            if (closed)
                return;
            tab = TABS[name](s.id, s, query);
            put(where,
                tabs("Parts", all.map(([t,
                    text]) => [t, text, toSession(s.id, {tab: t})]),
                    name),
                tab.node);
            watch(s);
            await tab.ready;
        } catch (e) {
            if (e.name !== "AbortError")
                put(head, el("h1", null, "Session"), failure(e));
        }
    }

    put(place, head, clashes, prompts, where);
    const off = onEvent((type, event) => {
        if (type !== "change" || !session || event.sessionId !== session.id)
            return;
        clearTimeout(timer);
        timer = setTimeout(() => renew({...session, endTime: null}), SOON);
    });

    return {
        title: "Session",
        ready: begin(),
        close() {
            closed = true;
            clearTimeout(timer);
            off();
            control.abort();
            tab.close();
        }
    };
}
