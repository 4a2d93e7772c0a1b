// Addresses of views: "#/session/ID?tab=files". The fragment never leaves the
// browser.

export function parse(hash) {
    const [path, query] = (hash || "").replace(/^#\/?/, "").split(/\?(.*)/s);
    const parts = path.split("/").filter(Boolean).map((part) => {
        try {
            return decodeURIComponent(part);
        } catch (e) {
            return part;
        }
    });

    return {
        view: parts[0] || "now",
        rest: parts.slice(1),
        query: Object.fromEntries(new URLSearchParams(query || ""))
    };
}

// to("session", [ID], { tab: "files" })
export function to(view, rest = [], query = {}) {
    const params = new URLSearchParams();

    for (const [name, value] of Object.entries(query))
        if (value !== undefined && value !== null && value !== "" &&
            value !== false)
            params.set(name, value);
    const text = params.toString();

    return "#/" + [view, ...rest].map(encodeURIComponent).join("/") +
        (text ? "?" + text : "");
}

export const toSession = (id, query) => to("session", [id], query);
export const toFile = (path) => to("file", [], {path});
export const toChange = (change) => to("diff", [], {change});
export const toBlame = (path, at) => to("blame", [], {path, at});

export function go(hash) {
    location.hash = hash;
}

// The same view with another query: no new entry in the history.
export function amend(query) {
    const now = parse(location.hash);

    history.replaceState(
        null, "", to(now.view, now.rest, {...now.query, ...query}));
}
