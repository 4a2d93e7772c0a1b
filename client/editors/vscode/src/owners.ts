/*
 * Who wrote each line of the documents that editors show. An answer of ccfc is
 * about the file on disk, so it counts only if the document is that file. What
 * is typed afterwards moves the owners along; changed lines belong to nobody
 * until the file is saved and ccfc is asked again.
 */
import * as fs from 'fs';
import * as path from 'path';
import * as vscode from 'vscode';
import { Ccfc, Fields, parseLines } from './ccfc';

export type Owner = Fields;

const DEBOUNCE = 100;
const SIZE_MAX = 16 * 1024 * 1024;

export function isFile(document: vscode.TextDocument): boolean {
	return document.uri.scheme === 'file';
}

export function cwd(document: vscode.TextDocument): string {
	return path.dirname(document.uri.fsPath);
}

export function isSession(owner?: Owner): owner is Owner {
	return owner?.kind === 'session';
}

class Lines {
	owners: (Owner | undefined)[] = [];
	latest?: Owner;
	readonly touched = new Set<unknown>();
	timer?: NodeJS.Timeout;

	set(blocks: Owner[]): void {
		this.owners = [];
		this.latest = undefined;
		for (const block of blocks) {
			const from = Number(block.start) - 1;
			const to = Number(block.end);

			if (!(from >= 0 && to >= from && to < 10_000_000))
				continue;
			for (let i = from; i < to; i++)
				this.owners[i] = block;
			if (isSession(block) && String(block.timestamp) >
			    String(this.latest?.timestamp ?? ''))
				this.latest = block;
		}
	}

	/* Is it by the latest session, or one that has changed the file since
	 * the document was opened? */
	isRecent(owner?: Owner): owner is Owner {
		return isSession(owner) &&
			(owner.sessionId === this.latest?.sessionId ||
			 this.touched.has(owner.sessionId));
	}

	edit(change: vscode.TextDocumentContentChangeEvent): void {
		const { start, end } = change.range;
		const more = change.text.split(/\r\n|\r|\n/).length;

		this.owners.splice(start.line, end.line - start.line + 1,
			...new Array<undefined>(more));
	}
}

/* Whether the document is what is on disk. */
export async function isOnDisk(document: vscode.TextDocument):
	Promise<boolean> {
	const name = document.uri.fsPath;

	try {
		if ((await fs.promises.stat(name)).size > SIZE_MAX)
			return false;
		const same = (text: string) => text.replace(/^\ufeff/, '')
			.replace(/\r\n/g, '\n');
		const bytes = await fs.promises.readFile(name);
		const text = bytes.toString('utf8');

		/* Another encoding: only the number of lines is compared. */
		if (text.includes('\ufffd'))
			return text.split('\n').length === document.lineCount;
		return same(text) === same(document.getText());
	} catch {
		return false;
	}
}

export class Owners implements vscode.Disposable {
	private readonly changed = new vscode.EventEmitter<string>();
	/* The document with this URI has other owners. */
	readonly onChange = this.changed.event;
	private readonly known = new Map<string, Lines>();
	private readonly parts: vscode.Disposable[] = [this.changed];

	constructor(private readonly ccfc: Ccfc) {
		const { window, workspace } = vscode;

		this.parts.push(
			window.onDidChangeVisibleTextEditors(editors =>
				editors.forEach(e => this.refresh(e.document))),
			workspace.onDidSaveTextDocument(d => this.refresh(d)),
			workspace.onDidCloseTextDocument(d => this.forget(d)),
			workspace.onDidChangeTextDocument(e => this.edited(e)));
		window.visibleTextEditors.forEach(
			e => this.refresh(e.document));
	}

	of(document: vscode.TextDocument): Lines | undefined {
		return this.known.get(document.uri.toString());
	}

	at(document: vscode.TextDocument, line: number): Owner | undefined {
		return this.of(document)?.owners[line];
	}

	private entry(document: vscode.TextDocument): Lines {
		const key = document.uri.toString();
		const lines = this.known.get(key) ?? new Lines();

		this.known.set(key, lines);
		return lines;
	}

	/* The session changed the file: its lines are among the latest. */
	touch(document: vscode.TextDocument, session: unknown): void {
		this.entry(document).touched.add(session);
	}

	private forget(document: vscode.TextDocument): void {
		const key = document.uri.toString();

		clearTimeout(this.known.get(key)?.timer);
		this.known.delete(key);
	}

	private edited(event: vscode.TextDocumentChangeEvent): void {
		const lines = this.of(event.document);

		if (!lines || !event.contentChanges.length)
			return;
		event.contentChanges.forEach(change => lines.edit(change));
		this.changed.fire(event.document.uri.toString());
		/* Read again from disk, or undone. */
		if (!event.document.isDirty)
			this.refresh(event.document);
	}

	/* Asks soon who wrote the lines. */
	refresh(document: vscode.TextDocument): void {
		if (!isFile(document))
			return;
		const lines = this.entry(document);

		clearTimeout(lines.timer);
		lines.timer = setTimeout(
			() => void this.ask(document, lines), DEBOUNCE);
	}

	private async ask(document: vscode.TextDocument, lines: Lines):
		Promise<void> {
		const version = document.version;
		const fits = () => !document.isClosed && !document.isDirty &&
			document.version === version;

		if (!fits())
			return;
		const answer = await this.ccfc.ask(
			['blame', '--format=jsonl', '--blocks',
			 document.uri.fsPath], cwd(document), false);
		/* A document that is not the file is about to be read again. */
		if (answer.status > 1 || !await isOnDisk(document) || !fits())
			return;
		lines.set(answer.status === 0 ? parseLines(answer.out) : []);
		this.changed.fire(document.uri.toString());
	}

	dispose(): void {
		this.known.forEach(lines => clearTimeout(lines.timer));
		this.parts.forEach(part => part.dispose());
	}
}
