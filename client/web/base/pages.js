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

    // Forgets all rows; what is in sight is fetched again.
    renew() {
        this.close();
        this.pages.clear();
        this.failed = null;
    }

    // The rows may have changed: they are shown until the new ones are there.
    again() {
        for (const page of this.pages.values())
            page.stale = true;
        this.failed = null;
        this.changed();
    }

    // The row, or undefined: then it is on its way.
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

    // A quick scroll passes many pages: only the last ones are asked for, and
    // nobody waits any more for those that it has left behind.
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

    // Pages that lie side by side are one request: the window is where they
    // meet.
    fetchAll(numbers) {
        const [first, second] = numbers;

        if (second === first + 1)
            this.fetch(first, second);
        else
            numbers.forEach((n) => this.fetch(n));
    }

    // Ends the requests for pages that are far from all of these.
    leave(numbers) {
        const isFar = (m) => numbers.every((n) => Math.abs(n - m) > IN_SIGHT);

        for (const request of new Set(this.loading.values()))
            if (request.numbers.every(isFar)) {
                request.control.abort();
                request.numbers.forEach((n) => this.loading.delete(n));
            }
    }

    // One request after the other: the daemon keeps what it has learned of a
    // long session for the next page, and would read the whole session again
    // for a page that is asked for meanwhile.
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

    // The promise of pages that lie side by side.
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
