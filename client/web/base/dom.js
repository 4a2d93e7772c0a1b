// Elements. Strings become text nodes and nothing else: no markup is ever
// parsed, so a transcript cannot inject any (tests/func/web/page_lint.py).
import {clean} from "./text.js";

// Attributes that may be set. No style, no src, and href only to a view.
const ATTRIBUTES = new Set([
    "class", "id", "href", "type", "value", "name", "title", "role", "tabindex",
    "for", "min", "max", "step", "placeholder", "open", "checked", "selected",
    "disabled", "autocomplete", "spellcheck", "scope", "colspan", "datetime",
    "x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "r", "width", "height",
    "viewBox", "d", "points", "text-anchor", "preserveAspectRatio",
    "enterkeyhint"
]);

function set(node, name, value) {
    if (value === undefined || value === null || value === false)
        return;
    if (name.startsWith("on")) {
        node.addEventListener(name.slice(2), value);
        return;
    }
    if (!ATTRIBUTES.has(name) && !/^(aria|data)-[a-z]+$/.test(name))
        throw new Error("attribute " + name);
    if (name === "href" && !/^#\//.test(value))
        throw new Error("a link must lead to a view");
    node.setAttribute(name, value === true ? "" : clean(value));
}

function add(node, child) {
    if (Array.isArray(child))
        child.forEach((c) => add(node, c));
    else if (child instanceof Node)
        node.append(child);
    else if (child !== null && child !== undefined && child !== false)
        node.append(document.createTextNode(clean(child)));
}

function fill(node, props, children) {
    for (const [name, value] of Object.entries(props || {}))
        set(node, name, value);
    add(node, children);
    return node;
}

export function el(tag, props, ...children) {
    return fill(document.createElement(tag), props, children);
}

export function svg(tag, props, ...children) {
    return fill(document.createElementNS("http://www.w3.org/2000/svg", tag),
        props, children);
}

// Replaces the children of `node`.
export function put(node, ...children) {
    node.replaceChildren();
    add(node, children);
    return node;
}

// As `put`, but a focused link keeps the focus if it is there again.
export function replace(node, ...children) {
    const active = document.activeElement;
    const href = node.contains(active) && active.getAttribute("href");

    put(node, ...children);
    const same = href &&
        [...node.querySelectorAll("a")].find(
            (a) => a.getAttribute("href") === href);

    if (same)
        same.focus({preventScroll: true});
}

// For screen readers only.
export const unseen = (text) => el("span", {class: "unseen"}, text);

// Says something to screen readers, without moving the focus.
export function say(text) {
    put(document.getElementById("said"), text);
}

export function button(text, act, props) {
    return el("button", {type: "button", onclick: act, ...props}, text);
}
