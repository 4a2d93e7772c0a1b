// The messages of a session, folded to a line each. An opened message shows its
// text, its calls (a change as its diff) and the results.
import {ask, segment} from "../base/api.js";
import {el, put} from "../base/dom.js";
import {List} from "../base/list.js";
import {Pages} from "../base/pages.js";
import {changeLink, failure, link, toSession} from "../base/parts.js";
import {amend} from "../base/route.js";
import {callText, firstLine, time} from "../base/text.js";
import {smallDiff} from "../diff/rows.js";

const CUT = 1500;  // bytes of a text in the list
const WHOLE = 2000000;

function summary(m, project) {
    if (m.content && m.content.trim())
        return firstLine(m.content);
    if ((m.toolCalls || []).length)
        return m.toolCalls.map((c) => callText(c, project)).join("  ·  ");
    if ((m.toolResults || []).length)
        return firstLine(m.toolResults[0].output || "(no output)");
    return m.thinking ? "(thinking)" : m.subtype || m.type || "";
}

function kindOf(m) {
    if ((m.toolResults || []).length)
        return m.toolResults.some((r) => r.isError) ? "error" : "result";
    return !m.content && (m.toolCalls || []).length ? "call" : m.role;
}

// The state of a call that was not applied.
function outcome(m) {
    const states = (m.toolCalls || [])
                       .map((c) => c.state)
                       .filter((s) => s && s !== "applied");

    return states.length ? el("span", {class: "status failed"}, states[0])
                         : null;
}

// Text as it is, folded under its title unless `open`.
function block(title, text, open) {
    return el("details", {open}, el("summary", null, title),
        el("pre", {tabindex: "0"}, text));
}

function inputText(input) {
    return typeof input === "string"
        ? input
        : JSON.stringify(input, null, 2).replace(/\\n/g, "\n");
}

function call(session, c) {
    const node = el("div", {class: "call"}, el("strong", null, c.name || ""),
        " ", c.input && c.input.file_path || c.input && c.input.command || "",
        c.agent ?
            [
                " ",
                link(toSession(session, {agent: c.agent.agentId}),
                    "agent " + (c.agent.agentType || c.agent.agentId))
            ] :
            null);

    if (!c.state) {
        if (c.input)
            node.append(block("input", inputText(c.input)));
        return node;
    }
    const place = el("div", null, "…");

    node.append(" ", el("span", {class: "badge"}, c.state), " ",
        changeLink(c.id, "change"), place);
    ask(`changes/${segment(c.id)}`, {maxContent: 0})
        .then((change) => put(place, smallDiff(change)),
            (e) => put(place,
                c.input ? block("input", inputText(c.input)) : failure(e)));
    return node;
}

function body(session, m) {
    return el("div", {class: "messagebody"},
        m.thinking ? block("thinking", m.thinking) : null,
        m.content ? el("pre", {class: "said", tabindex: "0"}, m.content) : null,
        (m.toolCalls || []).map((c) => call(session, c)),
        (m.toolResults || [])
            .map(
                (r) => block(r.isError ? "error" : "result",
                    r.output || "(no output)", (r.output || "").length < 2000)),
        m.truncated ? el("p", {class: "faint"}, "cut") : null);
}

export class Messages {
    constructor(session, query, project) {
        this.session = session;
        this.project = project;
        this.query = query;
        this.opened = new Map();  // index → the whole message, or null
        this.url = `sessions/${segment(session)}/messages`;
        this.list = new List("Messages", 28, (i) => this.draw(i));
        this.alarm = el("div");
        this.node = el("div", null, this.alarm, this.list.node);
        this.pages = new Pages(100,
            (offset, limit, signal) =>
                this.load({offset, limit, maxContent: CUT}, signal),
            () => this.loaded());
        this.ready = this.begin();
    }

    async load(params, signal) {
        const got = await ask(this.url, {
            agentId: this.query.agent,
            role: this.query.role,
            includeThinking: true,
            ...params
        },
            signal);

        return {
            rows: got.messages,
            total: got.totalMessages,
            offset: got.offset
        };
    }

    loaded() {
        if (this.pages.failed)
            put(this.alarm, failure(this.pages.failed));
        this.list.setCount(this.pages.total || 0);
        this.list.refresh();
    }

    // Opens the message that the address names.
    async begin() {
        await this.pages.fetch(0);
        if (!this.query.message)
            return;
        try {
            const got = await this.load(
                {message: this.query.message, limit: 1, maxContent: WHOLE});
            const index = got.offset +
                got.rows.findIndex(
                    (m) => (m.id || "").startsWith(this.query.message));

            this.opened.set(index, got.rows[0]);
            this.list.refresh();
            this.list.focus(index, true);
        } catch (e) {
            put(this.alarm, failure(e));
        }
    }

    async toggle(index, m) {
        if (this.opened.delete(index)) {
            amend({message: null});
        } else {
            this.opened.set(index, m);
            amend({message: m.id});
            if (m.truncated && m.id)
                await this.loadWhole(index, m);
        }
        this.list.refresh(index);
    }

    async loadWhole(index, m) {
        try {
            const got =
                await this.load({message: m.id, limit: 1, maxContent: WHOLE});
            const whole = got.rows.find((row) => row.id === m.id);

            if (whole)
                this.opened.set(index, whole);
        } catch (e) {
            // The cut message stays.
        }
    }

    draw(index) {
        const m = this.pages.get(index) || this.opened.get(index);
        const open = this.opened.get(index);

        if (!m)
            return el("div", {class: "line faint"}, "…");
        const head = el("button", {
            type: "button",
            "data-main": "",
            class: "plainbutton line message " + kindOf(m),
            "aria-expanded": open ? "true" : "false",
            onclick: () => this.toggle(index, m)
        },
            el("span", {class: "faint fixed", title: time(m.timestamp)},
                el("span", {class: "wideonly"}, time(m.timestamp).slice(5)),
                el("span", {class: "phoneonly"},
                    time(m.timestamp).slice(11, 16))),
            " ", el("span", {class: "role"}, kindOf(m)), " ",
            el("span", {class: "grow"}, summary(m, this.project)), outcome(m));

        return el("div", {class: open ? "open" : ""}, head,
            open ? body(this.session, open) : null);
    }

    // Renews all rows and fetches the last page, after new lines.
    async renew() {
        this.pages.again();
        await this.pages.fetch(
            Math.max(0, Math.floor(((this.pages.total || 1) - 1) / 100)));
    }

    close() {
        this.pages.close();
        this.list.close();
    }
}
