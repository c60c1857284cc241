import { counted, shown } from '../figures';
import {
	aboveIdle,
	contenders,
	eventRate,
	receivers,
	runsWith,
	type Contender,
	type Receiver,
	type Results,
} from '../results';

const width = 880;
const labelWidth = 400;
const barHeight = 22;
const rowHeight = 30;
const headHeight = 52;
const own = '#1f6feb';
const other = '#8b949e';

/** A bar of a chart. */
interface Bar {
	label: string;
	value: number;
	isOwn: boolean;
}

/** Draws the two main comparisons as an SVG image. */
export function chart({ sizes, create, trigger }: Results): string {
	const creating: Contender[] = ['ownJson', 'ownShopify', 'expert', 'single'];
	const receiving: Receiver[] = ['own', 'guarded', 'open'];
	return svg([
		{
			title: `Seconds to create ${counted(sizes.deliveries)} deliveries (less is better)`,
			bars: creating.flatMap((contender) => {
				const value = aboveIdle(create, contender, (run) => run.seconds);
				const isOwn = contender.startsWith('own');
				return value === undefined ? [] : [{ label: contenders[contender], value, isOwn }];
			}),
		},
		{
			title: 'Events per second, 10 connections, SQLite (more is better)',
			bars: receiving.flatMap((receiver) => {
				const wanted = { receiver, database: 'SQLite', connections: 10 } as const;
				const value = eventRate(runsWith(trigger, wanted));
				const isOwn = receiver === 'own';
				return value === undefined ? [] : [{ label: receivers[receiver], value, isOwn }];
			}),
		},
	]);
}

/** Draws groups of horizontal bars, each group with its own scale. */
export function svg(groups: ReadonlyArray<{ title: string; bars: readonly Bar[] }>): string {
	const parts: string[] = [];
	let top = 0;
	for (const { title, bars } of groups) {
		const most = Math.max(...bars.map(({ value }) => value), Number.MIN_VALUE);
		parts.push(`<text x="16" y="${top + 32}" font-weight="bold">${escaped(title)}</text>`);
		bars.forEach(({ label, value, isOwn }, index) => {
			const y = top + headHeight + index * rowHeight;
			const length = Math.max(1, Math.round((value / most) * (width - labelWidth - 90)));
			parts.push(
				`<text x="${labelWidth - 10}" y="${y + 16}" text-anchor="end">${escaped(label)}</text>`,
				`<rect x="${labelWidth}" y="${y}" width="${length}" height="${barHeight}" rx="3" fill="${isOwn ? own : other}"/>`,
				`<text x="${labelWidth + length + 8}" y="${y + 16}">${escaped(shown(value))}</text>`,
			);
		});
		top += headHeight + bars.length * rowHeight + 12;
	}
	return [
		`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${top}" viewBox="0 0 ${width} ${top}" font-family="system-ui, sans-serif" font-size="13" fill="#1f2328">`,
		// A background of its own, since GitHub's page may be dark.
		`<rect width="${width}" height="${top}" fill="#ffffff"/>`,
		...parts,
		'</svg>',
		'',
	].join('\n');
}

function escaped(text: string): string {
	return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
