// A list of any length, of which only the visible rows exist. The window
// scrolls the list. Rows have one height; an opened row is as tall as it needs.
import {el} from "./dom.js";
import {useList} from "./keys.js";

// Browsers cannot make an element taller than some 17 million pixels. The rows
// of a taller list move further than the scroll bar.
const TALLEST = 15e6;
const MORE = 8;  // rows drawn beyond each edge

export class List {
    // row(index) → element. An element of the class `open` is measured.
    constructor(label, height, row) {
        this.height = height;
        this.row = row;
        this.count = 0;
        this.at = -1;
        this.frame = 0;
        this.rows = new Map();
        this.extra = new Map();  // index of an opened row → its extra height
        this.node =
            el("div", {class: "list", role: "list", "aria-label": label});
        this.sizes = new ResizeObserver((all) => this.measure(all));
        this.moved = () => this.soon();
        window.addEventListener("scroll", this.moved, {passive: true});
        window.addEventListener("resize", this.moved);
        this.node.addEventListener("focusin", (e) => this.focused(e));
        useList(this);
    }

    close() {
        window.removeEventListener("scroll", this.moved);
        window.removeEventListener("resize", this.moved);
        this.sizes.disconnect();
        cancelAnimationFrame(this.frame);
        useList(null);
    }

    setCount(count) {
        if (count < this.count)
            for (const index of [...this.extra.keys()])
                if (index >= count)
                    this.extra.delete(index);
        this.count = count;
        this.soon();
    }

    // Draws all rows anew, or one.
    refresh(index) {
        if (index === undefined) {
            this.stale = true;
        } else {
            this.drop(index);
        }
        this.soon();
    }

    // Draws in the next frame. A pending request is kept, because the list
    // needs its height before app.js restores the scroll position.
    soon() {
        if (!this.frame)
            this.frame = requestAnimationFrame(() => {
                this.frame = 0;
                this.draw();
            });
    }

    // --- where rows are ---

    tops() {
        let sum = 0;

        return [...this.extra].sort((a, b) => a[0] - b[0]).map(([
            index, more
        ]) => [index, sum += more]);
    }

    top(index) {
        let more = 0;

        for (const [i, extra] of this.extra)
            if (i < index)
                more += extra;
        return index * this.height + more;
    }

    indexAt(y) {
        let before = 0;

        for (const [index, sum] of this.tops()) {
            const top = index * this.height + before;

            if (y < top)
                break;
            if (y < (index + 1) * this.height + sum)
                return index;
            before = sum;
        }
        return Math.floor((y - before) / this.height);
    }

    // The position of the list in the window.
    view() {
        const whole = this.top(this.count);
        const tall = Math.min(whole, TALLEST);
        const box = this.node.getBoundingClientRect();
        const seen = window.innerHeight;
        const y = Math.max(0, -box.top);
        const way = Math.max(1, tall - seen);
        const scaled = whole > tall ? y / way * (whole - seen) : y;

        return {
            whole,
            tall,
            y,
            scaled,
            from: scaled,
            to: scaled + seen - Math.max(0, box.top)
        };
    }

    // --- drawing ---

    drop(index) {
        const node = this.rows.get(index);

        if (!node)
            return;
        this.sizes.unobserve(node);
        this.rows.delete(index);
        node.remove();
    }

    make(index) {
        const node = this.row(index);

        node.classList.add("row");
        node.setAttribute("role", "listitem");
        node.setAttribute("aria-setsize", this.count);
        node.setAttribute("aria-posinset", index + 1);
        node.tabIndex =
            index === this.at || (this.at < 0 && index === 0) ? 0 : -1;
        node.dataset.index = index;
        this.rows.set(index, node);
        if (node.classList.contains("open"))
            this.sizes.observe(node);
        else
            this.extra.delete(index);
        return node;
    }

