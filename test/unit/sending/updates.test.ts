import {
	sendUpdates,
	type Update,
	type UpdateResult,
	type UpdatingOptions,
} from '../../../nodes/DeliveryService/sending/updates';
import type { Exchange } from '../../../nodes/DeliveryService/service/client';
import type { UpdateBody } from '../../../nodes/DeliveryService/service/schemas';
import { VirtualTime } from '../../support/virtualTime';

const flags = { recalculatePrice: true, reorderRoute: true, recalculateCity: true };

function update(item: number, ids: string[], changes: Partial<Update> = {}): Update {
	return { item, targetKind: 'deliveryIds', ids, changes: { cod: 1 }, flags, ...changes };
}

const answer = (
	status: number,
	body?: unknown,
	headers: Record<string, string> = {},
): Exchange => ({
	kind: 'response',
	status,
	headers,
	body,
});

/** Runs updates; returns the request bodies, the results per request, and the duration. */
async function run(
	updates: Update[],
	respond: (body: UpdateBody, request: number) => Exchange = (_, request) =>
		answer(200, { code: 'OK', data: { jobs: request } }),
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
		maxRetryMs: 300_000,
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
	results.flatMap(({ outcome }) => (outcome.kind === 'updated' ? [] : [outcome.problem]));

test('sends an update with its targets, changes and flags', async () => {
	const changes = { contact: { name: 'Ana' }, addTags: [1] };
	const customFlags = { recalculatePrice: false, reorderRoute: true, recalculateCity: false };
	const { bodies } = await run([
		update(0, ['R1'], { targetKind: 'referenceIds', changes, flags: customFlags }),
	]);
	expect(bodies).toEqual([
		{
			referenceIds: ['R1'],
			deliveryChanges: changes,
			recalculatePrice: false,
			reorderRoute: true,
			recalculateCity: false,
		},
	]);
});

test('combines consecutive updates that differ only in their targets in one request', async () => {
	const { bodies, results } = await run([update(0, ['a', 'b']), update(1, ['c'])]);
	expect(bodies.map(({ deliveryIds }) => deliveryIds)).toEqual([['a', 'b', 'c']]);
	expect(results.map(({ item, id, targetKind }) => ({ item, id, targetKind }))).toEqual([
		{ item: 0, id: 'a', targetKind: 'deliveryIds' },
		{ item: 0, id: 'b', targetKind: 'deliveryIds' },
		{ item: 1, id: 'c', targetKind: 'deliveryIds' },
	]);
});

test.each<[string, Partial<Update>]>([
	['the kind of target', { targetKind: 'referenceIds' }],
	['the changes', { changes: { cod: 2 } }],
	['a flag', { flags: { ...flags, reorderRoute: false } }],
])('sends separate requests for consecutive updates that differ in %s', async (_, changes) => {
	const { bodies } = await run([update(0, ['a']), update(1, ['b'], changes), update(2, ['c'])]);
	expect(bodies.map((body) => body.deliveryIds ?? body.referenceIds)).toEqual([
		['a'],
		['b'],
		['c'],
	]);
});

test('does not combine equal updates across a different one, since a later change must win', async () => {
	const { bodies } = await run([
		update(0, ['a']),
		update(1, ['a'], { changes: { cod: 2 } }),
		update(2, ['a']),
	]);
	expect(bodies.map(({ deliveryChanges }) => deliveryChanges.cod)).toEqual([1, 2, 1]);
});

test('starts a new request for a repeated target', async () => {
	const { bodies } = await run([
		update(0, ['a', 'b']),
		update(1, ['c']),
		update(2, ['d', 'c']),
		update(3, ['a']),
		update(4, ['a']),
	]);
	expect(bodies.map(({ deliveryIds }) => deliveryIds)).toEqual([
		['a', 'b', 'c'],
		['d', 'c', 'a'],
		['a'],
	]);
});

test('sends at most 10 targets per request, in order', async () => {
	const ids = Array.from({ length: 21 }, (_, number) => `d${number}`);
	const { bodies, results } = await run([update(0, ids.slice(0, 15)), update(1, ids.slice(15))]);
	expect(bodies.map(({ deliveryIds }) => deliveryIds)).toEqual([
		ids.slice(0, 10),
		ids.slice(10, 20),
		ids.slice(20),
	]);
	expect(results.map(({ id }) => id)).toEqual(ids);
	expect(results.map(({ item }) => item)).toEqual(ids.map((_, number) => (number < 15 ? 0 : 1)));
});

test('returns the response to the own request in each result', async () => {
	const { results } = await run([update(0, ['a']), update(1, ['b'], { changes: { cod: 2 } })]);
	expect(results.map(({ outcome }) => outcome)).toEqual([
		{ kind: 'updated', response: { code: 'OK', jobId: 1 } },
		{ kind: 'updated', response: { code: 'OK', jobId: 2 } },
	]);
});

test('sends a request only after the results of the previous one were consumed', async () => {
	let sent = 0;
	const updates = [update(0, ['a']), update(1, ['b'], { changes: { cod: 2 } })];
	const updating: UpdatingOptions = {
		send: () => {
			sent++;
			return Promise.resolve(answer(200, {}));
		},
		clock: new VirtualTime(),
		random: Math.random,
		maxRetryMs: 0,
	};
	for await (const results of sendUpdates(updates, updating)) {
		expect(results).toHaveLength(1);
		break;
	}
	expect(sent).toBe(1);
});

test('sends nothing without updates', async () => {
	expect(await run([])).toMatchObject({ bodies: [], results: [], tookMs: 0 });
});

describe('success responses', () => {
	test.each<[string, Exchange, object]>([
		['202', answer(202, { code: 'ACCEPTED' }), { code: 'ACCEPTED' }],
		['204', answer(204), {}],
		['an empty body', answer(200), {}],
		['null', answer(200, null), {}],
		['a success keyword', answer(200, 'OK'), {}],
		['an empty object', answer(200, {}), {}],
		['null as code', answer(200, { code: null, message: 'Fine' }), { message: 'Fine' }],
		['a job under payload', answer(200, { payload: { jobs: 'j' } }), { jobId: 'j' }],
		['a list of jobs', answer(200, { data: { jobs: [1, 2] } }), { jobId: [1, 2] }],
	])('counts %s as updated', async (_what, exchange, response) => {
		const { bodies, results } = await run([update(0, ['a'])], () => exchange);
		expect(bodies).toHaveLength(1);
		expect(results.map(({ outcome }) => outcome)).toEqual([{ kind: 'updated', response }]);
	});

	test.each<[string, unknown]>([
		['a web page', '<!doctype html>'],
		['a sentence', 'Update queued'],
		['a job name', 'job-17'],
		['true', true],
		['a list', [{ jobs: 'j1' }]],
	])('reports the outcome as unknown when the success body is %s', async (_what, body) => {
		const { bodies, results } = await run([update(0, ['a', 'b'])], () => answer(200, body));
		expect(bodies).toHaveLength(1);
		expect(kindsOf(results)).toEqual({ a: 'unknown', b: 'unknown' });
		expect(problemsOf(results)[0]).toEqual({
			message:
				'It is unknown whether this delivery was updated: the response is not a valid Delivery Service response',
			description:
				'It is safe to run the update again. Check the Base URL in the credential: it must be the URL of the Delivery Service itself.',
		});
	});

	test('halts after three consecutive unreadable success bodies', async () => {
		const updates = ['a', 'b', 'c', 'd'].map((id, item) =>
			update(item, [id], { changes: { cod: item } }),
		);
		const { bodies, results } = await run(updates, () => answer(200, '<!doctype html>'));
		expect(bodies).toHaveLength(3);
		expect(kindsOf(results)).toEqual({ a: 'unknown', b: 'unknown', c: 'unknown', d: 'notSent' });
	});

	test('reports a success with an error code as rejected, with what the service says', async () => {
		const exchange = answer(200, { code: 'ERROR', message: 'The route has left already' });
		const { results } = await run([update(0, ['a'])], () => exchange);
		expect(results.map(({ outcome }) => outcome)).toEqual([
			{
				kind: 'rejected',
				problem: {
					message: 'The Delivery Service responded to the update with the code "ERROR"',
					description: 'The service says: The route has left already (ERROR)',
				},
			},
		]);
	});
});

describe('a batch with a wrong ID', () => {
	const ids = Array.from({ length: 10 }, (_, number) => `d${number}`);
	const others = Object.fromEntries(ids.map((id) => [id, id === 'd3' ? 'rejected' : 'updated']));

	test.each<[string, Exchange]>([
		['404', answer(404, { message: 'd3 is not known' })],
		['400', answer(400)],
		['403', answer(403)],
		['an error code', answer(200, { code: 'ERROR' })],
	])('updates the nine others individually after %s', async (_what, rejection) => {
		const { bodies, results } = await run([update(0, ids)], (body) =>
			idsOf(body)?.includes('d3') ? rejection : answer(200),
		);
		expect(bodies.map(idsOf)).toEqual([ids, ...ids.map((id) => [id])]);
		expect(kindsOf(results)).toEqual(others);
	});

	test('updates the others individually when the wrong ID causes a 500', async () => {
		const { results } = await run([update(0, ids)], (body) =>
			answer(idsOf(body)?.includes('d3') ? 500 : 200),
		);
		expect(kindsOf(results)).toEqual({ ...others, d3: 'unknown' });
	});

	test('still sends later requests after a wrong ID', async () => {
		const { bodies, results } = await run(
			[update(0, ['d3']), update(1, ['a'], { changes: { cod: 2 } })],
			(body) => (idsOf(body)?.includes('d3') ? answer(404) : answer(200)),
		);
		expect(bodies.map(idsOf)).toEqual([['d3'], ['a']]);
		expect(kindsOf(results)).toEqual({ d3: 'rejected', a: 'updated' });
	});
});

describe('a busy service', () => {
	test.each<[string, Exchange]>([
		['429', answer(429, undefined, { 'retry-after': '30' })],
		['503 with Retry-After', answer(503, undefined, { 'retry-after': '30' })],
		['503 with Retry-After and a web page', answer(503, '<p>Soon</p>', { 'retry-after': '30' })],
	])('retries after the requested pause on %s', async (_what, busy) => {
		const { bodies, results, tookMs } = await run([update(0, ['a', 'b'])], (_, request) =>
			request < 3 ? busy : answer(200),
		);
		expect(bodies.map(idsOf)).toEqual([
			['a', 'b'],
			['a', 'b'],
			['a', 'b'],
		]);
		expect(tookMs).toBe(60_000);
		expect(kindsOf(results)).toEqual({ a: 'updated', b: 'updated' });
	});

	test('sends nothing more when Retry-After exceeds Max Retry Time', async () => {
		const { bodies, results, tookMs } = await run(
			[update(0, ['a', 'b']), update(1, ['c'], { changes: { cod: 2 } })],
			() => answer(429, undefined, { 'retry-after': '600' }),
		);
		expect(bodies).toHaveLength(1);
		expect(tookMs).toBe(0);
		expect(kindsOf(results)).toEqual({ a: 'notSent', b: 'notSent', c: 'notSent' });
		expect(problemsOf(results.slice(1))).toEqual([
			{
				message: 'Rate limit of the Delivery Service exceeded (status 429)',
				description: 'Wait 10 minutes, as the service requests, then try again.',
			},
			{
				message:
					'This delivery was not updated: rate limit of the Delivery Service exceeded (status 429)',
				description: 'Wait 10 minutes, as the service requests, then try again.',
			},
		]);
	});

	test('retries for 15 seconds when the service is unreachable', async () => {
		const { bodies, results, tookMs } = await run([update(0, ['a'])], () => ({
			kind: 'noResponse',
			code: 'ECONNREFUSED',
		}));
		expect(bodies.length).toBeGreaterThan(1);
		expect(tookMs).toBe(15_000);
		expect(kindsOf(results)).toEqual({ a: 'notSent' });
	});
});

describe('a lost response', () => {
	const lost: Exchange = { kind: 'noResponse', code: 'ECONNRESET' };

	test.each<[string, Exchange]>([
		['a broken connection', lost],
		['a timeout', { kind: 'noResponse', code: 'ECONNABORTED' }],
		['a server error', answer(500)],
	])('retries the same request after %s', async (_what, exchange) => {
		const { bodies, results } = await run([update(0, ['a', 'b'])], (_, request) =>
			request < 3 ? exchange : answer(200),
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
				'It is unknown whether this delivery was updated: the connection to the Delivery Service failed',
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
			'This delivery was not updated: the connection to the Delivery Service failed',
		);
	});

	test('halts soon when the service fails for each delivery', async () => {
		const ids = Array.from({ length: 10 }, (_, number) => `d${number}`);
		const { bodies, results } = await run([update(0, ids)], () => answer(500));
		expect(bodies.map((body) => idsOf(body)?.length)).toEqual([
			10,
			10,
			10,
			...Array<number>(9).fill(1),
		]);
		// The shared request may also have changed those that were no longer sent individually.
		expect(Object.values(kindsOf(results))).toEqual(Array<string>(10).fill('unknown'));
	});

	test('keeps the outcome unknown and halts when the service becomes unreachable', async () => {
		const updates = [update(0, ['a']), update(1, ['b'], { changes: { cod: 2 } })];
		const { bodies, results } = await run(updates, (_, request) =>
			request === 1 ? lost : { kind: 'noResponse', code: 'ECONNREFUSED' },
		);
		expect(bodies.map(idsOf)).not.toContainEqual(['b']);
		expect(kindsOf(results)).toEqual({ a: 'unknown', b: 'notSent' });
		expect(problemsOf(results)).toMatchObject([
			{
				message:
					'It is unknown whether this delivery was updated: the connection to the Delivery Service failed',
				description: 'It is safe to run the update again. The error code is ECONNRESET.',
			},
			{
				message: 'This delivery was not updated: could not connect to the Delivery Service',
			},
		]);
	});

	test.each<[string, Exchange]>([
		['an untrusted certificate', { kind: 'noResponse', code: 'CERT_HAS_EXPIRED' }],
		['a wrong key', answer(401)],
		['a busy service', answer(429, undefined, { 'retry-after': '600' })],
	])(
		'keeps the outcome unknown when the retry halts the run because of %s',
		async (_what, exchange) => {
			const updates = [update(0, ['a']), update(1, ['b'], { changes: { cod: 2 } })];
			const { bodies, results } = await run(updates, (_, request) =>
				request === 1 ? lost : exchange,
			);
			expect(bodies).toHaveLength(2);
			expect(kindsOf(results)).toEqual({ a: 'unknown', b: 'notSent' });
		},
	);

	test('keeps the outcome unknown when the retry is rejected, and shows the rejection', async () => {
		const changes = { referenceId: 'R0-B' };
		const { bodies, results } = await run([update(0, ['a'], { changes })], (_, request) =>
			request === 1 ? answer(504) : answer(409, { message: 'The reference is in use' }),
		);
		expect(bodies).toHaveLength(2);
		expect(results.map(({ outcome }) => outcome)).toEqual([
			{
				kind: 'unknown',
				problem: {
					message:
						'It is unknown whether this delivery was updated: the Delivery Service returned a server error (status 504)',
					description:
						'Check the delivery in the Delivery Service dashboard: the update was retried and then rejected. The Delivery Service rejected the request (status 409). The service says: The reference is in use',
				},
			},
		]);
	});

	test('reports deliveries of a shared request as unknown when they are then rejected individually', async () => {
		const { bodies, results } = await run([update(0, ['a', 'b', 'c'])], (body, request) => {
			if (request === 1) return lost;
			return idsOf(body)?.includes('b') ? answer(409) : answer(200);
		});
		expect(bodies).toHaveLength(5);
		expect(kindsOf(results)).toEqual({ a: 'updated', b: 'unknown', c: 'updated' });
	});

	test('reports deliveries of a shared request as unknown when they are no longer sent individually', async () => {
		const stop = new AbortController();
		const { bodies, results } = await run(
			[update(0, ['a', 'b'])],
			(_, request) => {
				if (request === 3) stop.abort();
				return answer(500);
			},
			{ signal: stop.signal },
		);
		expect(bodies).toHaveLength(3);
		expect(kindsOf(results)).toEqual({ a: 'unknown', b: 'unknown' });
	});

	test('halts after three consecutive requests that are rejected on retry', async () => {
		const updates = ['a', 'b', 'c', 'd'].map((id, item) =>
			update(item, [id], { changes: { cod: item } }),
		);
		const { results } = await run(updates, (_, request) => answer(request % 2 === 1 ? 504 : 409));
		expect(kindsOf(results)).toEqual({ a: 'unknown', b: 'unknown', c: 'unknown', d: 'notSent' });
	});

	test('does not retry an update that changes the reference ID by which the delivery is found', async () => {
		const renamed = { targetKind: 'referenceIds', changes: { referenceId: 'R0-B' } } as const;
		const byReference = await run([update(0, ['R0'], renamed)], () => lost);
		expect(byReference.bodies).toHaveLength(1);
		expect(kindsOf(byReference.results)).toEqual({ R0: 'unknown' });
		expect(byReference.results).toMatchObject([
			{
				outcome: {
					problem: { description: expect.stringMatching(/both the old and the new reference ID/) },
				},
			},
		]);
		const byId = await run([update(0, ['a'], { changes: renamed.changes })], () => lost);
		expect(byId.bodies).toHaveLength(3);
	});

	test.each([301, 302, 303, 307, 308])('does not retry after redirect %d', async (status) => {
		const { bodies, results } = await run([update(0, ['a', 'b'])], () => answer(status));
		expect(bodies).toHaveLength(1);
		expect(kindsOf(results)).toEqual({ a: 'unknown', b: 'unknown' });
	});

	test('halts after three redirects', async () => {
		const updates = [0, 1, 2, 3].map((item) =>
			update(item, [`${item}`], { changes: { cod: item } }),
		);
		const { bodies, results } = await run(updates, () => answer(308));
		expect(bodies).toHaveLength(3);
		expect(kindsOf(results)).toEqual({ 0: 'unknown', 1: 'unknown', 2: 'unknown', 3: 'notSent' });
	});

	test('does not retry an update that replaces its reference ID after 503 from a gateway', async () => {
		const renamed = { targetKind: 'referenceIds', changes: { referenceId: 'R0-B' } } as const;
		const unavailable = answer(503, { message: 'Service Unavailable' }, { 'retry-after': '1' });
		const { bodies, results } = await run([update(0, ['R0'], renamed)], (_, request) =>
			request === 1 ? unavailable : answer(404),
		);
		expect(bodies).toHaveLength(1);
		expect(kindsOf(results)).toEqual({ R0: 'unknown' });
		const busy = answer(503, { code: 'BUSY', message: 'Later' }, { 'retry-after': '1' });
		const later = await run([update(0, ['R0'], renamed)], (_, request) =>
			request === 1 ? busy : answer(200),
		);
		expect(kindsOf(later.results)).toEqual({ R0: 'updated' });
	});
});

test.each<[string, Exchange]>([
	['401', answer(401)],
	['an untrusted certificate', { kind: 'noResponse', code: 'CERT_HAS_EXPIRED' }],
	[
		'n8n settings that forbid the request',
		{ kind: 'noResponse', code: '', blockedReason: 'Blocked' },
	],
])('halts on %s, which every request would meet', async (_what, exchange) => {
	const updates = [update(0, ['a', 'b']), update(1, ['c'], { changes: { cod: 2 } })];
	const { bodies, results } = await run(updates, () => exchange);
	expect(bodies).toHaveLength(1);
	expect(results.at(-1)?.outcome.kind).toBe('notSent');
	expect(problemsOf(results).at(-1)?.message).toMatch(/^This delivery was not updated: /);
});

test('reports an update as unknown after an unexpected error, and keeps the other results', async () => {
	const updates = [0, 1, 2].map((item) => update(item, [`${item}`], { changes: { cod: item } }));
	const { bodies, results } = await run(updates, (_, request) => {
		if (request === 2) throw new TypeError('x is not a function');
		return answer(200);
	});
	expect(bodies).toHaveLength(2);
	expect(kindsOf(results)).toEqual({ 0: 'updated', 1: 'unknown', 2: 'notSent' });
	expect(problemsOf(results).map(({ message }) => message)).toEqual([
		'It is unknown whether this delivery was updated: an unexpected error occurred: x is not a function',
		'This delivery was not updated: an unexpected error occurred: x is not a function',
	]);
});

test('sends nothing more after the execution is stopped', async () => {
	const stop = new AbortController();
	const { bodies, results } = await run(
		[update(0, ['a']), update(1, ['b'], { changes: { cod: 2 } })],
		() => {
			stop.abort();
			return answer(200);
		},
		{ signal: stop.signal },
	);
	expect(bodies).toHaveLength(1);
	expect(kindsOf(results)).toEqual({ a: 'updated', b: 'notSent' });
	expect(problemsOf(results)).toEqual([
		{
			message: 'This delivery was not updated: the execution was stopped',
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
			return answer(429, undefined, { 'retry-after': '30' });
		},
		{ signal: stop.signal },
	);
	expect(bodies).toHaveLength(1);
	expect(kindsOf(results)).toEqual({ a: 'notSent' });
});
