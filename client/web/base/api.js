// Requests to the REST API.
import * as token from "./token.js";

export class Failure extends Error {
    constructor(status, error) {
        super(error.message || "no answer");
        this.status = status;
        this.code = error.code || "";
        this.hint = error.hint || "";
    }
}

let onDenied = () => {};

// `act` is called when the daemon does not accept the token.
export function whenDenied(act) {
    onDenied = act;
}

export function headers(more) {
    return {Authorization: "Bearer " + token.current(), ...more};
}

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

// "/api/files/" + path + "/log": the path is one segment.
export const segment = encodeURIComponent;

function address(path, params) {
    const query = new URLSearchParams();

    for (const [name, value] of Object.entries(params || {}))
        if (value !== undefined && value !== null && value !== "")
            query.set(name, Array.isArray(value) ? value.join(",") : value);
    return "/api/" + path +
        (query.size || [...query].length ? "?" + query : "");
}

async function failure(reply) {
    let error = {};

    try {
        error = (await reply.json()).error;
    } catch (e) {
        error = {message: reply.statusText};
    }
    if (reply.status === 401)
        onDenied();
    return new Failure(reply.status, error);
}

// The JSON of one answer. Retries three times while the daemon is busy.
export async function ask(path, params, signal) {
    for (let tries = 0;; tries++) {
        let reply;

        try {
            reply = await fetch(
                address(path, params), {headers: headers(), signal});
        } catch (e) {
            if (e.name === "AbortError")
                throw e;
            throw new Failure(0, {
                message: "the daemon is not there",
                hint: "run 'ccfc web' again"
            });
        }
        if (reply.ok)
            return reply.json();
        if (tries === 3 || (reply.status !== 429 && reply.status !== 503))
            throw await failure(reply);
        await pause(400 * (tries + 1));
    }
}

// The rows of a SELECT as objects.
export async function select(query, limit, signal) {
    const reply = await ask("sql", {query, limit}, signal);

    return reply.rows.map((row) => Object.fromEntries(row.map(
                              (value, i) => [reply.columns[i], value])));
}
