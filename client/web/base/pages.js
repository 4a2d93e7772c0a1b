// Rows that lie on the server: fetched a page at a time, as they come into
// sight. Pages that were not looked at for long are dropped.

const KEPT = 60;
const IN_SIGHT = 2;  // pages that a window shows at a time, at most
const REST = 100;    // ms without scrolling before pages are asked for

export class Pages {
    // load(offset, limit, signal) → { rows, total }; total may be left out.
    constructor(size, load, changed) {
        this.size = size;
        this.load = load;
        this.changed = changed;
        this.pages = new Map();
        this.wanted = new Set();
        this.control = new AbortController();
        this.timer = 0;
        this.total = null;
        this.failed = null;
    }

    close() {
        this.control.abort();
        clearTimeout(this.timer);
    }

    // Forgets all rows; what is in sight is fetched again.
    renew() {
        this.close();
        this.control = new AbortController();
        this.pages.clear();
        this.failed = null;
    }

    // The row, or undefined: then it is on its way.
    get(index) {
        const number = Math.floor(index / this.size);
        const page = this.pages.get(number);

        if (!page) {
            this.want(number);
            return undefined;
        }
        this.pages.delete(number);
        this.pages.set(number, page);
        return page.rows && page.rows[index - number * this.size];
    }

    // A quick scroll passes many pages: only the last ones are asked for.
    want(number) {
        this.wanted.delete(number);
        this.wanted.add(number);
        clearTimeout(this.timer);
        this.timer = setTimeout(() => {
            const numbers = [...this.wanted].slice(-IN_SIGHT);

            this.wanted.clear();
            numbers.forEach((n) => this.fetch(n));
        }, this.pages.size ? REST : 0);
    }

    // The promise of a page.
    async fetch(number) {
        const page = {};
        const {signal} = this.control;

        if (this.pages.has(number))
            return;
        this.pages.set(number, page);
        try {
            const got = await this.load(number * this.size, this.size, signal);

            page.rows = got.rows;
            if (got.total !== undefined)
                this.total = got.total;
        } catch (e) {
            if (e.name === "AbortError")
                return;
            page.rows = [];
            this.failed = e;
        }
        while (this.pages.size > KEPT)
            this.pages.delete(this.pages.keys().next().value);
        if (!signal.aborted)
            this.changed();
    }
}
