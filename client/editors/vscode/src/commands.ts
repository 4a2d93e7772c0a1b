/*
 * What the user can ask for. Old contents and answers are documents of the
 * scheme "ccfc"; only those that a command has put there exist, so that no
 * link of a document can make ccfc run.
 */
import * as path from 'path';
import * as vscode from 'vscode';
import { Answer, Ccfc, Fields } from './ccfc';
import { Marks } from './marks';
import { Owners, cwd, isFile, isSession } from './owners';
import * as text from './text';
import { HistoryView, Row, SessionsView, filesOf, historyOf, stepDetail,
	stepTitle } from './views';

/* What a row of a view and a step of a timeline have. */
type Step = { fields: Fields, file?: string, session?: string };

const KEPT_MAX = 50;

class Answers implements vscode.TextDocumentContentProvider {
	private readonly kept = new Map<string, string>();
	private count = 0;

	put(name: string, content: string): vscode.Uri {
		const uri = vscode.Uri.from({ scheme: 'ccfc',
			path: '/' + name, query: String(++this.count) });

		this.kept.set(uri.toString(), content);
		const [oldest] = this.kept.keys();
		if (this.kept.size > KEPT_MAX)
			this.kept.delete(oldest);
		return uri;
	}

	provideTextDocumentContent(uri: vscode.Uri): string {
		return this.kept.get(uri.toString()) ?? '';
	}
}

export class Commands implements vscode.Disposable {
	private readonly answers = new Answers();
	private readonly parts: vscode.Disposable[];

	constructor(private readonly ccfc: Ccfc,
		private readonly owners: Owners, marks: Marks,
		sessions: SessionsView, history: HistoryView) {
		const on = (name: string,
			what: (...args: never[]) => unknown) =>
			vscode.commands.registerCommand('ccfc.' + name, what);

		this.parts = [
			vscode.workspace.registerTextDocumentContentProvider(
				'ccfc', this.answers),
			on('log', () => history.reveal()),
			on('diff', (line?: number) => this.diff(line)),
			on('why', (line?: number) => this.why(line)),
			on('restore', () => this.restore()),
			on('blame', () => marks.toggle()),
			on('files', () => this.files()),
			on('refresh', () => {
				sessions.refresh(true);
				history.refresh(true);
			}),
			on('changeDiff', (step: Step) => this.change(
				step.file, step.fields)),
			on('fileDiff', (row: Row) => this.fileDiff(row)),
			on('restoreBefore', (step: Step) => this.restoreAt(
				step.file, step.fields)),
		];
	}

	private complain(answer: Answer): void {
		void vscode.window.showErrorMessage(text.plain(
			answer.err || 'ccfc: nothing found'));
	}

	private active(): vscode.TextEditor | undefined {
		const editor = vscode.window.activeTextEditor;

		if (editor && isFile(editor.document))
			return editor;
		void vscode.window.showInformationMessage(
			'ccfc: no file is open');
		return undefined;
	}

	/* Shows what ccfc prints as a document. */
	private async show(name: string, args: string[], dir?: string):
		Promise<void> {
		const answer = await this.ccfc.ask(args, dir);

		if (answer.status !== 0)
			return this.complain(answer);
		const uri = this.answers.put(name, answer.err + answer.out);
		const document = await vscode.workspace.openTextDocument(uri);

		await vscode.languages.setTextDocumentLanguage(document,
			'diff');
		await vscode.window.showTextDocument(document, {
			preview: true, viewColumn: vscode.ViewColumn.Beside,
		});
	}

	private async why(line?: number): Promise<void> {
		const editor = this.active();

		if (!editor)
			return;
		const document = editor.document;
		const at = (typeof line === 'number' ? line :
			editor.selection.active.line) + 1;

		if (document.isDirty)
			void vscode.window.showInformationMessage(
				'ccfc knows the file on disk: save it first');
		else
			await this.show(`why ${path.basename(
				document.uri.fsPath)}:${at}`,
				['why', `${document.uri.fsPath}:${at}`],
				cwd(document));
	}

