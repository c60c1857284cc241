import { updateProblem } from '../../../nodes/DeliveryService/messages/updates';
import {
	sendUpdates,
	type Update,
	type UpdateResult,
	type UpdatingOptions,
} from '../../../nodes/DeliveryService/sending/updates';
import type { Exchange } from '../../../nodes/DeliveryService/service/client';
import type { UpdateBody } from '../../../nodes/DeliveryService/service/schemas';
import { noResponse, respondWith } from '../../support/creations';
import { VirtualTime } from '../../support/virtualTime';

const flags = { recalculatePrice: true, reorderRoute: true, recalculateCity: true };

function update(item: number, ids: string[], changes: Partial<Update> = {}): Update {
	return { item, targetKind: 'deliveryIds', ids, changes: { cod: 1 }, flags, ...changes };
}

/** The documented response to an update (docs/api.md, section 4.2). */
const done = (jobs: unknown = 'job') => respondWith(200, { code: 'OK', data: { jobs } });

/** Runs updates; returns the request bodies, the results per request, and the duration. */
async function run(
	updates: Update[],
	respond: (body: UpdateBody, request: number) => Exchange = (_, request) => done(`job-${request}`),
	more: Partial<UpdatingOptions> = {},
) {
	const bodies: UpdateBody[] = [];
	const clock = new VirtualTime();
	const start = clock.now();
	const batches: UpdateResult[][] = [];
	const updating: UpdatingOptions = {
		send: (body) => Promise.resolve(respond(body, bodies.push(body))),
		clock,
		random: () => 0.5,
		...more,
	};
	await clock.until(
		(async () => {
			for await (const results of sendUpdates(updates, updating)) batches.push(results);
		})(),
	);
	return { bodies, results: batches.flat(), batches, tookMs: clock.now() - start };
}

const idsOf = ({ deliveryIds, referenceIds }: UpdateBody) => deliveryIds ?? referenceIds;

const kindsOf = (results: readonly UpdateResult[]) =>
	Object.fromEntries(results.map(({ id, outcome }) => [id, outcome.kind]));

const problemsOf = (results: readonly UpdateResult[]) =>
	results.flatMap(({ update: { targetKind }, id, outcome }) =>
		outcome.kind === 'updated' ? [] : [updateProblem({ id, targetKind, outcome })],
	);

test('sends one request for the change of each item, in order', async () => {
	const { bodies, results } = await run([
		update(0, ['a', 'b']),
		update(1, ['c']),
		update(2, ['a'], { changes: { cod: 2 } }),
	]);
	expect(bodies.map(idsOf)).toEqual([['a', 'b'], ['c'], ['a']]);
	expect(results.map(({ update: { item }, id }) => [item, id])).toEqual([
		[0, 'a'],
		[0, 'b'],
		[1, 'c'],
		[2, 'a'],
	]);
});

test('sends at most 10 IDs per request', async () => {
	const ids = Array.from({ length: 21 }, (_, number) => `d${number}`);
	const { bodies } = await run([update(0, ids)]);
	expect(bodies.map(idsOf)).toEqual([ids.slice(0, 10), ids.slice(10, 20), ids.slice(20)]);
});

test('counts the documented response as updated, and returns it with the results of its request', async () => {
	const { results } = await run([update(0, ['a']), update(1, ['b'], { changes: { cod: 2 } })]);
	expect(results.map(({ outcome }) => outcome)).toEqual([
		{ kind: 'updated', response: { code: 'OK', jobId: 'job-1' } },
		{ kind: 'updated', response: { code: 'OK', jobId: 'job-2' } },
	]);
});

