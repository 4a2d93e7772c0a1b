/*
 * The command ccfc, followed and asked. One "ccfc watch" for the window is
 * started again with growing delays when it ends, and goes on after the last
 * clock that was seen, so that no event is lost. Questions are processes of
 * their own, a few at a time.
 *
 * ccfc starts the daemon if there is none. A daemon that the user has stopped
 * stays so until a command of the user needs it; a crashed daemon is started
 * again.
 */
import { ChildProcess, execFile, spawn } from 'child_process';
import * as os from 'os';
import * as vscode from 'vscode';
import { line } from './text';

export type Fields = { [name: string]: unknown };
export type Answer = { status: number, out: string, err: string };

const DELAY_FIRST = 200;
const DELAY_LAST = 10_000;
const LINE_MAX = 4 * 1024 * 1024;
const ANSWER_MAX = 32 * 1024 * 1024;
const ASKING_MAX = 4;

/* The object of a line of JSON, or nothing. */
export function parse(text: string): Fields | undefined {
	try {
		const value: unknown = JSON.parse(text);
		return value && typeof value === 'object' &&
			!Array.isArray(value) ? value as Fields : undefined;
	} catch {
		return undefined;
	}
}

/* The objects of a text, one on a line. */
export function parseLines(text: string): Fields[] {
	return text.split('\n').map(parse).filter((o): o is Fields => !!o);
}

export function list(value: unknown): Fields[] {
	return Array.isArray(value) ? value.filter(
		(o): o is Fields => !!o && typeof o === 'object') : [];
}

export class Ccfc implements vscode.Disposable {
	private readonly told = new vscode.EventEmitter<Fields>();
	private readonly changed = new vscode.EventEmitter<boolean>();
	readonly onEvent = this.told.event;
	readonly onConnected = this.changed.event;

	connected = false;
	private met = false;	/* the daemon has answered once */
	private clock?: string;
	private since = 0;	/* when the daemon answered */
	private delay = DELAY_FIRST;
	private timer?: NodeJS.Timeout;
	private process?: ChildProcess;
	private ended = false;
	private said = '';
	private asking = 0;
	private readonly waiting: (() => void)[] = [];

	constructor(private readonly log: vscode.OutputChannel) {}

	private program(): string {
		return vscode.workspace.getConfiguration('ccfc')
			.get<string>('program') || 'ccfc';
	}

	private environment(forUser: boolean): NodeJS.ProcessEnv {
		return this.met && !forUser ?
			{ CCFC_NO_SPAWN: 'stopped', ...process.env } :
			process.env;
	}

	/* ---- events ---- */

	follow(): void {
		this.timer = undefined;
		if (this.ended || this.process)
			return;
		const args = ['watch', '--format=jsonl'];
		if (this.clock)
			args.push('--since=' + this.clock);
		const child = spawn(this.program(), args, {
			cwd: os.homedir(), env: this.environment(false),
			stdio: ['ignore', 'pipe', 'pipe'],
		});
		let rest = '';

		this.process = child;
		child.stdout.setEncoding('utf8');
		child.stdout.on('data', (text: string) => {
			const lines = (rest + text).split('\n');

			rest = lines.pop() ?? '';
			for (const one of lines)
				this.take(parse(one));
			if (rest.length > LINE_MAX)
				child.kill();
		});
		child.stderr.setEncoding('utf8');
		child.stderr.on('data', (text: string) => this.say(text));
		child.on('error', why => {
			this.say(String(why));
			this.lost(child);
		});
		child.on('close', () => this.lost(child));
	}

	/* Into the log, unless it was the last thing said. */
	private say(text: string): void {
		if (text !== this.said)
			this.log.appendLine(text.trimEnd());
		this.said = text;
	}

	private take(event?: Fields): void {
		if (!event)
			return;
		if (event.type === 'hello') {
			/* Its clock is newer than missed events after it. */
			this.clock ??= event.clock as string;
			this.since = Date.now();
			this.met = true;
			this.connect(true);
		} else if (event.type !== 'early' &&
			   /^\d+:\d+$/.test(String(event.clock))) {
			this.clock = event.clock as string;
		}
		this.log.appendLine(line([event.clock, event.type, event.kind,
			event.state, event.path].join(' '), 200));
		this.told.fire(event);
	}

	private connect(on: boolean): void {
		if (this.connected === on)
			return;
		this.connected = on;
		this.changed.fire(on);
	}

	private lost(child: ChildProcess): void {
		if (this.process !== child)
			return;
		this.process = undefined;
		if (this.connected && Date.now() - this.since > DELAY_LAST)
			this.delay = DELAY_FIRST;
		this.connect(false);
		if (this.ended)
			return;
		this.timer = setTimeout(() => this.follow(), this.delay);
		this.delay = Math.min(2 * this.delay, DELAY_LAST);
	}

	/* ---- questions ---- */

	private async turn(): Promise<void> {
		if (this.asking >= ASKING_MAX)
			await new Promise<void>(go => this.waiting.push(go));
		this.asking++;
	}

	/* Runs ccfc; `forUser`: it may start a daemon that was stopped. */
	async ask(args: string[], cwd?: string, forUser = true):
		Promise<Answer> {
		await this.turn();
		const answer = await new Promise<Answer>(done => execFile(
			this.program(), args, {
				cwd: cwd ?? os.homedir(),
				env: this.environment(forUser),
				maxBuffer: ANSWER_MAX,
			}, (why, out, err) => done({
				status: !why ? 0 :
					typeof why.code === 'number' ?
						why.code : 2,
				out, err: err || (why?.message ?? ''),
			})));
		this.asking--;
		this.waiting.shift()?.();
		if (this.timer && answer.status < 2) {
			/* There is a daemon: no need to wait. */
			clearTimeout(this.timer);
			this.follow();
		}
		return answer;
	}

	dispose(): void {
		this.ended = true;
		clearTimeout(this.timer);
		this.process?.kill();
		this.told.dispose();
		this.changed.dispose();
	}
}
