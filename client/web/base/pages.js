// Rows on the server, fetched a page at a time as they become visible. The
// pages that were used least recently are dropped.

const KEPT = 60;
const IN_SIGHT = 2;  // pages that a window shows at a time, at most
const REST = 100;    // ms without scrolling before pages are requested

export class Pages {
    // load(offset, limit, signal) → { rows, total }; total may be left out.
    constructor(size, load, changed) {
        this.size = size;
        this.load = load;
        this.changed = changed;
        this.pages = new Map();    // number → { rows, stale }
        this.loading = new Map();  // number → { numbers, control }
        this.busy = null;          // the promise of the last request's end
        this.wanted = new Set();
        this.timer = 0;
        this.total = null;
        this.failed = null;
    }

    close() {
        for (const request of this.loading.values())
            request.control.abort();
        this.loading.clear();
        this.wanted.clear();
        clearTimeout(this.timer);
    }

    // Forgets all rows and ends all requests.
    renew() {
        this.close();
        this.pages.clear();
        this.failed = null;
    }

    // The rows may have changed: old rows stay visible until new ones arrive.
    again() {
        for (const page of this.pages.values())
            page.stale = true;
        this.failed = null;
        this.changed();
    }

    // The row, or undefined while its page is being fetched.
    get(index) {
        const number = Math.floor(index / this.size);
        const page = this.pages.get(number);

        if (!page || page.stale)
            this.want(number);
        if (!page)
            return undefined;
        this.pages.delete(number);
        this.pages.set(number, page);
        return page.rows[index - number * this.size];
    }

    // A quick scroll passes many pages: only the last ones are requested, and
    // requests for pages far away are ended.
    want(number) {
        if (this.loading.has(number))
            return;
        this.wanted.delete(number);
        this.wanted.add(number);
        clearTimeout(this.timer);
        this.timer = setTimeout(() => {
            const numbers = [...this.wanted].slice(-IN_SIGHT);

            this.wanted.clear();
            this.leave(numbers);
            this.fetchAll(numbers.sort((m, n) => m - n));
        }, this.pages.size ? REST : 0);
    }

    // Two adjacent pages are one request: both are visible in the window.
    fetchAll(numbers) {
        const [first, second] = numbers;

        if (second === first + 1)
            this.fetch(first, second);
        else
            numbers.forEach((n) => this.fetch(n));
    }

    // Ends the requests for pages that are far from all of `numbers`.
    leave(numbers) {
        const isFar = (m) => numbers.every((n) => Math.abs(n - m) > IN_SIGHT);

        for (const request of new Set(this.loading.values()))
            if (request.numbers.every(isFar)) {
                request.control.abort();
                request.numbers.forEach((n) => this.loading.delete(n));
            }
    }

    // One request at a time: the daemon keeps the skeleton of a long session
    // for the next page. A request in parallel would make the daemon read the
    // whole session again.
    async inTurn({numbers, control: {signal}}) {
        const before = this.busy;
        let end;

        this.busy = new Promise((done) => {
            end = done;
        });
        try {
            await before;
            signal.throwIfAborted();
            return await this.load(
                numbers[0] * this.size, numbers.length * this.size, signal);
        } finally {
            end();
        }
    }

    // Fetches adjacent pages, except those that are fresh or on their way.
    async fetch(...wanted) {
        const isFresh = (n) => this.pages.has(n) && !this.pages.get(n).stale;
        const numbers =
            wanted.filter((n) => !isFresh(n) && !this.loading.has(n));
        const request = {numbers, control: new AbortController()};
        let rows = [];

        if (!numbers.length)
            return;
        numbers.forEach((n) => this.loading.set(n, request));
        try {
            const got = await this.inTurn(request);

            rows = got.rows;
            if (got.total !== undefined)
                this.total = got.total;
        } catch (e) {
            if (request.control.signal.aborted)
                return;
            this.failed = e;
        }
        if (request.control.signal.aborted)
            return;
        numbers.forEach((n, i) => {
            this.loading.delete(n);
            this.pages.set(
                n, {rows: rows.slice(i * this.size, (i + 1) * this.size)});
        });
        while (this.pages.size > KEPT)
            this.pages.delete(this.pages.keys().next().value);
        this.changed();
    }
}