test.each<[string, Exchange, string]>([
	['no body', respondWith(204), 'Check the Base URL in the credential'],
	['a web page', respondWith(200, '<!doctype html>'), 'Check the Base URL in the credential'],
	['no job', respondWith(200, { code: 'OK', data: {} }), 'The service says: (OK)'],
	['an empty job', done(''), 'The service says: (OK)'],
	['a list', respondWith(200, [{ data: { jobs: 'j1' } }]), 'The service says: [{"data"'],
	[
		'a code of an error',
		respondWith(200, { code: 'ERROR', message: 'The route has left' }),
		'The service says: The route has left (ERROR)',
	],
])('reports a success with %s as unknown without sending it again', async (...row) => {
	const [, exchange, detail] = row;
	const { bodies, results } = await run([update(0, ['a', 'b'])], () => exchange);
	expect(bodies).toHaveLength(1);
	expect(kindsOf(results)).toEqual({ a: 'unknown', b: 'unknown' });
	const [problem] = problemsOf(results);
	expect(problem?.message).toMatch(
		/^It is unknown whether delivery a was updated: the response does not confirm it \(status 20\d\)$/,
	);
	expect(problem?.description).toContain(`It is safe to run the update again. ${detail}`);
});

describe('a batch with a wrong ID', () => {
	const ids = Array.from({ length: 10 }, (_, number) => `d${number}`);

	test.each([400, 403, 404])('updates the nine others individually after %d', async (status) => {
		const { bodies, results } = await run([update(0, ids), update(1, ['a'])], (body) =>
			idsOf(body)?.includes('d3') ? respondWith(status, { message: 'd3 is not known' }) : done(),
		);
		expect(bodies.map(idsOf)).toEqual([ids, ...ids.map((id) => [id]), ['a']]);
		const kinds = ids.map((id) => [id, id === 'd3' ? 'rejected' : 'updated']);
		expect(kindsOf(results)).toEqual({ ...Object.fromEntries(kinds), a: 'updated' });
		expect(problemsOf(results)).toMatchObject([
			{
				message: expect.stringMatching(/^Delivery d3 was not updated: the Delivery Service /),
				description: expect.stringContaining('d3 is not known'),
			},
		]);
	});

	test('leaves all deliveries of the request unknown after a server error', async () => {
		const { bodies, results } = await run([update(0, ids)], () => respondWith(500));
		expect(bodies.map(idsOf)).toEqual([ids, ids, ids]);
		expect(new Set(Object.values(kindsOf(results)))).toEqual(new Set(['unknown']));
	});
});

describe('a busy service', () => {
	test.each<[string, Exchange]>([
		['429', respondWith(429, undefined, { 'retry-after': '30' })],
		['503 with Retry-After', respondWith(503, undefined, { 'retry-after': '30' })],
		[
			'503 with Retry-After and a web page',
			respondWith(503, '<p>Soon</p>', { 'retry-after': '30' }),
		],
	])('retries after the requested pause on %s', async (_what, busy) => {
		const { bodies, results, tookMs } = await run([update(0, ['a', 'b'])], (_, request) =>
			request < 3 ? busy : done(),
		);
		expect(bodies.map(idsOf)).toEqual([
			['a', 'b'],
			['a', 'b'],
			['a', 'b'],
		]);
		expect(tookMs).toBe(60_000);
		expect(kindsOf(results)).toEqual({ a: 'updated', b: 'updated' });
	});

	test('sends nothing more when Retry-After exceeds the retry time', async () => {
		const { bodies, results, tookMs } = await run(
			[update(0, ['a', 'b']), update(1, ['c'], { changes: { cod: 2 } })],
			() => respondWith(429, undefined, { 'retry-after': '600' }),
		);
		expect(bodies).toHaveLength(1);
		expect(tookMs).toBe(0);
		expect(kindsOf(results)).toEqual({ a: 'notSent', b: 'notSent', c: 'notSent' });
		expect(problemsOf(results.slice(1))).toEqual([
			{
				message:
					'Delivery b was not updated: rate limit of the Delivery Service exceeded (status 429)',
				description: 'Wait 10 minutes, as the service requests, then try again.',
			},
			{
				message:
					'Delivery c was not updated: rate limit of the Delivery Service exceeded (status 429)',
				description: 'Wait 10 minutes, as the service requests, then try again.',
			},
		]);
	});
});

