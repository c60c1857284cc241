import {
	classifyCreation,
	type ExchangeClass,
} from '../../../nodes/DeliveryService/sending/classify';
import type { Exchange } from '../../../nodes/DeliveryService/service/client';
import { codesIn, page, section, tablesOf } from '../../../tools/markdown';

/** The exchange that a status or an error code of the table stands for. */
function exchange(code: string, cell: string): Exchange {
	if (!/^\d{3}$/.test(code)) return { kind: 'noResponse', code };
	const hasTime = cell.includes(`\`${code}\` with the time`);
	const headers: Record<string, string> = hasTime ? { 'retry-after': '5' } : {};
	return { kind: 'response', status: Number(code), headers, body: {} };
}

/** What the code calls what the table says of the deliveries, and of sending again. */
function classOf(again: string, deliveries: string): ExchangeClass {
	if (again.startsWith('yes')) return 'notProcessed';
	if (deliveries.startsWith('created')) return 'done';
	return deliveries === 'unknown' ? 'unknown' : 'rejected';
}

test('docs/reliability.md says what is sent again as the code decides it', () => {
	const [rows = []] = tablesOf(section(page('docs/reliability.md'), 'What is sent again'));
	const said = rows.flatMap(([cell = '', again = '', deliveries = '']) =>
		codesIn(cell).map((code) => ({ code, cell, expected: classOf(again, deliveries) })),
	);
	expect(said.length).toBeGreaterThan(20);
	const wrong = said
		.map(({ code, cell, expected }) => ({
			code,
			expected,
			decided: classifyCreation(exchange(code, cell)),
		}))
		.filter(({ expected, decided }) => expected !== decided);
	expect(wrong).toEqual([]);
});
