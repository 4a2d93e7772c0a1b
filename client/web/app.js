// The page: which view is shown, the keys that work everywhere, the token.
import {whenDenied} from "./base/api.js";
import {button, el, put, say} from "./base/dom.js";
import * as keys from "./base/keys.js";
import * as live from "./base/live.js";
import {failure, link} from "./base/parts.js";
import {go, parse, to} from "./base/route.js";
import * as token from "./base/token.js";
import {blameView} from "./views/blame.js";
import {diffView} from "./views/diff.js";
import {fileView} from "./views/file.js";
import {filesView} from "./views/files.js";
import {nowView} from "./views/now.js";
import {searchView} from "./views/search.js";
import {sessionView} from "./views/session.js";
import {statsView} from "./views/stats.js";

// Each is a function of (place, route) that fills `place` and returns
// { title, ready, close }.
const VIEWS = {
    now: nowView,
    files: filesView,
    file: fileView,
    session: sessionView,
    diff: diffView,
    blame: blameView,
    search: searchView,
    stats: statsView
};
const MENU = [
    ["now", "Now"], ["files", "Files"], ["search", "Search"], ["stats", "Stats"]
];
const PART_OF = {
    file: "files",
    blame: "files",
    diff: "files",
    session: "now"
};

const PATIENCE = 300;
const main = document.getElementById("main");
let shown = null;
let scrolls = new Map();  // address → its scroll position
let address = "";

function menu(view) {
    put(document.getElementById("nav"),
        MENU.map(([name, text]) => link(to(name), text, {
            "aria-current": name === (PART_OF[view] || view) ? "page" : null
        })));
}

function close() {
    main.removeAttribute("aria-busy");
    if (shown && shown.close)
        shown.close();
    shown = null;
    keys.setOwn({});
    keys.useList(null);
}

// Asks for the token: the API refuses all requests without it.
function gate() {
    const field = el("input", {
        type: "password",
        autocomplete: "off",
        "data-search": "",
        placeholder: "token or address"
    });

    close();
    document.title = "ccfc";
    put(main, el("h1", null, "This page needs its token"),
        el("p", null, "Run ", el("code", null, "ccfc web"), " again: it ",
            "opens the page. The token is kept in memory only, so a ",
            "reload forgets it; a link works as long as another tab ",
            "has the page."),
        el("form", {
            class: "bar",
            onsubmit: (e) => {
                e.preventDefault();
                if (token.fromText(field.value))
                    begin();
                else
                    keys.flash("this is not a token");
            }
        },
            el("label", {class: "field"},
                el("span", null, "Or paste the address that it prints"), field),
            el("button", {type: "submit"}, "Open")));
}

function show() {
    token.fromAddress();
    if (!token.current())
        return;
    if (location.hash === "#main") {
        main.focus();
        return;
    }
    scrolls.set(address, window.scrollY);
    address = location.hash;
    const route = parse(address);
    const view = VIEWS[route.view];

    close();
    menu(route.view);
    put(main);
    window.scrollTo(0, 0);
    if (!view) {
        put(main, failure({message: "there is no such view"}));
        return;
    }
    main.setAttribute("aria-busy", "true");
    const mine = shown = view(main, route);
    document.title = shown.title + " · ccfc";
    say(shown.title);
    main.dataset.view = route.view;
    const back = scrolls.get(address);

    // Lists are drawn in the next frame: scroll after them.
    mine.ready.finally(() => requestAnimationFrame(() => {
        if (shown !== mine)
            return;
        main.removeAttribute("aria-busy");
        if (back)
            window.scrollTo(0, back);
    }));
}

function otherTheme() {
    const root = document.documentElement;
    const dark = root.dataset.theme
        ? root.dataset.theme === "dark"
        : matchMedia("(prefers-color-scheme: dark)").matches;

    root.dataset.theme = dark ? "light" : "dark";
}

// Shows that the daemon is not reachable. When events arrive again, a view
// that failed is loaded again.
function onLive(type) {
    const note = document.getElementById("lost");

    if (type === "lost") {
        put(note, "not connected, trying again");
    } else if (note.firstChild) {
        put(note);
        if (main.querySelector(".failure"))
            show();
    }
}

function begin() {
    live.start();
    show();
}

function setUp() {
    keys.addGlobal("/", "goes to the search field",
        () => keys.focusSearch(() => go(to("search"))));
    MENU.forEach(([name, text], i) =>
                     keys.addGlobal(String(i + 1), text, () => go(to(name))));
    keys.addGlobal("y", "copies the link", keys.copyLink);
    keys.addGlobal("t", "light or dark", otherTheme);
    keys.addGlobal("?", "shows the keys", keys.help);
    live.onEvent(onLive);
    put(document.getElementById("tools"),
        el("span", {id: "lost", role: "status"}),
        button("Copy link", keys.copyLink), button("Theme", otherTheme),
        button("?", keys.help, {"aria-label": "Keys", title: "Keys"}));
    document.getElementById("skip").addEventListener("click", (e) => {
        e.preventDefault();
        main.focus();
    });
    window.addEventListener("hashchange", show);
    whenDenied(() => {
        token.forget();
        gate();
    });
    history.scrollRestoration = "manual";
}

function start() {
    setUp();
    token.listen(begin);
    token.fromAddress();
    menu(parse(location.hash).view);
    if (token.current()) {
        begin();
        return;
    }
    // Another tab with the token answers at once, if there is one.
    token.askOthers();
    setTimeout(() => token.current() || gate(), PATIENCE);
}

start();
