// The keyboard. A view adds keys of its own; the list that was used last gets
// the arrow keys.
import {button, el, put, say} from "./dom.js";

const GLOBAL = new Map();
let own = new Map();
let list = null;

// key → [what it does, action]
export function addGlobal(key, about, act) {
    GLOBAL.set(key, [about, act]);
}

export function setOwn(keys) {
    own = new Map(Object.entries(keys || {}));
}

export function addOwn(key, about, act) {
    own.set(key, [about, act]);
}

export function useList(which) {
    list = which;
}

const MOVES =
    ["ArrowDown", "ArrowUp", "PageDown", "PageUp", "Home", "End", "Enter"];

function isTyping(target) {
    return /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) &&
        !/^(checkbox|radio|button)$/.test(target.type);
}

function onKey(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing)
        return;
    if (isTyping(event.target)) {
        const down = event.key === "ArrowDown" &&
            event.target.type !== "range" && event.target.tagName === "INPUT";

        if (event.key === "Escape")
            event.target.blur();
        else if (down && list && list.key("ArrowDown", true))
            event.preventDefault();
        return;
    }
    if (document.querySelector("dialog[open]"))
        return;
    const named = own.get(event.key) || GLOBAL.get(event.key);

    if (named) {
        event.preventDefault();
        named[1]();
    } else if (MOVES.includes(event.key) && list && list.key(event.key)) {
        event.preventDefault();
    }
}

const SHOWN = {
    ArrowLeft: "←",
    ArrowRight: "→"
};

function rows(keys) {
    return [...keys].map(
        ([key, [about]]) => el("tr", null,
            el("th", {scope: "row"}, el("kbd", null, SHOWN[key] || key)),
            el("td", null, about)));
}

export function help() {
    const old = document.querySelector("dialog");

    if (old)
        old.remove();
    const dialog = el("dialog", {"aria-label": "Keys"}, el("h2", null, "Keys"),
        el("table", null, el("tbody", null, rows(GLOBAL), rows(own), rows([
            ["↑ ↓", ["moves in the list"]], ["Enter", ["opens the row"]],
            ["Esc", ["leaves a field"]]
        ]))),
        button("Close", () => dialog.close()));

    document.body.append(dialog);
    dialog.showModal();
}

// Focuses the view's search field; without one, calls `otherwise`.
export function focusSearch(otherwise) {
    const field = document.querySelector("main [data-search]");

    if (!field) {
        otherwise();
        return;
    }
    field.focus();
    field.select();
}

export async function copyLink() {
    try {
        await navigator.clipboard.writeText(location.href);
        say("The link was copied.");
        flash("link copied");
    } catch (e) {
        flash("the address bar has the link");
    }
}

// Shows a short text for two seconds.
export function flash(text) {
    const old = document.querySelector(".flash");

    if (old)
        old.remove();
    const note = put(el("div", {class: "flash"}), text);

    document.body.append(note);
    setTimeout(() => note.remove(), 2000);
}

document.addEventListener("keydown", onKey);