describe('a lost response', () => {
	const lost: Exchange = noResponse('ECONNRESET');

	test.each<[string, Exchange]>([
		['a broken connection', lost],
		['a timeout', noResponse('ECONNABORTED')],
		['a server error', respondWith(500)],
	])('retries the same request after %s', async (_what, exchange) => {
		const { bodies, results } = await run([update(0, ['a', 'b'])], (_, request) =>
			request < 3 ? exchange : done(),
		);
		expect(bodies.map(idsOf)).toEqual([
			['a', 'b'],
			['a', 'b'],
			['a', 'b'],
		]);
		expect(kindsOf(results)).toEqual({ a: 'updated', b: 'updated' });
	});

	test('reports the outcome as unknown after three lost responses', async () => {
		const { bodies, results } = await run([update(0, ['a', 'b'])], () => lost);
		expect(bodies).toHaveLength(3);
		expect(kindsOf(results)).toEqual({ a: 'unknown', b: 'unknown' });
		expect(problemsOf(results)[0]).toEqual({
			message:
				'It is unknown whether delivery a was updated: the connection to the Delivery Service at api.example.com failed',
			description: 'It is safe to run the update again. The error code is ECONNRESET.',
		});
	});

	test('halts after three consecutive requests with lost responses', async () => {
		const updates = ['a', 'b', 'c', 'd', 'e'].map((id, item) =>
			update(item, [id], { changes: { cod: item } }),
		);
		const { bodies, results } = await run(updates, () => lost);
		expect(bodies).toHaveLength(9);
		expect(kindsOf(results)).toEqual({
			a: 'unknown',
			b: 'unknown',
			c: 'unknown',
			d: 'notSent',
			e: 'notSent',
		});
		expect(problemsOf(results).at(-1)?.message).toBe(
			'Delivery e was not updated: the connection to the Delivery Service at api.example.com failed',
		);
	});

	test.each<[string, Exchange]>([
		['an untrusted certificate', noResponse('CERT_HAS_EXPIRED')],
		['no connection', noResponse('ECONNREFUSED')],
		['a wrong key', respondWith(401)],
		['a busy service', respondWith(429, undefined, { 'retry-after': '600' })],
	])(
		'keeps the outcome unknown when the retry fails because of %s, and halts',
		async (_what, exchange) => {
			const updates = [update(0, ['a']), update(1, ['b'], { changes: { cod: 2 } })];
			const { results } = await run(updates, (_, request) => (request === 1 ? lost : exchange));
			expect(kindsOf(results)).toEqual({ a: 'unknown', b: 'notSent' });
		},
	);

	test('keeps the outcome unknown when the retry is rejected, and shows the rejection', async () => {
		const changes = { referenceId: 'R0-B' };
		const { bodies, results } = await run([update(0, ['a'], { changes })], (_, request) =>
			request === 1 ? respondWith(504) : respondWith(409, { message: 'The reference is in use' }),
		);
		expect(bodies).toHaveLength(2);
		expect(kindsOf(results)).toEqual({ a: 'unknown' });
		expect(problemsOf(results)).toEqual([
			{
				message:
					'It is unknown whether delivery a was updated: the Delivery Service returned a server error (status 504)',
				description:
					'Look at the delivery in the Delivery Service: the update was retried and then rejected. The Delivery Service rejected the request (status 409). The service says: The reference is in use',
			},
		]);
	});

	test.each([
		[404, 'Check the delivery ID, and the Base URL in the credential.'],
		[403, 'The delivery may belong to another company: use the API key of that company.'],
	])(
		'advises nothing about a Company ID when the retry is rejected with %d',
		async (status, advice) => {
			const { results } = await run([update(0, ['a'])], (_, request) =>
				request === 1 ? lost : respondWith(status),
			);
			expect(kindsOf(results)).toEqual({ a: 'unknown' });
			expect(problemsOf(results)[0]?.description).toContain(advice);
		},
	);

	test('does not retry an update that changes the reference ID by which the delivery is found', async () => {
		const renamed = { targetKind: 'referenceIds', changes: { referenceId: 'R0-B' } } as const;
		const byReference = await run([update(0, ['R0'], renamed)], () => lost);
		expect(byReference.bodies).toHaveLength(1);
		expect(kindsOf(byReference.results)).toEqual({ R0: 'unknown' });
		expect(problemsOf(byReference.results)).toMatchObject([
			{
				message: expect.stringMatching(/^It is unknown whether R0 was updated: /),
				description: expect.stringMatching(/both the old and the new reference ID/),
			},
		]);
		const byId = await run([update(0, ['a'], { changes: renamed.changes })], () => lost);
		expect(byId.bodies).toHaveLength(3);
	});

	test('neither retries nor sends another update after a redirect', async () => {
		const updates = [update(0, ['a']), update(1, ['b'], { changes: { cod: 2 } })];
		const { bodies, results } = await run(updates, () => respondWith(308));
		expect(bodies).toHaveLength(1);
		expect(kindsOf(results)).toEqual({ a: 'unknown', b: 'notSent' });
	});

	test('does not retry an update that replaces its reference ID after 503 from a gateway', async () => {
		const renamed = { targetKind: 'referenceIds', changes: { referenceId: 'R0-B' } } as const;
		const unavailable = respondWith(
			503,
			{ message: 'Service Unavailable' },
			{ 'retry-after': '1' },
		);
		const { bodies, results } = await run([update(0, ['R0'], renamed)], (_, request) =>
			request === 1 ? unavailable : respondWith(404),
		);
		expect(bodies).toHaveLength(1);
		expect(kindsOf(results)).toEqual({ R0: 'unknown' });
		const busy = respondWith(503, { code: 'BUSY', message: 'Later' }, { 'retry-after': '1' });
		const later = await run([update(0, ['R0'], renamed)], (_, request) =>
			request === 1 ? busy : done(),
		);
		expect(kindsOf(later.results)).toEqual({ R0: 'updated' });
	});
});

