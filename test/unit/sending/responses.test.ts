import type { Exchange } from '../../../nodes/DeliveryService/service/client';
import { outcomesOf } from '../../../nodes/DeliveryService/sending/responses';
import { jobsOf, noResponse, respondWith } from '../../support/creations';

/** The IDs of a batch's created deliveries by position; for the others what became of them. */
function idsOf(count: number, exchange: Exchange): string[] {
	return outcomesOf(jobsOf(count), exchange).map((outcome) =>
		outcome.kind === 'created' ? outcome.id : outcome.kind,
	);
}

const success = (...payload: unknown[]) =>
	respondWith(200, { code: 'OK', message: 'Success', payload });

test.each<[string, unknown[], string[]]>([
	[
		'by index, in any order',
		[
			{ index: 1, id: 'b' },
			{ index: 0, id: 'a' },
		],
		['a', 'b'],
	],
	[
		'by index, also if the service changes the reference IDs',
		[
			{ index: 0, referenceId: 'r-0', id: 'a' },
			{ index: 1, referenceId: 'r-1', id: 'b' },
		],
		['a', 'b'],
	],
	['not without an index', [{ referenceId: 'R1', id: 'b' }], ['unknown', 'unknown']],
	[
		'with a number as ID',
		[
			{ index: 0, id: 7 },
			{ index: 1, id: 8 },
		],
		['7', '8'],
	],
	[
		'not with the reference ID of another delivery',
		[{ index: 0, referenceId: 'R1', id: 'a' }],
		['unknown', 'unknown'],
	],
	[
		'by index, if the service spells the reference IDs in another way',
		[
			{ index: 0, referenceId: 'r0', id: 'a' },
			{ index: 1, referenceId: '#R1', id: 'b' },
		],
		['a', 'b'],
	],
	[
		'not with the reference ID of another delivery in another spelling',
		[
			{ index: 0, referenceId: 'r1', id: 'a' },
			{ index: 1, referenceId: '#R0', id: 'b' },
		],
		['unknown', 'unknown'],
	],
	['not beyond the batch', [{ index: 2, id: 'a' }], ['unknown', 'unknown']],
	['not when the index is text', [{ index: '0', id: 'a' }], ['unknown', 'unknown']],
	['not without index and reference ID', [{ id: 'a' }, { id: 'b' }], ['unknown', 'unknown']],
	[
		'not for two records',
		[
			{ index: 0, id: 'a' },
			{ index: 0, id: 'c' },
			{ index: 1, id: 'b' },
		],
		['unknown', 'b'],
	],
	[
		'not for an ID of two deliveries',
		[
			{ index: 0, id: 'a' },
			{ index: 1, id: 'a' },
		],
		['unknown', 'unknown'],
	],
	[
		'not without a valid ID',
		[
			{ index: 0, id: 0 },
			{ index: 1, id: 'null' },
		],
		['unknown', 'unknown'],
	],
	['only those that are objects', ['text', { index: 1, id: 'b' }], ['unknown', 'b']],
])('records of a batch count %s', (_, payload, expected) => {
	expect(idsOf(2, success(...payload))).toEqual(expected);
});

test.each<[string, unknown, string]>([
	['without index and reference ID', { id: 'a' }, 'a'],
	['with the ID -1', { id: -1 }, 'unknown'],
	['with the ID 1.5', { id: 1.5 }, 'unknown'],
	['with an ID that is not safe', { id: 2 ** 53 }, 'unknown'],
	['with an empty ID', { id: '' }, 'unknown'],
	['with another reference ID', { id: 'a', referenceId: 'other' }, 'a'],
	['with an index from 1', { id: 'a', index: 1 }, 'a'],
])('the only record %s for the only delivery', (_, record, expected) => {
	expect(idsOf(1, success(record))).toEqual([expected]);
});

test.each<[string, Exchange, string[]]>([
	['a success without a payload', respondWith(200, { code: 'OK' }), ['unknown', 'unknown']],
	['a web page', respondWith(200, '<html>'), ['unknown', 'unknown']],
	['a rejection of a batch', respondWith(400, { code: 'E' }), ['unknown', 'unknown']],
	['a batch that is too large', respondWith(413, ''), ['unknown', 'unknown']],
	['a wrong API key', respondWith(401, { code: 'E', message: 'no' }), ['notSent', 'notSent']],
	['a busy service', respondWith(429, ''), ['notSent', 'notSent']],
	['a server error', respondWith(500, ''), ['unknown', 'unknown']],
	['a redirect', respondWith(302, ''), ['unknown', 'unknown']],
	['no connection', noResponse('ECONNREFUSED'), ['notSent', 'notSent']],
	['a broken connection', noResponse('ECONNRESET'), ['unknown', 'unknown']],
	[
		'a rejection with the records of created deliveries',
		respondWith(400, { payload: [{ index: 1, id: 'b' }] }),
		['unknown', 'b'],
	],
	[
		'a busy service that names a created delivery',
		respondWith(429, { payload: [{ index: 0, id: 'a' }] }),
		['a', 'unknown'],
	],
])('after %s, each delivery of a batch has its outcome', (_, exchange, expected) => {
	expect(idsOf(2, exchange)).toEqual(expected);
});

test('a delivery that was sent alone is rejected, unless the rejection names a delivery', () => {
	expect(idsOf(1, respondWith(422, { code: 'E', message: 'No address' }))).toEqual(['rejected']);
	expect(idsOf(1, respondWith(422, { payload: [{ id: 'a' }] }))).toEqual(['unknown']);
});
