/*
 * The views: sessions with their files, and the history of the file that is
 * open. The history is also a timeline where VS Code lets extensions have one.
 */
import * as path from 'path';
import * as vscode from 'vscode';
import { Ccfc, Fields, list, parse, parseLines } from './ccfc';
import { isFile } from './owners';
import * as text from './text';

const DEBOUNCE = 500;

/* A row, with what commands need to know. */
export class Row extends vscode.TreeItem {
	constructor(name: string, readonly kind: string,
		readonly fields: Fields, readonly file?: string,
		readonly session?: string) {
		super(name);
		this.contextValue = 'ccfc.' + kind;
		/* A refreshed row is the same one. */
		if (kind !== 'note')
			this.id = [kind, session, file, fields.changeId]
				.join('\n');
	}
}

function counts(fields: Fields): string {
	return typeof fields.linesAdded === 'number' &&
		typeof fields.linesRemoved === 'number' ?
		`+${fields.linesAdded} -${fields.linesRemoved}` : '';
}

function note(why: string): Row {
	return new Row(text.line(why, 200), 'note', {});
}

abstract class View implements vscode.TreeDataProvider<Row>,
	vscode.Disposable {
	private readonly changed = new vscode.EventEmitter<void>();
	readonly onDidChangeTreeData = this.changed.event;
	private timer?: NodeJS.Timeout;
	private wanted = false;	/* by the user, since the last question */
	protected readonly tree: vscode.TreeView<Row>;
	protected readonly parts: vscode.Disposable[] = [this.changed];

	constructor(protected readonly ccfc: Ccfc, id: string) {
		this.tree = vscode.window.createTreeView(id,
			{ treeDataProvider: this });
		this.parts.push(this.tree,
			ccfc.onEvent(() => this.soon()),
			this.tree.onDidChangeVisibility(() => this.soon()));
	}

	soon(): void {
		clearTimeout(this.timer);
		this.timer = setTimeout(() => this.refresh(), DEBOUNCE);
	}

	refresh(wanted = false): void {
		this.wanted ||= wanted;
		if (this.tree.visible)
			this.changed.fire();
	}

	/* May the next question start a daemon that was stopped? */
	protected forUser(): boolean {
		const wanted = this.wanted;

		this.wanted = false;
		return wanted;
	}

	getTreeItem(row: Row): Row {
		return row;
	}

	abstract getChildren(row?: Row): Promise<Row[]>;

	dispose(): void {
		clearTimeout(this.timer);
		this.parts.forEach(part => part.dispose());
	}
}

export async function filesOf(ccfc: Ccfc, session: string):
	Promise<Row[]> {
	const answer = await ccfc.ask(['list', session, '--format=json']);
	const reply = parse(answer.out) ?? {};
	const project = String(reply.projectPath ?? '');

	if (answer.status > 1)
		return [note(answer.err)];
	return list(reply.files).map(fields => {
		const file = String(fields.path ?? '');
		const inside = path.relative(project, file);
		const row = new Row(text.line(inside.startsWith('..') ? file :
			inside, 200), 'file', fields, file, session);

		row.description = [text.line(fields.operation, 10),
			counts(fields)].filter(word => word).join(' ');
		row.resourceUri = vscode.Uri.file(file);
		row.iconPath = vscode.ThemeIcon.File;
		row.tooltip = text.line(file, 400);
		if (path.isAbsolute(file))
			row.command = { command: 'vscode.open', title: 'Open',
				arguments: [vscode.Uri.file(file)] };
		return row;
	});
}

export class SessionsView extends View {
	constructor(ccfc: Ccfc) {
		super(ccfc, 'ccfc.sessions');
	}

	async getChildren(row?: Row): Promise<Row[]> {
		return row?.session ? filesOf(this.ccfc, row.session) :
			this.sessions();
	}

	private async sessions(): Promise<Row[]> {
		const folder = vscode.workspace.workspaceFolders?.[0];
		const answer = await this.ccfc.ask(
			['sessions', '--format=jsonl',
			 ...(folder ? [] : ['--all'])],
			folder?.uri.fsPath, this.forUser());

		if (answer.status > 1)
			return [note(answer.err)];
		return parseLines(answer.out).map(fields => {
			const session = text.id(fields.sessionId);
			const row = new Row(text.line(fields.title, 80) ||
				text.short(session), 'session', fields,
				undefined, session);

			row.description = [text.short(session),
				text.model(fields.model),
				text.time(fields.endTime)].join(' ');
			row.tooltip = text.line(fields.title, 400);
			row.iconPath = new vscode.ThemeIcon(
				fields.status === 'active' ? 'pulse' :
					'history');
			row.collapsibleState =
				vscode.TreeItemCollapsibleState.Collapsed;
			return row;
		});
	}
}

