import { aboveIdle, contenders, type Contender, type Results } from '../results';
import { counted, shown } from '../figures';
import { mostOf, rateOf } from '../goals';
import { receivers, runsWith, type Receiver } from '../results';

const width = 880;
const labelWidth = 450;
const barHeight = 22;
const rowHeight = 30;
const headHeight = 52;
const own = '#1f6feb';
const other = '#8b949e';

/** A bar of a chart. */
export interface Bar {
	label: string;
	value: number;
	own: boolean;
}

/** Draws the two comparisons that matter most as an SVG image. */
export function chart(results: Results): string {
	const count = mostOf(results);
	const creating: Contender[] = ['ownJson', 'ownShopify', 'expert', 'single'];
	const seconds = creating.flatMap((contender): Bar[] => {
		const shopify = contender === 'ownShopify';
		const wanted = { contender, shopify, count, latencyMs: 20 };
		const value = aboveIdle(results.create, wanted, (run) => run.seconds);
		return value === undefined
			? []
			: [{ label: contenders[contender], value, own: contender.startsWith('own') }];
	});
	const receiving: Receiver[] = ['own', 'guarded', 'withCredential', 'bare'];
	const events = receiving.flatMap((receiver): Bar[] => {
		const wanted = { receiver, database: 'SQLite', connections: 10 } as const;
		const value = rateOf(runsWith(results.trigger, wanted));
		return value === undefined
			? []
			: [{ label: receivers[receiver], value, own: receiver === 'own' }];
	});
	return svg([
		{
			title: `Seconds to create ${counted(count)} deliveries, 20 ms an answer (less is better)`,
			bars: seconds,
		},
		{ title: 'Events a second, 10 connections, SQLite (more is better)', bars: events },
	]);
}

/** Draws groups of horizontal bars below each other, each group with a scale of its own. */
export function svg(groups: ReadonlyArray<{ title: string; bars: readonly Bar[] }>): string {
	const parts: string[] = [];
	let top = 0;
	for (const { title, bars } of groups) {
		const most = Math.max(...bars.map(({ value }) => value), Number.MIN_VALUE);
		parts.push(`<text x="16" y="${top + 32}" font-weight="bold">${escaped(title)}</text>`);
		bars.forEach(({ label, value, own: isOwn }, index) => {
			const y = top + headHeight + index * rowHeight;
			const room = width - labelWidth - 90;
			const length = Math.max(1, Math.round((Math.max(0, value) / most) * room));
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
		// A ground of its own: the page that shows it may be dark.
		`<rect width="${width}" height="${top}" fill="#ffffff"/>`,
		...parts,
		'</svg>',
		'',
	].join('\n');
}

function escaped(text: string): string {
	return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
