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

/** The bodies that were sent, the results of each, and the milliseconds that it took. */
async function run(
	updates: Update[],
	reply: (body: UpdateBody, request: number) => Exchange = (_, request) =>
		answer(200, { code: 'OK', data: { jobs: request } }),
	more: Partial<UpdatingOptions> = {},
) {
	const bodies: UpdateBody[] = [];
	const clock = new VirtualTime();
	const start = clock.now();
	const batches: UpdateResult[][] = [];
	const updating: UpdatingOptions = {
		send: (body) => Promise.resolve(reply(body, bodies.push(body))),
		clock,
		random: () => 0.5,
		maximumWaitMs: 300_000,
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

test('an update is sent with its target, its changes and its flags', async () => {
	const changes = { contact: { name: 'Ana' }, addTags: [1] };
	const some = { recalculatePrice: false, reorderRoute: true, recalculateCity: false };
	const { bodies } = await run([
		update(0, ['R1'], { targetKind: 'referenceIds', changes, flags: some }),
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

test('neighbours that differ only in their targets share a request', async () => {
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
])('neighbours that differ in %s do not share a request', async (_, changes) => {
	const { bodies } = await run([update(0, ['a']), update(1, ['b'], changes), update(2, ['c'])]);
	expect(bodies.map((body) => body.deliveryIds ?? body.referenceIds)).toEqual([
		['a'],
		['b'],
		['c'],
	]);
});

test('equal updates with another between them stay apart, since a later change must win', async () => {
	const { bodies } = await run([
		update(0, ['a']),
		update(1, ['a'], { changes: { cod: 2 } }),
		update(2, ['a']),
	]);
	expect(bodies.map(({ deliveryChanges }) => deliveryChanges.cod)).toEqual([1, 2, 1]);
});

test('a target that is repeated starts a new request', async () => {
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

test('no request holds more than 10 targets, and their order is kept', async () => {
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

test('each result carries what the service said of its own request', async () => {
	const { results } = await run([update(0, ['a']), update(1, ['b'], { changes: { cod: 2 } })]);
	expect(results.map(({ outcome }) => outcome)).toEqual([
		{ kind: 'updated', said: { code: 'OK', jobId: 1 } },
		{ kind: 'updated', said: { code: 'OK', jobId: 2 } },
	]);
});

test('a request is sent only when the results of the one before were taken', async () => {
	let sent = 0;
	const updates = [update(0, ['a']), update(1, ['b'], { changes: { cod: 2 } })];
	const updating: UpdatingOptions = {
		send: () => {
			sent++;
			return Promise.resolve(answer(200, {}));
		},
		clock: new VirtualTime(),
		random: Math.random,
		maximumWaitMs: 0,
	};
	for await (const results of sendUpdates(updates, updating)) {
		expect(results).toHaveLength(1);
		break;
	}
	expect(sent).toBe(1);
});

test('without updates nothing is sent', async () => {
	expect(await run([])).toMatchObject({ bodies: [], results: [], tookMs: 0 });
});

describe('a success', () => {
	test.each<[string, Exchange, object]>([
		['is 202', answer(202, { code: 'ACCEPTED' }), { code: 'ACCEPTED' }],
		['is 204', answer(204), {}],
		['is an empty body', answer(200), {}],
		['is null', answer(200, null), {}],
		['is a word for it', answer(200, 'OK'), {}],
		['is an object without members', answer(200, {}), {}],
		['may have null for a code', answer(200, { code: null, message: 'Fine' }), { message: 'Fine' }],
		['may have its job under payload', answer(200, { payload: { jobs: 'j' } }), { jobId: 'j' }],
		['may have a list of jobs', answer(200, { data: { jobs: [1, 2] } }), { jobId: [1, 2] }],
	])('%s', async (_what, reply, said) => {
		const { bodies, results } = await run([update(0, ['a'])], () => reply);
		expect(bodies).toHaveLength(1);
		expect(results.map(({ outcome }) => outcome)).toEqual([{ kind: 'updated', said }]);
	});

	test.each<[string, unknown]>([
		['a page', '<!doctype html>'],
		['a sentence', 'Update queued'],
		['the name of a job', 'job-17'],
		['true', true],
		['a list', [{ jobs: 'j1' }]],
	])('whose body is %s leaves the outcome unknown: it may have been made', async (_what, body) => {
		const { bodies, results } = await run([update(0, ['a', 'b'])], () => answer(200, body));
		expect(bodies).toHaveLength(1);
		expect(kindsOf(results)).toEqual({ a: 'unknown', b: 'unknown' });
		expect(problemsOf(results)[0]).toEqual({
			message:
				'Whether this delivery was updated is unknown: the response is not a valid Delivery Service response',
			description:
				'Update it again: that does no harm. Check the Base URL in the credential: it must be the URL of the Delivery Service itself.',
		});
	});

	test('that cannot be read ends the run when it comes for three requests in a row', async () => {
		const updates = ['a', 'b', 'c', 'd'].map((id, item) =>
			update(item, [id], { changes: { cod: item } }),
		);
		const { bodies, results } = await run(updates, () => answer(200, '<!doctype html>'));
		expect(bodies).toHaveLength(3);
		expect(kindsOf(results)).toEqual({ a: 'unknown', b: 'unknown', c: 'unknown', d: 'notSent' });
	});

	test('whose code says otherwise is none, and the words of the service are passed on', async () => {
		const reply = answer(200, { code: 'ERROR', message: 'The route has left already' });
		const { results } = await run([update(0, ['a'])], () => reply);
		expect(results.map(({ outcome }) => outcome)).toEqual([
			{
				kind: 'rejected',
				problem: {
					message: 'The Delivery Service answered the update with the code "ERROR"',
					description: 'The service says: The route has left already (ERROR)',
				},
			},
		]);
	});
});

describe('a wrong ID', () => {
	const ids = Array.from({ length: 10 }, (_, number) => `d${number}`);
	const others = Object.fromEntries(ids.map((id) => [id, id === 'd3' ? 'rejected' : 'updated']));

	test.each<[string, Exchange]>([
		['404', answer(404, { message: 'd3 is not known' })],
		['400', answer(400)],
		['403', answer(403)],
		['a code of failure', answer(200, { code: 'ERROR' })],
	])('does not fail the nine others of its request: %s', async (_what, refusal) => {
		const { bodies, results } = await run([update(0, ids)], (body) =>
			idsOf(body)?.includes('d3') ? refusal : answer(200),
		);
		expect(bodies.map(idsOf)).toEqual([ids, ...ids.map((id) => [id])]);
		expect(kindsOf(results)).toEqual(others);
	});

	test('for which the service breaks down does not either', async () => {
		const { results } = await run([update(0, ids)], (body) =>
			answer(idsOf(body)?.includes('d3') ? 500 : 200),
		);
		expect(kindsOf(results)).toEqual({ ...others, d3: 'unknown' });
	});

	test('keeps no later request from being sent', async () => {
		const { bodies, results } = await run(
			[update(0, ['d3']), update(1, ['a'], { changes: { cod: 2 } })],
			(body) => (idsOf(body)?.includes('d3') ? answer(404) : answer(200)),
		);
		expect(bodies.map(idsOf)).toEqual([['d3'], ['a']]);
		expect(kindsOf(results)).toEqual({ d3: 'rejected', a: 'updated' });
	});
});

describe('a service that cannot take a request now', () => {
	test.each<[string, Exchange]>([
		['429', answer(429, undefined, { 'retry-after': '30' })],
		['503 with Retry-After', answer(503, undefined, { 'retry-after': '30' })],
		['503 with Retry-After as a web page', answer(503, '<p>Soon</p>', { 'retry-after': '30' })],
	])('is waited for as long as it asks: %s', async (_what, busy) => {
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

	test('is not waited for beyond Max Retry Time: nothing more is sent', async () => {
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

	test('that is not reached at all is tried for 15 seconds', async () => {
		const { bodies, results, tookMs } = await run([update(0, ['a'])], () => ({
			kind: 'noResponse',
			code: 'ECONNREFUSED',
		}));
		expect(bodies.length).toBeGreaterThan(1);
		expect(tookMs).toBe(15_000);
		expect(kindsOf(results)).toEqual({ a: 'notSent' });
	});
});

describe('a lost answer', () => {
	const lost: Exchange = { kind: 'noResponse', code: 'ECONNRESET' };

	test.each<[string, Exchange]>([
		['a connection that broke', lost],
		['a time-out', { kind: 'noResponse', code: 'ECONNABORTED' }],
		['a failure of the service', answer(500)],
	])('is no harm: the same is sent again after %s', async (_what, exchange) => {
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

	test('three times leaves the outcome unknown', async () => {
		const { bodies, results } = await run([update(0, ['a', 'b'])], () => lost);
		expect(bodies).toHaveLength(3);
		expect(kindsOf(results)).toEqual({ a: 'unknown', b: 'unknown' });
		expect(problemsOf(results)[0]).toEqual({
			message:
				'Whether this delivery was updated is unknown: the connection to the Delivery Service failed',
			description: 'Update it again: that does no harm. The error code is ECONNRESET.',
		});
	});

	test('of three requests in a row ends the run', async () => {
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

	test('of a service that fails for each delivery ends the run soon', async () => {
		const ids = Array.from({ length: 10 }, (_, number) => `d${number}`);
		const { bodies, results } = await run([update(0, ids)], () => answer(500));
		expect(bodies.map((body) => idsOf(body)?.length)).toEqual([
			10,
			10,
			10,
			...Array<number>(9).fill(1),
		]);
		// The request that they shared may have changed those too that were not sent alone any more.
		expect(Object.values(kindsOf(results))).toEqual(Array<string>(10).fill('unknown'));
	});

	test('stays unknown when the service is not reached any more, which ends the run', async () => {
		const updates = [update(0, ['a']), update(1, ['b'], { changes: { cod: 2 } })];
		const { bodies, results } = await run(updates, (_, request) =>
			request === 1 ? lost : { kind: 'noResponse', code: 'ECONNREFUSED' },
		);
		expect(bodies.map(idsOf)).not.toContainEqual(['b']);
		expect(kindsOf(results)).toEqual({ a: 'unknown', b: 'notSent' });
		expect(problemsOf(results)).toMatchObject([
			{
				message:
					'Whether this delivery was updated is unknown: the connection to the Delivery Service failed',
				description: 'Update it again: that does no harm. The error code is ECONNRESET.',
			},
			{
				message:
					'This delivery was not updated: could not connect to the Base URL of the Delivery Service',
			},
		]);
	});

	test.each<[string, Exchange]>([
		['a certificate that is not trusted', { kind: 'noResponse', code: 'CERT_HAS_EXPIRED' }],
		['a wrong key', answer(401)],
		['a busy service', answer(429, undefined, { 'retry-after': '600' })],
	])('stays unknown when the next try ends the run: %s', async (_what, exchange) => {
		const updates = [update(0, ['a']), update(1, ['b'], { changes: { cod: 2 } })];
		const { bodies, results } = await run(updates, (_, request) =>
			request === 1 ? lost : exchange,
		);
		expect(bodies).toHaveLength(2);
		expect(kindsOf(results)).toEqual({ a: 'unknown', b: 'notSent' });
	});

	test('stays unknown when the same is refused then, which is told too', async () => {
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
						'Whether this delivery was updated is unknown: the Delivery Service returned a server error (status 504)',
					description:
						'Look it up in the dashboard of the Delivery Service: the update was sent again, and was refused then. The Delivery Service rejected the request (status 409). The service says: The reference is in use',
				},
			},
		]);
	});

	test('of a shared request leaves those unknown that are refused alone', async () => {
		const { bodies, results } = await run([update(0, ['a', 'b', 'c'])], (body, request) => {
			if (request === 1) return lost;
			return idsOf(body)?.includes('b') ? answer(409) : answer(200);
		});
		expect(bodies).toHaveLength(5);
		expect(kindsOf(results)).toEqual({ a: 'updated', b: 'unknown', c: 'updated' });
	});

	test('of a shared request leaves those unknown that are not sent alone any more', async () => {
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

	test('is told of three requests in a row that are refused then, and ends the run', async () => {
		const updates = ['a', 'b', 'c', 'd'].map((id, item) =>
			update(item, [id], { changes: { cod: item } }),
		);
		const { results } = await run(updates, (_, request) => answer(request % 2 === 1 ? 504 : 409));
		expect(kindsOf(results)).toEqual({ a: 'unknown', b: 'unknown', c: 'unknown', d: 'notSent' });
	});

	test('is not sent again where the delivery would have another reference ID by then', async () => {
		const renamed = { targetKind: 'referenceIds', changes: { referenceId: 'R0-B' } } as const;
		const byReference = await run([update(0, ['R0'], renamed)], () => lost);
		expect(byReference.bodies).toHaveLength(1);
		expect(kindsOf(byReference.results)).toEqual({ R0: 'unknown' });
		expect(byReference.results).toMatchObject([
			{
				outcome: {
					problem: { description: expect.stringMatching(/old and its new reference ID/) },
				},
			},
		]);
		const byId = await run([update(0, ['a'], { changes: renamed.changes })], () => lost);
		expect(byId.bodies).toHaveLength(3);
	});

	test('whose result is elsewhere (303) is not asked for again', async () => {
		const { bodies, results } = await run([update(0, ['a', 'b'])], () => answer(303));
		expect(bodies).toHaveLength(1);
		expect(kindsOf(results)).toEqual({ a: 'unknown', b: 'unknown' });
	});
});

test.each<[string, Exchange]>([
	['401', answer(401)],
	['308', answer(308)],
	['a certificate that is not trusted', { kind: 'noResponse', code: 'CERT_HAS_EXPIRED' }],
	['settings of n8n', { kind: 'noResponse', code: '', blockedReason: 'Blocked' }],
])('what every further request would meet ends the run: %s', async (_what, exchange) => {
	const updates = [update(0, ['a', 'b']), update(1, ['c'], { changes: { cod: 2 } })];
	const { bodies, results } = await run(updates, () => exchange);
	expect(bodies).toHaveLength(1);
	expect(results.at(-1)?.outcome.kind).toBe('notSent');
	expect(problemsOf(results).at(-1)?.message).toMatch(/^This delivery was not updated: /);
});

test('an execution that is stopped sends nothing more', async () => {
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

test('an execution that is stopped while it waits does not send again', async () => {
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
