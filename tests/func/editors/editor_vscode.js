/*
 * Drives VS Code (code-server) in Chromium, for editor_vscode.py. What happens
 * around it (sessions, files, the daemon) it asks of editor_vscode.py, on a
 * socket; it waits for what it wants to see, never for a time.
 */
'use strict';
const assert = require('assert');
const net = require('net');
const { chromium } = require('playwright-core');

const { CCFC_TEST_URL: URL, CCFC_TEST_DIR: DIR, CCFC_TEST_SOCKET: SOCKET,
	CCFC_TEST_PICTURE: PICTURE } = process.env;
const LIMIT = 1000 * Number(process.env.CCFC_TEST_LIMIT);

/* ---- what happens around it ---- */

const peer = net.connect(SOCKET);
const replies = [];
let rest = '';

peer.setEncoding('utf8');
peer.on('data', text => {
	const lines = (rest + text).split('\n');
	rest = lines.pop();
	lines.forEach(line => replies.shift()(JSON.parse(line)));
});

function act(...words) {
	peer.write(JSON.stringify(words) + '\n');
	return new Promise(done => replies.push(done));
}

/* ---- the page ---- */

/* Runs in the page: texts in front of and behind lines, which are styles. */
function attached(which) {
	const found = [];
	for (const span of document.querySelectorAll('.view-line span')) {
		const text = getComputedStyle(span, which).content;
		if (text && text !== 'none' && text !== 'normal')
			found.push(text.slice(1, -1).replace(/\u00a0/g, ' '));
	}
	return found;
}

const opened = [];	/* the first one last */

class Editor {
	constructor(page) {
		this.page = page;
	}

	static async open(browser, name) {
		const page = await browser.newPage(
			{ viewport: { width: 1200, height: 640 } });
		const editor = new Editor(page);

		opened.unshift(editor);

		page.setDefaultTimeout(LIMIT);
		page.on('dialog', () => editor.fail('a dialog'));
		/* Timelines of extensions are a proposal. */
		await page.goto(`${URL}?folder=${encodeURIComponent(DIR)}` +
			'&payload=' + encodeURIComponent(
			JSON.stringify([['enableProposedApi', '']])));
		await page.waitForSelector('.monaco-workbench');
		await editor.daemon(true);
		await editor.file(name);
		return editor;
	}

	fail(why) {
		console.error('failed: ' + why);
		process.exit(1);
	}

	async until(what, condition, arg) {
		try {
			return await this.page.waitForFunction(condition, arg,
				{ timeout: LIMIT, polling: 100 });
		} catch (why) {
			const notes = await this.all(attached, '::after');
			throw new Error(`never: ${what}: ${why}\n` +
				JSON.stringify(notes));
		}
	}

	all(what, arg) {
		return this.page.evaluate(what, arg);
	}

	/* From the explorer, or its tab if it is open. */
	async file(name) {
		const tab = this.page.locator(
			`.tab[data-resource-name="${name}"]`).first();

		if (await tab.count())
			await tab.click();
		else
			await this.row('.explorer-folders-view', name)
				.dblclick();
		await this.page.waitForSelector(
			`.tab.active[data-resource-name="${name}"]`);
		await this.page.waitForSelector('.view-line');
	}

	async command(title) {
		await this.page.keyboard.press('F1');
		await this.page.waitForSelector('.quick-input-widget input');
		await this.page.keyboard.type(title);
		const row = this.page.locator(
			'.quick-input-list .monaco-list-row')
			.filter({ hasText: title }).first();
		await row.click();
	}

	text(want) {
		return this.until('text ' + want, text => [...document
			.querySelectorAll('.view-line')].some(line => line
			.textContent.replace(/\u00a0/g, ' ')
			.includes(text)), want);
	}

	note(want, where = '::after') {
		return this.until('note ' + want,
			([code, text, which]) => new Function('which',
				`${code}; return attached(which)`)(which)
				.some(note => note.includes(text)),
			[attached.toString(), want, where]);
	}

	/* So many lines have a bar in the gutter. */
	bars(n) {
		return this.until(n + ' bars', want => document
			.querySelectorAll('.glyph-margin-widgets .cgmr')
			.length === want, n);
	}

	notice(want) {
		return this.page.locator('.notification-toast')
			.filter({ hasText: want }).first()
			.waitFor({ state: 'visible' });
	}

	/* The view of ccfc, at the side. */
	async view() {
		await this.page.locator('.activitybar [aria-label="ccfc"]')
			.first().click();
	}

