/*
 * Documents whose files a session changed. VS Code itself reads a document
 * again that has no changes, if its file watcher notices; what it has not
 * noticed is read again here. With changes the user is asked, and can see the
 * differences; nothing is touched until then.
 */
import * as fs from 'fs';
import * as path from 'path';
import * as vscode from 'vscode';
import { Ccfc, Fields } from './ccfc';
import { Owners, isFile, isOnDisk } from './owners';
import * as text from './text';

const DEBOUNCE = 100;
const PATIENCE = 1000;	/* for VS Code's own file watcher */

const COMPARE = 'Show Differences';
const TAKE = 'Take the File';
const KEEP = 'Keep My Changes';

/* Differs when the file has changed; empty: there is no file. */
async function stampOf(name: string): Promise<string> {
	const stat = await fs.promises.stat(name, { bigint: true })
		.catch(() => undefined);

	return stat ? `${stat.mtimeNs} ${stat.size} ${stat.ino}` : '';
}

export class Reload implements vscode.Disposable {
	private readonly timers = new Map<string, NodeJS.Timeout>();
	private readonly asked = new Set<string>();
	/* Of the file that the document had, or that the user knows of. */
	private readonly stamps = new Map<string, string>();
	private readonly parts: vscode.Disposable[];

	constructor(ccfc: Ccfc, private readonly owners: Owners) {
		const { workspace } = vscode;

		this.parts = [
			ccfc.onEvent(event => this.take(event)),
			ccfc.onConnected(on => {
				if (on)
					this.all();
			}),
			workspace.onDidOpenTextDocument(d => this.note(d)),
			workspace.onDidSaveTextDocument(d => this.note(d)),
			/* Read again, or undone. */
			workspace.onDidChangeTextDocument(
				e => this.note(e.document)),
			workspace.onDidCloseTextDocument(d => {
				this.stamps.delete(d.uri.toString());
			}),
		];
		workspace.textDocuments.forEach(d => void this.note(d));
	}

	/* If the document is what is on disk, changes from now on count. */
	private async note(document: vscode.TextDocument): Promise<void> {
		const stamp = isFile(document) && !document.isDirty ?
			await stampOf(document.uri.fsPath) : '';

		if (stamp && await isOnDisk(document))
			this.stamps.set(document.uri.toString(), stamp);
	}

	/* Events may have been missed: checks all documents. */
	private all(): void {
		vscode.workspace.textDocuments.filter(isFile).forEach(
			d => this.soon(d, undefined));
	}

	/* The open documents that are this file, by its name or through links.
	 * Other files are not looked at. */
	private async documents(name: unknown): Promise<vscode.TextDocument[]> {
		if (typeof name !== 'string' || !path.isAbsolute(name))
			return [];
		const open = vscode.workspace.textDocuments.filter(isFile);
		const exact = open.filter(d => d.uri.fsPath === name);
		const maybe = open.filter(d => path.basename(d.uri.fsPath) ===
			path.basename(name));

		if (exact.length || !maybe.length)
			return exact;
		const real = (file: string) =>
			fs.promises.realpath(file).catch(() => file);
		const wanted = await real(name);
		const found: vscode.TextDocument[] = [];

		for (const document of maybe)
			if (await real(document.uri.fsPath) === wanted)
				found.push(document);
		return found;
	}

	private async take(event: Fields): Promise<void> {
		if (event.type === 'fresh' || event.type === 'forgotten') {
			this.all();
			return;
		}
		for (const document of await this.documents(event.path)) {
			if (event.type === 'conflict')
				this.warn(document, event);
			else
				this.changed(document, event);
		}
	}

	private changed(document: vscode.TextDocument, event: Fields): void {
		if (event.state === 'applied' && !event.withdrawn)
			this.owners.touch(document, event.sessionId);
		this.soon(document, event.sessionId);
	}

	private warn(document: vscode.TextDocument, event: Fields): void {
		const other = event.otherSessionId ?
			`session ${text.short(event.otherSessionId)}` :
			'somebody outside of sessions';

		if (event.withdrawn)
			return;
		void vscode.window.showWarningMessage(text.plain(
			`${path.basename(document.uri.fsPath)}: ` +
			`${text.line(event.kind, 20).replace(/_/g, ' ')}: ` +
			'session ' +
			`${text.short(event.sessionId)} and ${other}`));
	}

	private soon(document: vscode.TextDocument, session: unknown,
		wait = DEBOUNCE): void {
		const key = document.uri.toString();

		clearTimeout(this.timers.get(key));
		this.timers.set(key, setTimeout(
			() => void this.check(document, session, wait), wait));
	}

	private async check(document: vscode.TextDocument, session: unknown,
		waited: number): Promise<void> {
		if (document.isClosed)
			return;
		this.owners.refresh(document);
		if (await isOnDisk(document))
			await this.note(document);
		else if (document.isDirty)
			await this.choose(document, session);
		else if (waited < PATIENCE)
			this.soon(document, session, PATIENCE);
		else if (document === vscode.window.activeTextEditor?.document)
			await vscode.commands.executeCommand(
				'workbench.action.files.revert');
	}

	private async choose(document: vscode.TextDocument, session: unknown):
		Promise<void> {
		const key = document.uri.toString();
		const stamp = await stampOf(document.uri.fsPath);

		/*
		 * The document differs from the file; did the file change, too?
		 * One question at a time; the answer shows current differences.
		 */
		if (this.asked.has(key) || this.stamps.get(key) === stamp)
			return;
		this.asked.add(key);
		this.stamps.set(key, stamp);
		const chosen = await vscode.window.showWarningMessage(
			text.plain(
				`${path.basename(document.uri.fsPath)} has ` +
				'unsaved changes, and ' + (session ?
					`session ${text.short(session)}` :
					'somebody') + ' changed the file.'),
			COMPARE, TAKE, KEEP);
		this.asked.delete(key);
		if (document.isClosed ||
		    (chosen !== COMPARE && chosen !== TAKE))
			return;
		await vscode.window.showTextDocument(document);
		await vscode.commands.executeCommand(chosen === TAKE ?
			'workbench.action.files.revert' :
			'workbench.files.action.compareWithSaved');
	}

	dispose(): void {
		this.timers.forEach(timer => clearTimeout(timer));
		this.parts.forEach(part => part.dispose());
	}
}
