/*
 * Texts of transcripts, made safe to show. Prompts, paths and ids come from
 * outside, so anything may be in them: whatever is shown in one line passes
 * through line(), notifications (which know links) through plain(), and
 * whatever becomes an argument of the command through id().
 */

const UNSAFE = new RegExp(
	'[\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f' +
	'\\u2028-\\u202e\\u2066-\\u2069\\ufeff]+', 'g');

/* One line of at most `width` characters; of anything but a text, nothing. */
export function line(text: unknown, width: number): string {
	if (typeof text !== 'string')
		return '';
	const all = Array.from(text.replace(UNSAFE, ' ').trim());
	return all.length > width ? all.slice(0, width - 1).join('') + '…'
		: all.join('');
}

/* For notifications, in which [text](target) is a link. */
export function plain(text: string): string {
	return line(text, 300).replace(/[[\]]/g, '·');
}

export function id(text: unknown): string | undefined {
	return typeof text === 'string' &&
		/^[A-Za-z0-9_][-\w#.]{0,199}$/.test(text) ? text : undefined;
}

export function short(session: unknown): string {
	return id(session)?.slice(0, 8) ?? '?';
}

/* The name of a model, without its maker and its date. */
export function model(name: unknown): string {
	return line(name, 40).replace(/^claude-/, '').replace(/-\d{8}$/, '');
}

/* "2025-12-31 14:05", local time. */
export function time(stamp: unknown): string {
	const when = new Date(typeof stamp === 'string' ? stamp : NaN);
	const two = (n: number) => String(n).padStart(2, '0');

	if (isNaN(when.getTime()))
		return '';
	return `${when.getFullYear()}-${two(when.getMonth() + 1)}-` +
		`${two(when.getDate())} ${two(when.getHours())}:` +
		two(when.getMinutes());
}