/* The history of a file; `why`: the reason if there is none to show. */
export async function historyOf(ccfc: Ccfc, file: string, forUser: boolean):
	Promise<{ steps: Fields[], why: string }> {
	const answer = await ccfc.ask(['log', '--format=jsonl', file],
		path.dirname(file), forUser);

	return {
		steps: answer.status === 0 ? parseLines(answer.out) : [],
		why: answer.status > 1 ? answer.err.replace(/^ccfc: /, '') :
			'no session changed this file',
	};
}

/* "the prompt", or what the step is. */
export function stepTitle(step: Fields): string {
	return text.line(step.prompt, 100) || text.line(step.kind, 20);
}

export function stepDetail(step: Fields): string {
	return [step.sessionId ? text.short(step.sessionId) : '',
		text.model(step.model), text.line(step.tool, 20), counts(step)]
		.filter(word => word).join(' ');
}

export class HistoryView extends View {
	constructor(ccfc: Ccfc) {
		super(ccfc, 'ccfc.history');
		this.parts.push(vscode.window.onDidChangeActiveTextEditor(
			() => this.soon()));
	}

	reveal(): void {
		this.refresh(true);
		void vscode.commands.executeCommand('ccfc.history.focus');
	}

	async getChildren(): Promise<Row[]> {
		const document = vscode.window.activeTextEditor?.document;

		if (!document || !isFile(document))
			return [note('no file is open')];
		const file = document.uri.fsPath;
		const { steps, why } = await historyOf(this.ccfc, file,
			this.forUser());

		this.tree.message = text.line(path.basename(file), 100);
		if (!steps.length)
			return [note(why)];
		return steps.map(step => {
			const change = text.id(step.changeId);
			const row = new Row(stepTitle(step),
				change ? 'change' : 'note', step, file);

			row.description = `${text.time(step.timestamp ??
				step.from)} ${stepDetail(step)}`;
			row.tooltip = text.line(step.prompt, 400);
			row.iconPath = new vscode.ThemeIcon('git-commit');
			if (change)
				row.command = { command: 'ccfc.changeDiff',
					title: 'Show', arguments: [row] };
			return row;
		});
	}
}

/* ---- the timeline, a proposed interface of VS Code ---- */

interface Provider {
	id: string;
	label: string;
	onDidChange: vscode.Event<{ uri?: vscode.Uri, reset?: boolean }>;
	provideTimeline(uri: vscode.Uri): Promise<{ items: unknown[] }>;
}

/* Undefined where extensions may not have a timeline. */
export function timeline(ccfc: Ccfc): vscode.Disposable | undefined {
	const api = vscode.workspace as unknown as {
		registerTimelineProvider?: (scheme: string[],
			provider: Provider) => vscode.Disposable
	};

	const changed = new vscode.EventEmitter<{ reset: boolean }>();
	let timer: NodeJS.Timeout | undefined;
	const heard = ccfc.onEvent(event => {
		if (event.type !== 'change')
			return;
		clearTimeout(timer);
		timer = setTimeout(() => changed.fire({ reset: true }),
			DEBOUNCE);
	});

	try {
		/* The second scheme is that of files on a server. */
		const schemes = ['file', 'vscode-remote'];

		const part = api.registerTimelineProvider?.(schemes, {
			id: 'ccfc', label: 'Claude Code sessions',
			onDidChange: changed.event,
			provideTimeline: uri => items(ccfc, uri),
		});

		if (part)
			return vscode.Disposable.from(part, heard, changed);
	} catch {
		/* The proposal is not enabled. */
	}
	heard.dispose();
	changed.dispose();
	return undefined;
}

async function items(ccfc: Ccfc, uri: vscode.Uri):
	Promise<{ items: unknown[] }> {
	const { steps } = await historyOf(ccfc, uri.fsPath, false);

	return { items: steps.filter(step => text.id(step.changeId)).map(
		step => ({
			id: text.id(step.changeId),
			label: stepTitle(step),
			description: stepDetail(step),
			timestamp: Date.parse(String(step.timestamp)) || 0,
			iconPath: new vscode.ThemeIcon('git-commit'),
			command: {
				command: 'ccfc.changeDiff', title: 'Show',
				arguments: [{ fields: step,
					file: uri.fsPath }],
			},
		})) };
}
