// Diff: one change, or what a session did to its files; side by side or
// unified, hunks or whole files.
import {ask, segment} from "../base/api.js";
import {button, el, put} from "../base/dom.js";
import {addOwn} from "../base/keys.js";
import {
    doubt,
    failure,
    fileLink,
    link,
    sessionMark,
    toBlame,
    toChange,
    toSession,
    when
} from "../base/parts.js";
import {amend, go} from "../base/route.js";
import {baseName, firstLine, time} from "../base/text.js";
import {DiffRows} from "../diff/rows.js";

const WHOLE = 100000;

function changeHead(c) {
    return [
        el("h1", null, baseName(c.path)),
        el("p", {class: "path"}, fileLink(c.path)),
        el("p", null, c.tool || "", " by ", sessionMark(c.sessionId),
            c.agentId ? ` (agent ${c.agentType || c.agentId})` : "", " · ",
            when(c.timestamp), c.model ? " · " + c.model : "", " · ",
            el("span", {class: "badge"}, c.state),
            c.evidence !== "result"
                ? [" ", el("span", {class: "badge"}, c.evidence)]
                : null,
            c.conflict ? [" ", el("span", {class: "status failed"}, c.conflict)]
                       : null),
        c.command ? el("p", null, el("code", null, c.command)) : null,
        c.promptFull || c.prompt
            ? el("blockquote", null, c.promptFull || c.prompt)
            : null,
        (c.candidates || []).length
            ? el("p", {class: "doubt"}, "It may also have been: ",
                  c.candidates.map((x) => [sessionMark(x.sessionId), " ",
                                       x.command || x.tool, " "]))
            : null,
        c.permission
            ? el("p", {class: "faint"}, `permission: ${c.permission.decision}`,
                  c.permission.source ? ` (${c.permission.source})` : "")
                                      : null,
        c.commit ? el("p", {class: "faint"}, "commit ",
                       el("code", null, c.commit.sha))
                 : null,
        doubt(c.fidelity, c.why)
    ];
}

const toMessage = (c) =>
    toSession(c.sessionId, {message: c.messageUuid, agent: c.agentId});

// The changes of the same file before and after this one.
async function neighbours(c, signal) {
    const {steps} =
        await ask(`files/${segment(c.path)}/log`, {limit: 1000}, signal);
    const changes = steps.filter((s) => s.kind === "change");
    const at = changes.findIndex((s) => s.changeId === c.changeId);

    return at < 0 ? {} : {later: changes[at - 1], earlier: changes[at + 1]};
}

function neighbourLink(step, text) {
    return step ? link(toChange(step.changeId), text, {
        title:
            [time(step.timestamp), step.tool, firstLine(step.prompt || "", 120)]
                .filter(Boolean)
                .join(" · ")
    })
                : null;
}

async function load(query, context, signal) {
    if (query.change) {
        const c = await ask(`changes/${segment(query.change)}`,
            {context, maxContent: 0}, signal);

        return {
            title: baseName(c.path),
            head: changeHead(c),
            // The head shows these two already.
            files: [{...c, changeId: null, fidelity: null}],
            links: [
                link(toBlame(c.path, c.changeId), "Blame"),
                c.messageUuid ? link(toMessage(c), "In the session") : null
            ],
            near: c.state === "applied" ? neighbours(c, signal) : null
        };
    }
    const got = await ask(`sessions/${segment(query.session || "")}/diff`,
        {net: query.each ? undefined : true, paths: query.path, context},
        signal);

    return {
        title: "Net diff",
        files: got.diffs,
        links: [],
        head: [
            el("h1", null, query.path ? baseName(query.path) : "Net diff"),
            el("p", null, "What ", sessionMark(got.sessionId), " changed")
        ]
    };
}

export function diffView(place, {query}) {
    const control = new AbortController();
    const head = el("div");
    const where = el("div", null, el("p", {class: "faint"}, "…"));
    let split =
        query.layout ? query.layout === "split" : window.innerWidth > 1000;
    let whole = query.context === "all";
    let rows = null;
    let near = {};

    async function show() {
        try {
            const got = await load(query, whole ? WHOLE : 3, control.signal);

            if (rows)
                rows.close();
            rows = new DiffRows(got.files, split);
            document.title = got.title + " · ccfc";
            put(head, got.head,
                el("div", {class: "bar"}, got.links, layout, size, ways));
            put(where, rows.node);
            showNear(got.near);
        } catch (e) {
            if (e.name !== "AbortError")
                put(where, failure(e));
        }
    }

    function otherLayout() {
        split = !split;
        amend({layout: split ? "split" : "unified"});
        name();
        if (rows)
            rows.setSplit(split);
    }

    function otherSize() {
        whole = !whole;
        amend({context: whole ? "all" : null});
        name();
        show();
    }

    async function showNear(promise) {
        try {
            near = await promise || {};
            put(ways, neighbourLink(near.earlier, "‹ earlier change"),
                neighbourLink(near.later, "later change ›"));
        } catch (e) {
            // Without a history there are no neighbours.
        }
    }

    function walk(where) {
        if (near[where])
            go(toChange(near[where].changeId));
    }

    const ways = el("span", {class: "bar ways"});
    const layout = button("", otherLayout);
    const size = button("", otherSize);

    function name() {
        put(layout, split ? "Unified" : "Side by side");
        put(size, whole ? "Hunks only" : "Whole file");
    }

    name();
    addOwn("u", "unified or side by side", otherLayout);
    addOwn("w", "whole file or hunks", otherSize);
    addOwn("[", "the file's earlier change", () => walk("earlier"));
    addOwn("]", "the file's later change", () => walk("later"));
    put(place, head, where);
    return {
        title: "Diff",
        ready: show(),
        close() {
            control.abort();
            if (rows)
                rows.close();
        }
    };
}
