// The tree of changed files, and the filter for a typed text.

function addTo(node, file) {
    node.changes += file.changes;
    node.last = Math.max(node.last, file.last);
}

export function makeTree() {
    const root = {path: "", children: new Map(), changes: 0, last: 0};
    const files = [];
    const byPath = new Map();

    function add(row) {
        const file = {
            path: row.path,
            changes: row.changes,
            sessions: row.sessions,
            last: row.last_modified || 0
        };
        const parts = row.path.split("/").filter(Boolean);
        let node = root, path = "";

        addTo(root, file);
        for (const part of parts.slice(0, -1)) {
            path += "/" + part;
            if (!node.children.has(part + "/"))
                node.children.set(part + "/", {
                    path: path + "/",
                    children: new Map(),
                    changes: 0,
                    last: 0
                });
            node = node.children.get(part + "/");
            addTo(node, file);
        }
        node.children.set(parts[parts.length - 1] || row.path, file);
        files.push(file);
        byPath.set(row.path, file);
    }

    // Counts one more change of a file.
    function touch(path, last) {
        const file = byPath.get(path);

        if (!file) {
            add({path, changes: 1, sessions: 1, last_modified: last});
            files.unshift(files.pop());
            return;
        }
        for (const node of above(path).concat(file)) {
            node.changes++;
            node.last = Math.max(node.last, last);
        }
    }

    // The directories above a known file.
    function above(path) {
        const nodes = [root];

        for (const part of path.split("/").filter(Boolean).slice(0, -1))
            nodes.push(nodes[nodes.length - 1].children.get(part + "/"));
        return nodes;
    }

    // Opens the directories above the file that was changed last.
    function openFirst(opened) {
        let path = "";

        for (const part of (files[0] ? files[0].path : "")
                 .split("/")
                 .filter(Boolean)
                 .slice(0, -1)) {
            path += "/" + part;
            opened.add(path + "/");
        }
    }

    return {root, files, add, touch, openFirst};
}

// Directories first; within each kind the latest change first.
function sorted(node) {
    return [...node.children].sort(
        ([a, x], [b, y]) => Boolean(y.children) - Boolean(x.children) ||
            y.last - x.last || (a < b ? -1 : 1));
}

// The rows of the opened directories. A directory whose only entry is a
// directory shares one row with that entry.
export function visible(tree, opened) {
    const rows = [];
    const walk = (node, depth) => {
        for (let [name, child] of sorted(node)) {
            name = name.replace(/\/$/, "");
            while (child.children && child.children.size === 1) {
                const [[more, only]] = child.children;

                if (!only.children)
                    break;
                name += "/" + more.replace(/\/$/, "");
                child = only;
            }
            rows.push({node: child, depth, name: depth ? name : "/" + name});
            if (child.children && opened.has(child.path))
                walk(child, depth + 1);
        }
    };

    walk(tree.root, 0);
    return rows;
}

const PARTS = /\\.|\[!?\]?[^\]]*\]|\*\*\/?|[*?{},]|[^[*?{},\\]+|[[\\]/g;

// "src/**/*.{ts,tsx}" as a regular expression. A glob means what it means to
// the daemon (daemon/index/query/glob.h).
function globExpression(glob) {
    let depth = 0;
    const body = glob.match(PARTS).map((part) => {
        if (part === "?")
            return "[^/]";
        if (part === "*")
            return "[^/]*";
        if (part.startsWith("**"))
            return part === "**" ? ".*" : "(?:.*/)?";
        if (part.startsWith("[") && part.length > 2)
            return part.slice(0, -1)
                       .replace(/[\\\]^]/g, "\\$&")
                       .replace(/^\[!/, "[^") +
                "]";
        if (part === "{" || (part === "}" && depth)) {
            depth += part === "{" ? 1 : -1;
            return part === "{" ? "(?:" : ")";
        }
        if (part === "," && depth)
            return "|";
        return part.replace(/^\\(?=.)/, "")
            .replace(/[.+^$()|\\{}[\]*?]/g, "\\$&");
    });

    return new RegExp(
        (glob.startsWith("/") ? "^" : "(^|/)") + body.join("") + "$");
}

// The filter for a glob, or for words that must all occur in the path. A glob
// also matches literally, because a name may look like a glob: "[id].ts".
export function matcher(text) {
    if (/[*?[{]/.test(text)) {
        try {
            const glob = globExpression(text);

            return (file) => glob.test(file.path) || file.path.includes(text);
        } catch (e) {
            // A bracket or brace is still open.
            return (file) => file.path.includes(text);
        }
    }
    const words = text.toLowerCase().split(/\s+/);

    return (file) => {
        const path = file.path.toLowerCase();

        return words.every((word) => path.includes(word));
    };
}