	/* The status bar says whether there is a daemon. */
	daemon(runs) {
		return this.until(runs ? 'a daemon' : 'no daemon', want => [
			...document.querySelectorAll('.statusbar-item')].some(
			item => item.getAttribute('aria-label')?.includes(
				want)), runs ? 'ccfc follows' : 'does not run');
	}

	row(view, want) {
		return this.page.locator(`${view} .monaco-list-row`)
			.filter({ hasText: want }).first();
	}
}

/* ---- tests ---- */

async function change(one, two) {
	await one.note('“make two”');
	await one.bars(1);
	await act('change', 'b', 'a.c', 'one\ntwo\nthree\nfour\n', 'go on');
	for (const editor of [one, two]) {
		await editor.text('four');
		await editor.note('“go on”');
	}
	/* Both lines of the session have a bar. */
	await one.bars(2);
}

async function hover(editor) {
	const line = editor.page.locator('.view-line')
		.filter({ hasText: 'two' }).first()
		.locator('span span').first();

	await line.hover();
	const box = editor.page.locator('.monaco-hover')
		.filter({ hasText: 'make two' }).first();
	await box.waitFor({ state: 'visible' });
	assert((await box.innerText()).includes('Why'));
}

async function views(editor, a) {
	await editor.view();
	const session = editor.row('.pane-body', a.slice(0, 8));
	await session.waitFor({ state: 'visible' });
	await session.click();
	await editor.row('.pane-body', 'a.c').waitFor({ state: 'visible' });
	/* The history of the open file. */
	await editor.row('.pane-body', 'go on').waitFor({ state: 'visible' });
}

async function blame(editor, b) {
	await editor.command('ccfc: Who Wrote Each Line (On or Off)');
	await editor.note(b.slice(0, 8), '::before');
	await editor.note('outside', '::before');
}

async function commands(editor) {
	await editor.page.locator('.view-line').filter({ hasText: 'two' })
		.first().click();
	await editor.command('ccfc: Why Is This Line Here?');
	await editor.text('make two');
	await editor.command('View: Close Editor');
	await editor.file('a.c');
	await editor.command('ccfc: Show the Change That Wrote This Line');
	await editor.page.waitForSelector('.monaco-diff-editor');
	await editor.command('View: Close Editor');
	await editor.file('a.c');
}

async function timeline(editor) {
	await editor.command('Explorer: Focus on Timeline View');
	await editor.row('.timeline-tree-view', 'go on')
		.waitFor({ state: 'visible' });
}

async function unsaved(editor, b) {
	await editor.page.locator('.view-line').first().click();
	await editor.page.keyboard.press('Home');
	await editor.page.keyboard.type('mine ');
	await editor.text('mine one');
	/* An edit that failed is no reason to ask: the file is as it was. The
	 * views come behind, so that a question would be there by then. */
	await act('attempt', 'a', 'a.c');
	await act('change', 'a', 'z.c', 'z\n', 'meanwhile');
	await editor.view();
	await editor.row('.pane-body', 'z.c').waitFor({ state: 'visible' });
	await act('change', 'b', 'a.c', 'one\ntwo\nthree\nfour\nfive\n',
		'more');
	await editor.notice('unsaved changes, and session ' + b.slice(0, 8));
	await editor.text('mine one');
	const toast = editor.page.locator('.notification-toast')
		.filter({ hasText: 'unsaved changes' }).first();
	await toast.locator('text=Show Differences').click();
	await editor.page.waitForSelector('.monaco-diff-editor');
	await editor.text('five');
	await editor.command('View: Close Editor');
	await editor.file('a.c');
	await editor.command('File: Revert File');
	await editor.text('five');
	await editor.note('“more”');
}

/* All files of a session, and a file as it was. */
async function files(editor, b) {
	await editor.command('ccfc: Files of a Session…');
	const input = editor.page.locator('.quick-input-widget input').first();
	await input.fill(b);
	await editor.page.keyboard.press('Enter');
	await editor.page.locator('.quick-input-list .monaco-list-row')
		.filter({ hasText: 'a.c' }).first().click();
	await editor.page.waitForSelector(
		'.tab.active[data-resource-name="a.c"]');
}

