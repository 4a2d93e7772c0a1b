/*
 * ccfc in VS Code: makes the parts and connects them. There is nothing to set
 * up: ccfc starts its daemon.
 */
import * as vscode from 'vscode';
import { Ccfc } from './ccfc';
import { Commands } from './commands';
import { Marks } from './marks';
import { Owners } from './owners';
import { Reload } from './reload';
import { HistoryView, SessionsView, timeline } from './views';

function statusBar(ccfc: Ccfc): vscode.Disposable[] {
	const item = vscode.window.createStatusBarItem(
		'ccfc', vscode.StatusBarAlignment.Right);
	const show = () => {
		item.text = ccfc.connected ? '$(history) ccfc' :
			'$(debug-disconnect) ccfc';
		item.tooltip = ccfc.connected ?
			'ccfc follows Claude Code sessions' :
			'the daemon of ccfc does not run';
	};

	item.name = 'ccfc';
	item.command = 'ccfc.log';
	show();
	item.show();
	return [item, ccfc.onConnected(show)];
}

export function activate(context: vscode.ExtensionContext): void {
	const log = vscode.window.createOutputChannel('ccfc');
	const ccfc = new Ccfc(log);
	const owners = new Owners(ccfc);
	const marks = new Marks(owners, vscode.Uri.joinPath(
		context.extensionUri, 'media'));
	const sessions = new SessionsView(ccfc);
	const history = new HistoryView(ccfc);
	const more = timeline(ccfc);

	context.subscriptions.push(log, ccfc, owners, marks, sessions, history,
		new Reload(ccfc, owners),
		new Commands(ccfc, owners, marks, sessions, history),
		...statusBar(ccfc));
	if (more)
		context.subscriptions.push(more);
	ccfc.follow();
}
