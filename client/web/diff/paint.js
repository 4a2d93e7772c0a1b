// Asks the worker for the colours of a text. If a text takes too long, the
// worker is ended: waiting texts get no colours, and the next text starts a new
// worker.
const LONGEST = 400000;
const PATIENCE = 3000;
let worker = null;
let next = 1;
const waiting = new Map();

function begin() {
    worker = new Worker("/colours.js");
    worker.onmessage = ({data}) => {
        const done = waiting.get(data.id);

        if (done)
            done(data.lines);
    };
    worker.onerror = end;
}

function end() {
    if (worker)
        worker.terminate();
    worker = null;
    for (const done of [...waiting.values()])
        done(null);
}

const NAMES = {
    Makefile: "makefile",
    Dockerfile: "dockerfile",
    "CMakeLists.txt": "cmake",
    ".bashrc": "bash",
    ".zshrc": "bash"
};

export function languageOf(path) {
    const name = (path || "").split("/").pop();

    return NAMES[name] || name.split(".").slice(1).pop() || "";
}

// Promises the colours of each line, or null.
export function paint(path, text) {
    const language = languageOf(path).toLowerCase();

    if (!language || !text || text.length > LONGEST)
        return Promise.resolve(null);
    if (!worker)
        begin();
    return new Promise((resolve) => {
        const id = next++;
        const timer = setTimeout(end, PATIENCE);

        waiting.set(id, (lines) => {
            clearTimeout(timer);
            waiting.delete(id);
            resolve(lines);
        });
        worker.postMessage({id, language, text});
    });
}