    draw() {
        if (!this.node.isConnected)
            return;
        const focus = this.node.contains(document.activeElement) ? this.at : -1;

        if (this.stale)
            [...this.rows.keys()].forEach((i) => this.drop(i));
        this.stale = false;
        const v = this.view();
        const first = Math.max(0, this.indexAt(v.from) - MORE);
        const last = Math.min(this.count - 1, this.indexAt(v.to) + MORE);

        this.node.style.height = v.tall + "px";
        for (const index of [...this.rows.keys()])
            if ((index < first || index > last) && index !== focus)
                this.drop(index);
        for (let i = first; i <= last; i++) {
            const node = this.rows.get(i) || this.make(i);
            const y = this.top(i) - v.scaled + v.y;

            node.style.transform = `translateY(${y}px)`;
            if (!node.isConnected)
                this.insert(node, i);
        }
        if (focus >= 0 && this.rows.has(focus) &&
            !this.node.contains(document.activeElement))
            this.rows.get(focus).focus({preventScroll: true});
    }

    // In the order of the rows, for screen readers.
    insert(node, index) {
        for (let i = index + 1; i <= index + 2 * MORE; i++) {
            const next = this.rows.get(i);

            if (next && next.isConnected) {
                this.node.insertBefore(node, next);
                return;
            }
        }
        this.node.append(node);
    }

    measure(all) {
        for (const {target} of all) {
            const index = Number(target.dataset.index);
            const more = target.offsetHeight - this.height;

            if (this.rows.get(index) === target)
                this.extra.set(index, Math.max(0, more));
        }
        this.soon();
    }

    // --- moving ---

    focused(event) {
        const row = event.target.closest(".row");

        useList(this);
        if (row)
            this.setAt(Number(row.dataset.index));
    }

    setAt(index) {
        const old = this.rows.get(this.at);

        if (old)
            old.tabIndex = -1;
        this.at = index;
        const now = this.rows.get(index);

        if (now)
            now.tabIndex = 0;
    }

    // Makes a row visible. `middle`: a third below the top of the window.
    show(index, middle) {
        const v = this.view();
        const top = this.top(index);
        const start = window.scrollY + this.node.getBoundingClientRect().top;
        const seen = window.innerHeight;
        const ratio = v.whole > v.tall ? (v.tall - seen) / (v.whole - seen) : 1;
        const edge = document.querySelector("header").offsetHeight;

        // A list that was never drawn has no height to scroll through.
        this.node.style.height = v.tall + "px";
        if (middle)
            window.scrollTo(0, start + top * ratio - seen / 3);
        else if (top < v.from + edge)
            window.scrollTo(0, start + top * ratio - edge - 8);
        else if (top + this.height > v.to)
            window.scrollTo(0, start + (top + this.height - seen + 8) * ratio);
        this.draw();
    }

    focus(index, middle) {
        this.setAt(index);
        this.show(index, middle);
        const node = this.rows.get(index);

        if (node)
            node.focus({preventScroll: true});
    }

    // Handles a key; false: the key does nothing here.
    key(name, enter) {
        const inside = this.node.contains(document.activeElement);
        const page = Math.floor(window.innerHeight / this.height) - 3;
        const steps = {
            ArrowDown: 1,
            ArrowUp: -1,
            PageDown: page,
            PageUp: -page,
            Home: -this.count,
            End: this.count
        };

        if (!this.count || (!inside && name !== "ArrowDown" && !enter))
            return false;
        if (name === "Enter")
            return this.open();
        if (!inside) {
            this.focus(Math.max(0, enter ? 0 : this.at));
            return true;
        }
        this.focus(
            Math.min(this.count - 1, Math.max(0, this.at + steps[name])));
        return true;
    }

    // Enter on a row: clicks the row's main button or link.
    open() {
        const row = document.activeElement;

        if (!row.classList.contains("row"))
            return false;
        const main = row.querySelector("[data-main]");

        if (main)
            main.click();
        return Boolean(main);
    }
}
