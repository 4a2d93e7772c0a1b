// The tree of files, and which of them match what is typed.

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

    // One more change of a file.
    function touch(path, last) {
        const file = byPath.get(path);

        if (!file) {
            add({path, changes: 1, sessions: 1, last_modified: last});
            files.unshift(files.pop());
            return;
        }
        file.changes++;
        file.last = Math.max(file.last, last);
    }

    // Opens what leads to the file that was changed last.
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

// Directories first, each by how recent.
function sorted(node) {
    return [...node.children].sort(
        ([a, x], [b, y]) => Boolean(y.children) - Boolean(x.children) ||
            y.last - x.last || (a < b ? -1 : 1));
}

// The rows of the opened directories. A directory with one entry that is a
// directory is one row with it.
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

// "src/**/*.ts" as an expression.
function globExpression(glob) {
    const body = glob.replace(/[.+^$()|\\{}]/g, "\\$&")
                     .replace(/\*\*\/?|\*|\?/g,
                         (m) => m === "?" ? "[^/]"
                             : m === "*"  ? "[^/]*"
                                          : ".*");

    return new RegExp((glob.startsWith("/") ? "^" : "(^|/)") + body + "$");
}

// Which files are meant: by a glob, or by words that all occur in the path.
export function matcher(text) {
    if (/[*?[]/.test(text)) {
        try {
            const glob = globExpression(text);

            return (file) => glob.test(file.path);
        } catch (e) {
            return () => false;  // a bracket is still open
        }
    }
    const words = text.toLowerCase().split(/\s+/);

    return (file) => {
        const path = file.path.toLowerCase();

        return words.every((word) => path.includes(word));
    };
}