async function restore(editor) {
	const was = await act('get', 'a.c');

	await act('change', 'b', 'a.c', was + 'unwanted\n', 'a mistake');
	await editor.text('unwanted');
	await editor.command('ccfc: Restore This File…');
	await editor.page.locator('.quick-input-list .monaco-list-row')
		.filter({ hasText: 'a mistake' }).first().click();
	await editor.page.waitForSelector('.monaco-diff-editor');
	assert.strictEqual(await act('get', 'a.c'), was + 'unwanted\n');
	await editor.page.locator('.notification-toast')
		.filter({ hasText: 'as before' }).first()
		.locator('text=Restore').last().click();
	while (await act('get', 'a.c') !== was)
		await editor.page.waitForTimeout(50);
	await editor.command('View: Close Editor');
	await editor.file('a.c');
}

/* A daemon that crashed is started again; one that was stopped stays so until
 * the user wants something. */
async function restart(editor) {
	await act('crash');
	await act('change', 'a', 'a.c', 'one\ntwo\nsix\n', 'meanwhile');
	await editor.text('six');
	await editor.note('“meanwhile”');
	await act('end');
	await editor.daemon(false);
	await act('change', 'a', 'a.c', 'one\ntwo\nseven\n', 'stopped');
	assert.strictEqual(await act('running'), false);
	await editor.command('ccfc: History of This File');
	await editor.row('.pane-body', 'stopped')
		.waitFor({ state: 'visible' });
	await editor.text('seven');
	await editor.note('“stopped”');
}

async function conflict(editor) {
	await act('clash', 'a.c');
	/* Notices go away after some seconds; the list keeps them. */
	await editor.command('Notifications: Show Notifications');
	await editor.page.locator('.notifications-center .monaco-list-row')
		.filter({ hasText: 'a.c: stale: session' }).first()
		.waitFor({ state: 'visible' });
}

async function hostile(editor) {
	await act('hostile', 'a.c');
	await editor.text('evil');
	await editor.note('“%s%n');
	const notes = await editor.all(attached, '::after');
	const bad = new RegExp('[\\u0000-\\u001f\\u202e]');
	assert(!notes.some(note => bad.test(note)), JSON.stringify(notes));
	/* No text has become a part of the page. */
	const made = 'img[src="x"], a[href*="evil"], a[data-href*="evil"]';
	assert.strictEqual(await editor.all(
		what => document.querySelectorAll(what).length, made), 0);
	assert.strictEqual(await editor.all(() => window.ccfcEvil), undefined);
}

/* For the README: a small program, and what sessions did to it. */
async function picture(editor) {
	await act('scene');
	await editor.command('View: Close All Editors');
	await editor.command('ccfc: Who Wrote Each Line (On or Off)');
	await editor.command('Notifications: Clear All Notifications');
	await editor.command('Explorer: Focus on Folders View');
	await editor.file('greet.py');
	await editor.note('“greet by name”');
	await editor.view();
	const session = editor.row('.pane-body', 'Greet by name');
	await session.waitFor({ state: 'visible' });
	await session.click();
	await editor.row('.pane-body', 'greet.py')
		.waitFor({ state: 'visible' });
	await editor.page.locator('.view-line').filter({ hasText: 'strftime' })
		.first().click();
	await editor.note('“greet by the time of day”');
	await editor.page.screenshot({ path: PICTURE });
	await editor.command('Explorer: Focus on Folders View');
	await editor.file('a.c');
}

async function main() {
	const browser = await chromium.launch({
		executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
	const a = await act('id', 'a'), b = await act('id', 'b');
	const one = await Editor.open(browser, 'a.c');
	const two = await Editor.open(browser, 'a.c');
	const done = name => console.log('seen: ' + name);

	await change(one, two);
	done('change, in two windows');
	await two.page.close();
	await hover(one);
	done('hover');
	await views(one, a);
	done('sessions, files, history');
	await blame(one, b);
	done('blame');
	await commands(one);
	done('why, diff');
	await timeline(one);
	done('timeline');
	if (PICTURE)
		await picture(one);
	await files(one, b);
	done('files of a session');
	await restore(one);
	done('restore');
	await unsaved(one, b);
	done('unsaved');
	await restart(one);
	done('restart');
	await conflict(one);
	done('conflict');
	await hostile(one);
	done('hostile');
	await browser.close();
	await act('end');
	peer.destroy();
}

main().catch(async why => {
	console.error(why);
	for (const editor of opened)
		await editor.page.screenshot(
			{ path: SOCKET + '.failed.png' }).catch(() => {});
	console.error(await opened[opened.length - 1].all(
		() => [...document.querySelectorAll('.notification-toast, ' +
			'.notifications-center .monaco-list-row')]
			.map(one => one.textContent)).catch(() => ''));
	process.exit(1);
});