test('reports an update as unknown after an unexpected error, and keeps the other results', async () => {
	const updates = [0, 1, 2].map((item) => update(item, [`${item}`], { changes: { cod: item } }));
	const { results } = await run(updates, (_, request) => {
		if (request === 2) throw new TypeError('x is not a function');
		return done();
	});
	expect(kindsOf(results)).toEqual({ 0: 'updated', 1: 'unknown', 2: 'updated' });
	expect(problemsOf(results).map(({ message }) => message)).toEqual([
		'It is unknown whether delivery 1 was updated: an unexpected error occurred: x is not a function',
	]);
});

test('sends nothing more after the execution is stopped', async () => {
	const stop = new AbortController();
	const { bodies, results } = await run(
		[update(0, ['a']), update(1, ['b'], { changes: { cod: 2 } })],
		() => {
			stop.abort();
			return done();
		},
		{ signal: stop.signal },
	);
	expect(bodies).toHaveLength(1);
	expect(kindsOf(results)).toEqual({ a: 'updated', b: 'notSent' });
	expect(problemsOf(results)).toEqual([
		{
			message: 'Delivery b was not updated: the execution was stopped',
			description: 'Run the workflow again to update it.',
		},
	]);
});

test('does not retry when the execution is stopped during the pause', async () => {
	const stop = new AbortController();
	const { bodies, results } = await run(
		[update(0, ['a'])],
		() => {
			stop.abort();
			return respondWith(429, undefined, { 'retry-after': '30' });
		},
		{ signal: stop.signal },
	);
	expect(bodies).toHaveLength(1);
	expect(kindsOf(results)).toEqual({ a: 'notSent' });
});
