import {
	classifyCreation,
	type ExchangeClass,
} from '../../../nodes/DeliveryService/sending/classify';
import type { Exchange } from '../../../nodes/DeliveryService/service/client';
import { noResponse, respondWith } from '../../support/creations';
import { codesIn, page, section, tablesOf } from '../../../tools/markdown';

/** The exchange for a status or an error code in the table. */
function exchange(code: string, cell: string): Exchange {
	if (!/^\d{3}$/.test(code)) return noResponse(code);
	const hasRetryAfter = cell.includes(`\`${code}\` with a Retry-After header`);
	const headers: Record<string, string> = hasRetryAfter ? { 'retry-after': '5' } : {};
	return respondWith(Number(code), { code: 'BUSY', message: 'Later' }, headers);
}

/** The class that corresponds to the columns of the table. */
function classOf(retried: string, deliveries: string): ExchangeClass {
	if (retried.startsWith('yes')) return 'notProcessed';
	if (deliveries.startsWith('created')) return 'done';
	return deliveries === 'unknown' ? 'unknown' : 'rejected';
}

test('the table of retries in docs/run.md matches the code', () => {
	const [rows = []] = tablesOf(section(page('docs/run.md'), 'What is retried'));
	const documented = rows.flatMap(([cell = '', retried = '', deliveries = '']) =>
		codesIn(cell).map((code) => ({ code, cell, expected: classOf(retried, deliveries) })),
	);
	expect(documented.length).toBeGreaterThan(20);
	const wrong = documented
		.map(({ code, cell, expected }) => ({
			code,
			expected,
			actual: classifyCreation(exchange(code, cell)),
		}))
		.filter(({ expected, actual }) => expected !== actual);
	expect(wrong).toEqual([]);
});
