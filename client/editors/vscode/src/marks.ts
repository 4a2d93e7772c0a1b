/*
 * What editors show of owners: a bar in the gutter and a short text at lines of
 * the latest sessions, a text behind the current line, who wrote each line (on
 * demand), and a hover with the prompt.
 */
import * as vscode from 'vscode';
import { Fields } from './ccfc';
import { Owner, Owners, isFile, isSession } from './owners';
import * as text from './text';

const DEBOUNCE = 100;
const MARKS_MAX = 5000;
const LABEL_WIDTH = 32;

function setting(name: string): boolean {
	return vscode.workspace.getConfiguration('ccfc')
		.get<boolean>(name) ?? true;
}

/* "42d011e9 opus-4-5 2025-12-31 14:05 “the prompt”" */
export function describe(owner: Fields, width: number): string {
	const prompt = text.line(owner.prompt, 200);

	return text.line([text.short(owner.sessionId), text.model(owner.model),
		text.time(owner.timestamp), prompt ? `“${prompt}”` : '']
		.filter(word => word).join(' '), width);
}

function label(owner?: Owner): string {
	const words = isSession(owner) ? `${text.short(owner.sessionId)} ` +
		`${text.time(owner.timestamp).slice(5)} ` +
		text.model(owner.model) : text.line(
		(owner as Owner | undefined)?.kind, 10);

	/* An editor would collapse usual blanks. */
	return text.line(words, LABEL_WIDTH).padEnd(LABEL_WIDTH)
		.replace(/ /g, '\u00a0');
}

export class Marks implements vscode.Disposable, vscode.HoverProvider {
	private readonly sign: vscode.TextEditorDecorationType;
	private readonly note: vscode.TextEditorDecorationType;
	private readonly current: vscode.TextEditorDecorationType;
	private readonly gutter: vscode.TextEditorDecorationType;
	private readonly parts: vscode.Disposable[] = [];
	private readonly timers = new Map<string, NodeJS.Timeout>();
	private blame = false;

	constructor(private readonly owners: Owners, media: vscode.Uri) {
		const make = (options: vscode.DecorationRenderOptions) => {
			const type = vscode.window
				.createTextEditorDecorationType(options);
			this.parts.push(type);
			return type;
		};
		const color = new vscode.ThemeColor(
			'editorCodeLens.foreground');
		const quiet = {
			color, fontStyle: 'italic', margin: '0 0 0 2em',
		};

		this.sign = make({
			isWholeLine: true,
			gutterIconPath: vscode.Uri.joinPath(media, 'bar.svg'),
			gutterIconSize: 'contain',
			overviewRulerColor: new vscode.ThemeColor(
				'editorOverviewRuler.addedForeground'),
			overviewRulerLane: vscode.OverviewRulerLane.Left,
		});
		this.note = make({ after: quiet });
		this.current = make({ after: quiet });
		this.gutter = make(
			{ before: { color, margin: '0 1em 0 0' } });
		this.parts.push(
			owners.onChange(
				() => this.soon('all', () => this.all())),
			vscode.window.onDidChangeVisibleTextEditors(
				() => this.soon('all', () => this.all())),
			vscode.window.onDidChangeTextEditorSelection(
				e => this.soon('line',
					() => this.showLine(e.textEditor))),
			vscode.workspace.onDidChangeConfiguration(
				() => this.all()),
			vscode.languages.registerHoverProvider(
				{ scheme: 'file' }, this));
	}

	private soon(name: string, what: () => void): void {
		clearTimeout(this.timers.get(name));
		this.timers.set(name, setTimeout(what, DEBOUNCE));
	}

	toggle(): void {
		this.blame = !this.blame;
		this.all();
	}

	private all(): void {
		for (const editor of vscode.window.visibleTextEditors) {
			if (!isFile(editor.document))
				continue;
			this.show(editor);
			this.showLine(editor);
		}
	}

	private show(editor: vscode.TextEditor): void {
		const lines = this.owners.of(editor.document);
		const signs: vscode.DecorationOptions[] = [];
		const notes: vscode.DecorationOptions[] = [];
		const labels: vscode.DecorationOptions[] = [];
		const n = Math.min(editor.document.lineCount, 100_000);
		const wanted = setting('signs');

		for (let i = 0; lines && i < n; i++) {
			const owner = lines.owners[i];
			const first = owner !== lines.owners[i - 1] || !i;

			if (this.blame)
				labels.push(this.before(i, first ? owner :
					undefined));
			if (!wanted || !lines.isRecent(owner) ||
			    signs.length >= MARKS_MAX)
				continue;
			signs.push({ range: new vscode.Range(i, 0, i, 0) });
			if (first)
				notes.push(this.behind(editor, i,
					describe(owner, 60)));
		}
		editor.setDecorations(this.sign, signs);
		editor.setDecorations(this.note, notes);
		editor.setDecorations(this.gutter, labels);
	}

	private before(line: number, owner?: Owner): vscode.DecorationOptions {
		return {
			range: new vscode.Range(line, 0, line, 0),
			renderOptions: {
				before: { contentText: label(owner) },
			},
		};
	}

	private behind(editor: vscode.TextEditor, line: number, what: string):
		vscode.DecorationOptions {
		const end = editor.document.lineAt(line).range.end;

		return {
			range: new vscode.Range(end, end),
			renderOptions: { after: { contentText: what } },
		};
	}

	private showLine(editor: vscode.TextEditor): void {
		const line = editor.selection.active.line;
		const lines = this.owners.of(editor.document);
		const owner = lines?.owners[line];
		/* The first line of a marked run has such a text already. */
		const said = setting('signs') && lines?.isRecent(owner) &&
			(!line || lines.owners[line - 1] !== owner);

		editor.setDecorations(this.current,
			isSession(owner) && setting('currentLine') && !said ?
				[this.behind(editor, line,
					describe(owner, 100))] : []);
	}

	provideHover(document: vscode.TextDocument,
		position: vscode.Position): vscode.Hover | undefined {
		const owner = this.owners.at(document, position.line);

		if (!isSession(owner))
			return undefined;
		/* Texts of the transcript are in parts without commands. */
		const who = new vscode.MarkdownString();
		who.appendText(`${text.line(owner.sessionId, 40)}\n` +
			`${text.model(owner.model)} · ` +
			text.time(owner.timestamp));
		const what = new vscode.MarkdownString();
		what.appendText(text.line(owner.prompt, 400));
		const at = encodeURIComponent(JSON.stringify([position.line]));
		const links = new vscode.MarkdownString(
			`[Why](command:ccfc.why?${at}) · ` +
			`[Change](command:ccfc.diff?${at})`);
		links.isTrusted = {
			enabledCommands: ['ccfc.why', 'ccfc.diff'],
		};
		return new vscode.Hover([who, what, links]);
	}

	dispose(): void {
		this.timers.forEach(timer => clearTimeout(timer));
		this.parts.forEach(part => part.dispose());
	}
}