	private async diff(line?: number): Promise<void> {
		const editor = this.active();

		if (!editor)
			return;
		const at = typeof line === 'number' ? line :
			editor.selection.active.line;
		const own = this.owners.at(editor.document, at);
		const owner = isSession(own) ? own :
			this.owners.of(editor.document)?.latest;

		if (owner)
			await this.change(editor.document.uri.fsPath, owner);
		else
			void vscode.window.showInformationMessage(
				'ccfc: no session is known to have ' +
				'written here');
	}

	/* The content at a point; undefined if it is not known. */
	private async content(file: string, at: string):
		Promise<string | undefined> {
		const answer = await this.ccfc.ask(['cat', file, '--at=' + at],
			path.dirname(file));

		return answer.status === 0 ? answer.out : undefined;
	}

	/* Contents before and after a change, side by side; if the latter is
	 * not known, the diff of the change. */
	private async change(file: unknown, fields: Fields): Promise<void> {
		const change = text.id(fields.changeId);

		if (typeof file !== 'string' || !change)
			return;
		const name = path.basename(file);
		const [before, after] = await Promise.all([
			this.content(file, 'before:' + change),
			this.content(file, change)]);

		if (after === undefined)
			return this.show(`${name}.diff`, ['diff', change]);
		await vscode.commands.executeCommand('vscode.diff',
			this.answers.put(name, before ?? ''),
			this.answers.put(name, after),
			`${name}: ${text.short(fields.sessionId)} ` +
			text.time(fields.timestamp), { preview: true });
	}

	private async fileDiff(row: Row): Promise<void> {
		if (row?.session && row.file)
			await this.show(path.basename(row.file) + '.diff',
				['diff', row.session, '--net', row.file]);
	}

	private async restore(): Promise<void> {
		const editor = this.active();

		if (!editor)
			return;
		const file = editor.document.uri.fsPath;
		const { steps: all, why } = await historyOf(this.ccfc, file,
			true);
		const steps = all.filter(step => text.id(step.changeId));

		if (!steps.length) {
			void vscode.window.showInformationMessage(
				text.plain(`ccfc: ${why}`));
			return;
		}
		const chosen = await vscode.window.showQuickPick(
			steps.map(step => ({
				label: stepTitle(step), step,
				description: text.time(step.timestamp),
				detail: stepDetail(step),
			})),
			{ placeHolder: 'Restore as before which change?' });

		if (chosen)
			await this.restoreAt(file, chosen.step);
	}

	private async restoreAt(file: unknown, fields: Fields): Promise<void> {
		const change = text.id(fields.changeId);

		if (typeof file !== 'string' || !change)
			return;
		const at = 'before:' + change;
		const name = path.basename(file);
		const content = await this.content(file, at);

		if (vscode.workspace.textDocuments.some(
			d => d.isDirty && d.uri.fsPath === file)) {
			void vscode.window.showInformationMessage(
				'ccfc: save the file first');
			return;
		}
		if (content !== undefined)
			await vscode.commands.executeCommand('vscode.diff',
				vscode.Uri.file(file),
				this.answers.put(name, content),
				`${name}: now, and as it would be`);
		const chosen = await vscode.window.showInformationMessage(
			text.plain(`Write ${name} as before ${change}?`),
			'Restore');
		if (chosen !== 'Restore')
			return;
		const answer = await this.ccfc.ask(
			['restore', file, '--at=' + at], path.dirname(file));
		if (answer.status !== 0)
			return this.complain(answer);
		void vscode.window.showInformationMessage(
			text.plain(answer.out));
	}

	private async files(): Promise<void> {
		const editor = vscode.window.activeTextEditor;
		const own = editor && this.owners.at(editor.document,
			editor.selection.active.line);
		const latest = editor &&
			this.owners.of(editor.document)?.latest;
		const session = await vscode.window.showInputBox({
			prompt: 'Session: an id, the start of one, or @',
			value: text.id((isSession(own) ? own : latest)
				?.sessionId) ?? '@',
		});

		if (!session || !(text.id(session) || session.startsWith('@')))
			return;
		const rows = await filesOf(this.ccfc, session);
		const chosen = await vscode.window.showQuickPick(
			rows.map(row => ({
				label: String(row.label), row,
				description: String(row.description ?? ''),
			})), { placeHolder: 'Files of the session' });
		if (chosen?.row.file)
			await vscode.window.showTextDocument(
				vscode.Uri.file(chosen.row.file));
	}

	dispose(): void {
		this.parts.forEach(part => part.dispose());
	}
}
