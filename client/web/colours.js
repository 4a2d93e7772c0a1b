// Colours program text in a worker: some regular expressions of highlight.js
// take for ever on some texts, and a worker can be ended (diff/paint.js). This
// file parses the markup of highlight.js; the page gets lengths and classes.
import hljs from "highlight.js/lib/highlight.js";
import bash from "highlight.js/lib/languages/bash.js";
import clojure from "highlight.js/lib/languages/clojure.js";
import cmake from "highlight.js/lib/languages/cmake.js";
import cpp from "highlight.js/lib/languages/cpp.js";
import cs from "highlight.js/lib/languages/cs.js";
import css from "highlight.js/lib/languages/css.js";
import dart from "highlight.js/lib/languages/dart.js";
import dockerfile from "highlight.js/lib/languages/dockerfile.js";
import elixir from "highlight.js/lib/languages/elixir.js";
import go from "highlight.js/lib/languages/go.js";
import haskell from "highlight.js/lib/languages/haskell.js";
import ini from "highlight.js/lib/languages/ini.js";
import java from "highlight.js/lib/languages/java.js";
import javascript from "highlight.js/lib/languages/javascript.js";
import json from "highlight.js/lib/languages/json.js";
import kotlin from "highlight.js/lib/languages/kotlin.js";
import lisp from "highlight.js/lib/languages/lisp.js";
import lua from "highlight.js/lib/languages/lua.js";
import makefile from "highlight.js/lib/languages/makefile.js";
import markdown from "highlight.js/lib/languages/markdown.js";
import ocaml from "highlight.js/lib/languages/ocaml.js";
import perl from "highlight.js/lib/languages/perl.js";
import php from "highlight.js/lib/languages/php.js";
import python from "highlight.js/lib/languages/python.js";
import ruby from "highlight.js/lib/languages/ruby.js";
import rust from "highlight.js/lib/languages/rust.js";
import scala from "highlight.js/lib/languages/scala.js";
import scss from "highlight.js/lib/languages/scss.js";
import sql from "highlight.js/lib/languages/sql.js";
import swift from "highlight.js/lib/languages/swift.js";
import typescript from "highlight.js/lib/languages/typescript.js";
import vim from "highlight.js/lib/languages/vim.js";
import xml from "highlight.js/lib/languages/xml.js";
import yaml from "highlight.js/lib/languages/yaml.js";

const ALL = {
    bash,
    clojure,
    cmake,
    cpp,
    cs,
    css,
    dart,
    dockerfile,
    elixir,
    go,
    haskell,
    ini,
    java,
    javascript,
    json,
    kotlin,
    lisp,
    lua,
    makefile,
    markdown,
    ocaml,
    perl,
    php,
    python,
    ruby,
    rust,
    scala,
    scss,
    sql,
    swift,
    typescript,
    vim,
    xml,
    yaml
};
// File endings whose language is set here, not by highlight.js.
const OTHER = {
    fish: "bash",
    cxx: "cpp",
    ino: "cpp",
    toml: "ini",
    conf: "ini",
    service: "ini",
    mjs: "javascript",
    cjs: "javascript",
    jsonl: "json",
    el: "lisp",
    scm: "lisp",
    mts: "typescript",
    cts: "typescript",
    vue: "xml",
    svelte: "xml"
};

// This highlight.js gets no security updates, and the texts are not trusted.
// It is confined to a worker, and to the time that the page waits.
hljs.configure({hideUpgradeWarningAcceptNoSupportOrSecurityUpdates: true});
for (const [name, language] of Object.entries(ALL))
    hljs.registerLanguage(name, language);

const PIECE = /<span class="([^"]*)">|<\/span>|&(amp|lt|gt|quot|#x27);|[^<&]+/g;

// One array for each line: length, class, length, class …
function tokens(markup) {
    const lines = [[]];
    const stack = [];
    const take = (text) => text.split("\n").forEach((part, i) => {
        if (i)
            lines.push([]);
        if (part)
            lines[lines.length - 1].push(
                part.length, stack[stack.length - 1] || "");
    });

    for (const [piece, name, entity] of markup.matchAll(PIECE)) {
        if (name !== undefined)
            stack.push(name.replace(/^hljs-/, "").split(" ")[0]);
        else if (piece === "</span>")
            stack.pop();
        else
            take(entity ? "x" : piece);
    }
    return lines;
}

self.onmessage = ({data: {id, language, text}}) => {
    const name = OTHER[language] || language;

    self.postMessage({
        id,
        lines: hljs.getLanguage(name)
            ? tokens(hljs.highlight(name, text, true).value)
            : null
    });
};
