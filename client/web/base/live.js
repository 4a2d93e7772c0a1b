// Events as they happen. EventSource cannot send the token, so fetch reads the
// stream. Last-Event-ID resumes a broken stream after its last event. A hidden
// tab has no stream: a browser has only six connections to one server.
import {headers} from "./api.js";
import * as token from "./token.js";

const listeners = new Set();
let last = "";
let running = null;
let wait = 200;

function tell(type, event) {
    for (const listener of [...listeners])
        listener(type, event);
}

// Takes one event: the lines between two empty lines.
function takeBlock(block) {
    const got = {event: "message", data: ""};

    for (const line of block.split("\n")) {
        const [, name, value] = /^(\w+): ?(.*)$/.exec(line) || [];

        if (name === "id")
            last = value;
        else if (name)
            got[name] = value;
    }
    if (got.data)
        tell(got.event, JSON.parse(got.data));
}

async function read(signal) {
    const reply = await fetch("/api/events",
        {headers: headers(last ? {"Last-Event-ID": last} : {}), signal});

    if (!reply.ok)
        throw new Error("no events");
    const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";

    for (;;) {
        const {value, done} = await reader.read();

        if (done)
            return;
        wait = 200;
        text += value;
        const blocks = text.split("\n\n");

        text = blocks.pop();
        blocks.forEach(takeBlock);
    }
}

async function run() {
    const control = new AbortController();

    running = control;
    while (running === control && token.current()) {
        try {
            await read(control.signal);
        } catch (e) {
            if (control.signal.aborted)
                return;
        }
        tell("lost", {});
        await new Promise((done) => setTimeout(done, wait));
        wait = Math.min(wait * 2, 10000);
    }
}

function stop() {
    if (running)
        running.abort();
    running = null;
}

export function start() {
    stop();
    if (!document.hidden)
        run();
}

document.addEventListener(
    "visibilitychange", () => document.hidden ? stop() : start());

// Returns a function that removes the listener.
export function onEvent(listener) {
    listeners.add(listener);
    return () => listeners.delete(listener);
}
