/** The loop by itself, with a service and a store in memory: what it sends, and what it tells. */
import {
	openLedger,
	type Ledger,
	type Store,
} from '../../../nodes/DeliveryService/deduplication/ledger';
import {
	sendCreations,
	type Report,
	type SendingOptions,
} from '../../../nodes/DeliveryService/sending/creations';
import type { Creation } from '../../../nodes/DeliveryService/sending/outcomes';
import { RateLimit } from '../../../nodes/DeliveryService/sending/rateLimit';
import { answer, creation, creationsOf, FakeService } from '../../support/creations';
import { memoryStore, type Row } from '../../support/memoryStore';
import { VirtualTime } from '../../support/virtualTime';

let time: VirtualTime;
let row: Row;
let executions: number;

beforeEach(() => {
	time = new VirtualTime();
	row = { entries: new Set() };
	executions = 0;
});

function ledgerFor(companyId: Creation['companyId']): Ledger {
	const store = memoryStore(row, time, () => ({ before: 0, between: 0, after: 0 }));
	return openLedger(store, `company ${companyId}`, `execution ${++executions}`, time);
}

async function run(
	service: FakeService,
	creations: readonly Creation[],
	more: Partial<SendingOptions> = {},
): Promise<Report> {
	return await time.until(
		sendCreations(creations, {
			send: service.send,
			rateLimit: new RateLimit(100, 60_000),
			clock: time,
			random: () => 0.5,
			ledgerFor,
			batchSize: 100,
			maximumWaitMs: 300_000,
			continueOnFail: true,
			...more,
		}),
	);
}

/** What became of each creation: the kind of its outcome, or why it was skipped. */
const kindsOf = ({ results }: Report) =>
	results.map(({ outcome }) => (outcome.kind === 'skipped' ? outcome.reason : outcome.kind));

const itemsOf = ({ results }: Report) => results.map(({ creation }) => creation.item);

describe('the requests of a run', () => {
	test('hold full batches of one company and one type, and the results are in the order of the input', async () => {
		const service = new FakeService();
		const mixed = Array.from({ length: 10 }, (_, item) =>
			creation(item, `R${item}`, item % 2 ? { type: 'express' } : { companyId: 7 }),
		);
		const report = await run(service, mixed, { batchSize: 3 });
		expect(service.requests).toEqual([
			['R0', 'R2', 'R4'],
			['R6', 'R8'],
			['R1', 'R3', 'R5'],
			['R7', 'R9'],
		]);
		expect(report.requests).toBe(4);
		expect(itemsOf(report)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
		expect(new Set(kindsOf(report))).toEqual(new Set(['created']));
	});

	test('are filled up with new deliveries when others were created before', async () => {
		const service = new FakeService();
		await run(service, [creation(0, 'R1'), creation(1, 'R3')]);
		const report = await run(service, creationsOf(6), { batchSize: 2 });
		expect(service.requests.slice(1)).toEqual([
			['R0', 'R2'],
			['R4', 'R5'],
		]);
		expect(kindsOf(report)).toEqual([
			...['created', 'alreadyCreated', 'created', 'alreadyCreated', 'created', 'created'],
		]);
	});

	test('hold a reference once, also when it comes with two types', async () => {
		const service = new FakeService();
		const report = await run(service, [
			creation(0, 'A'),
			creation(1, 'A', { type: 'express' }),
			creation(2, 'A'),
		]);
		expect(service.requests).toEqual([['A']]);
		expect(kindsOf(report)).toEqual(['created', 'sameReferenceInInput', 'sameReferenceInInput']);
	});

	test('hold everything when deliveries may be sent again', async () => {
		const service = new FakeService();
		const creations = [creation(0, 'A'), creation(1, 'A'), creation(2)];
		await run(service, creations, { ledgerFor: undefined });
		await run(service, creations, { ledgerFor: undefined });
		expect(service.existing).toEqual(['A', 'A', undefined, 'A', 'A', undefined]);
		expect(row.entries.size).toBe(0);
	});

	test('are none without creations', async () => {
		const service = new FakeService();
		expect(await run(service, [])).toMatchObject({ results: [], requests: 0 });
		expect(service.requests).toEqual([]);
	});
});

describe('what is kept of a run', () => {
	test('is that created deliveries are never sent again, and refused ones are', async () => {
		const service = new FakeService((references) =>
			references.includes('R1') ? answer(422, { message: 'No' }) : undefined,
		);
		const first = await run(service, creationsOf(3), { batchSize: 1 });
		expect(kindsOf(first)).toEqual(['created', 'rejected', 'created']);
		const second = await run(new FakeService(), creationsOf(3), { batchSize: 1 });
		expect(kindsOf(second)).toEqual(['alreadyCreated', 'created', 'alreadyCreated']);
	});

	test('is that a delivery without an answer is never sent again by itself', async () => {
		const lost = new FakeService((references, number, service) => {
			service.create(references);
			return number === 1 ? { kind: 'noResponse', code: 'ECONNRESET' } : undefined;
		});
		expect(kindsOf(await run(lost, creationsOf(2), { batchSize: 1 }))).toEqual([
			...['unknown', 'created'],
		]);
		const later = new FakeService();
		expect(kindsOf(await run(later, creationsOf(2)))).toEqual(['unknown', 'alreadyCreated']);
		expect(later.requests).toEqual([]);
	});

	test('leaves everything to be sent later when the store fails before the request', async () => {
		const service = new FakeService();
		const failing = (): Ledger => ({
			...ledgerFor(undefined),
			proceed: async () => await Promise.reject(new Error('disk full')),
		});
		const report = await run(service, creationsOf(3), { ledgerFor: failing });
		expect(service.requests).toEqual([]);
		expect(report.results.map(({ outcome }) => outcome)).toEqual(
			[0, 1, 2].map(() => ({
				kind: 'notSent',
				problem: {
					message: expect.stringMatching(/not sent: n8n could not look up .*: disk full$/),
					description: expect.stringContaining('Save the workflow'),
				},
			})),
		);
	});

	test('is also what was created before the store failed for a time', async () => {
		let steps = 0;
		const failing = (): Ledger => {
			const ledger = ledgerFor(undefined);
			const proceed: Ledger['proceed'] = async (step) =>
				step.confirmed?.length && steps++ === 0
					? await Promise.reject(new Error('disk full'))
					: await ledger.proceed(step);
			return { ...ledger, proceed };
		};
		const first = await run(new FakeService(), creationsOf(4), {
			ledgerFor: failing,
			batchSize: 1,
		});
		expect(first.ledgerFailed).toBe(false);
		const created = kindsOf(first).filter((kind) => kind === 'created').length;
		expect(kindsOf(first)).toEqual([...many(created, 'created'), ...many(4 - created, 'notSent')]);
		expect(created).toBeGreaterThan(0);
		const later = await run(new FakeService(), creationsOf(4));
		expect(kindsOf(later).slice(0, created)).toEqual(many(created, 'alreadyCreated'));
	});

	/** A ledger whose notes fail: that deliveries were created, that they were not, or both. */
	const failingToNote = (...failing: Array<'confirm' | 'release'>): Ledger => {
		const ledger = ledgerFor(undefined);
		const fail = async () => await Promise.reject(new Error('disk full'));
		return {
			...ledger,
			...(failing.includes('release') && { release: fail }),
			proceed: async (step) =>
				failing.includes('confirm') && step.confirmed?.length
					? await fail()
					: await ledger.proceed(step),
		};
	};

	test.each([[['confirm']], [['release']], [['confirm', 'release']]] as const)(
		'holds the outcomes when the store fails to %j them, and says so',
		async (failing) => {
			const service = new FakeService(([reference]) =>
				reference === 'R1' ? answer(422) : undefined,
			);
			const report = await run(service, creationsOf(2), {
				ledgerFor: () => failingToNote(...failing),
				batchSize: 1,
			});
			expect(kindsOf(report)).toEqual(['created', 'rejected']);
			expect(report.ledgerFailed).toBe(true);
			const later = await run(new FakeService(), creationsOf(2));
			const has = (what: 'confirm' | 'release') => failing.some((one) => one === what);
			expect(kindsOf(later)).toEqual([
				has('confirm') ? 'unknown' : 'alreadyCreated',
				has('release') ? 'unknown' : 'created',
			]);
		},
	);
});

describe('a run that does not go on', () => {
	test.each([
		['a wrong key', answer(401, { message: 'No' }), 'rejected'],
		['a redirection', answer(307), 'rejected'],
		['a service that is too busy', answer(429, {}, { 'retry-after': '9999' }), 'notSent'],
		[
			'a certificate that is not trusted',
			{ kind: 'noResponse', code: 'CERT_HAS_EXPIRED' } as const,
			'notSent',
		],
	])('after %s sends nothing more, and keeps the rest for later', async (_why, exchange, kind) => {
		const service = new FakeService((_, number) => (number === 2 ? exchange : undefined));
		const report = await run(service, creationsOf(6), { batchSize: 2 });
		expect(kindsOf(report)).toEqual(['created', 'created', kind, kind, 'notSent', 'notSent']);
		const later = new FakeService();
		await run(later, creationsOf(6));
		expect(later.existing).toEqual(['R2', 'R3', 'R4', 'R5']);
	});

	test('after the first failure, when failures end it', async () => {
		const service = new FakeService(([reference]) =>
			reference === 'R1' ? answer(403) : undefined,
		);
		const report = await run(service, creationsOf(4), { batchSize: 1, continueOnFail: false });
		expect(kindsOf(report)).toEqual(['created', 'rejected', 'notSent', 'notSent']);
		expect(report.results[3]?.outcome).toMatchObject({
			problem: { message: 'This delivery was not sent: a delivery before it failed' },
		});
	});

	test('when the user stopped it before the request went out', async () => {
		const stop = new AbortController();
		const service = new FakeService((_, number) => {
			if (number === 1) stop.abort();
			return undefined;
		});
		const report = await run(service, creationsOf(3), { batchSize: 1, signal: stop.signal });
		expect(kindsOf(report)).toEqual(['created', 'notSent', 'notSent']);
		expect(report.results[1]?.outcome).toMatchObject({
			problem: { message: 'This delivery was not sent: the execution was stopped' },
		});
	});
});

describe('a further item of a reference', () => {
	const twice = [creation(0, 'A'), creation(1, 'B'), creation(2, 'A')];

	test('is not sent, and says so with the other item, when that one was not created', async () => {
		const service = new FakeService(([reference]) =>
			reference === 'A' ? answer(422, { message: 'No' }) : undefined,
		);
		const report = await run(service, twice, { batchSize: 1 });
		expect(service.requests).toEqual([['A'], ['B']]);
		expect(kindsOf(report)).toEqual(['rejected', 'created', 'notSent']);
		expect(textOf(report, 2)).toBe(
			'This delivery was not sent: item 0 has the same reference ID, and was not created. See what is said of item 0, then run the workflow again. If they are two deliveries, give each a reference ID of its own.',
		);
	});

	test('is unknown when that one is', async () => {
		const service = new FakeService(() => ({ kind: 'noResponse', code: 'ECONNRESET' }));
		const report = await run(service, twice, { batchSize: 1 });
		expect(kindsOf(report)).toEqual(['unknown', 'unknown', 'unknown']);
		expect(textOf(report, 2)).toMatch(
			/^Whether this delivery was created is unknown: so it is for item 0, which has the same reference ID\. Look it up/,
		);
	});

	test('is skipped when that one was created, now or before', async () => {
		const kinds = async () => kindsOf(await run(new FakeService(), twice));
		expect(await kinds()).toEqual(['created', 'created', 'sameReferenceInInput']);
		expect(await kinds()).toEqual(['alreadyCreated', 'alreadyCreated', 'sameReferenceInInput']);
	});

	test('is told of each of a hundred thousand', async () => {
		const creations = Array.from({ length: 100_000 }, (_, item) => creation(item, `R${item % 2}`));
		const service = new FakeService(() => answer(401));
		const report = await run(service, creations);
		expect(new Set(kindsOf(report).slice(2))).toEqual(new Set(['notSent']));
	});
});

describe('what was claimed and not sent', () => {
	/** How many turns at the store a run takes whose first request only succeeds. */
	async function turnsOf(count: number): Promise<number> {
		let turns = 0;
		const store = memoryStore(row, time);
		const counting: Store = {
			async inTurn(access) {
				turns++;
				return await store.inTurn(access);
			},
		};
		const service = new FakeService((_, number) => (number === 1 ? undefined : answer(401)));
		const report = await run(service, creationsOf(count), {
			batchSize: 1,
			ledgerFor: () => openLedger(counting, 'company undefined', `execution ${++executions}`, time),
		});
		expect(kindsOf(report).filter((kind) => kind === 'created')).toHaveLength(1);
		return turns;
	}

	test.each([100, 1000, 10_000])(
		'of %i is let go in one turn at the store when nothing more is sent',
		async (count) => {
			// Two or three to claim ahead, one to confirm, one to let go.
			expect(await turnsOf(count)).toBeLessThanOrEqual(5);
			const kinds = kindsOf(await run(new FakeService(), creationsOf(20)));
			expect(kinds).toEqual(['alreadyCreated', ...many(19, 'created')]);
		},
	);
});

test.each([
	['all again, which skips what was created', ledgerFor, 'Run the workflow again to send it.'],
	[
		'that alone, where nothing is remembered',
		undefined,
		'Run the workflow again for what was not sent.',
	],
])('what was not sent is to be sent by running %s', async (_what, ledgerFor, advice) => {
	const stop = new AbortController();
	const service = new FakeService(() => {
		stop.abort();
		return undefined;
	});
	const more = { batchSize: 1, signal: stop.signal, ledgerFor };
	const report = await run(service, creationsOf(2), more);
	expect(kindsOf(report)).toEqual(['created', 'notSent']);
	expect(textOf(report, 1)).toBe(
		`This delivery was not sent: the execution was stopped. ${advice}`,
	);
});

/** The problem of a result, in one text. */
function textOf({ results }: Report, item: number): string {
	const outcome = results[item]?.outcome;
	if (!outcome || !('problem' in outcome)) return '';
	return `${outcome.problem.message}. ${outcome.problem.description ?? ''}`;
}

const many = (count: number, kind: string) => Array.from({ length: count }, () => kind);

describe('a refused request', () => {
	/** A service that works through its list and refuses what comes with R2, when it gets there. */
	const creatingUpTo = (status: number, isHonest: boolean) =>
		new FakeService((references, _, service) => {
			const end = references.indexOf('R2');
			if (end < 0) return undefined;
			const created = service.create(references.slice(0, end));
			return answer(status, isHonest ? { ...created, code: 'E', message: 'No' } : { code: 'E' });
		});

	const statuses = [400, 402, 403, 404, 409, 410, 413, 422, 451];

	test.each(statuses)(
		'with status %i and several deliveries leaves each unknown, and none is sent again',
		async (status) => {
			const service = creatingUpTo(status, false);
			const report = await run(service, creationsOf(4));
			expect(kindsOf(report)).toEqual(many(4, 'unknown'));
			expect(kindsOf(await run(service, creationsOf(4)))).toEqual(many(4, 'unknown'));
			expect(service.requests).toHaveLength(1);
			expect(service.existing).toEqual(['R0', 'R1']);
		},
	);

	test('says what it shares with how many others, what the service said and what to do', async () => {
		const service = new FakeService(() => answer(422, { code: 'E7', message: 'Bad pickup' }));
		const report = await run(service, creationsOf(4));
		expect(textOf(report, 2)).toBe(
			'Whether this delivery was created is unknown: the Delivery Service refused the request that it shared with 3 others (status 422). Look it up in the dashboard of the Delivery Service before you send it again. If it was not created, run the operation "Allow Resending" for its reference ID, then send it again. So that a refusal touches one delivery only, set the option Batch Size to 1; or, if you know that the service creates nothing when it refuses a request, turn on the option Retry Rejected Batches. The service says: Bad pickup (E7)',
		);
	});

	test.each(statuses)('with status %i and one delivery is plain', async (status) => {
		const service = creatingUpTo(status, false);
		const report = await run(service, creationsOf(4), { batchSize: 1 });
		expect(kindsOf(report)).toEqual(['created', 'created', 'rejected', 'created']);
	});

	test.each([...statuses, 401, 429, 500, 503])(
		'with status %i that holds records has created these',
		async (status) => {
			const service = creatingUpTo(status, true);
			const report = await run(service, creationsOf(4));
			expect(kindsOf(report)).toEqual(['created', 'created', 'unknown', 'unknown']);
			expect(report.results[1]?.outcome).toMatchObject({ id: 'd2', record: { index: 1 } });
			await run(service, creationsOf(4));
			expect(service.existing).toEqual(['R0', 'R1']);
		},
	);

	test.each([
		['is of another', { payload: [{ id: 'd9', index: 7 }] }],
		['names none', { payload: [{ id: 'd9' }] }],
		['may be an error', [{ id: 'd9', message: 'Bad pickup' }]],
	])('with one delivery, but a record that %s, leaves it unknown', async (_what, body) => {
		const service = new FakeService(() => answer(409, body));
		const report = await run(service, creationsOf(1));
		expect(kindsOf(report)).toEqual(['unknown']);
		expect(textOf(report, 0)).toContain('d9');
	});

	test('counts towards the three in a row that end the run', async () => {
		const service = new FakeService(() => answer(400, { message: 'Bad pickup' }));
		const report = await run(service, creationsOf(10), { batchSize: 2 });
		expect(kindsOf(report)).toEqual([...many(6, 'unknown'), ...many(4, 'notSent')]);
		expect(textOf(report, 9)).toMatch(/^This delivery was not sent: .*Bad pickup/);
	});
});

describe('an address that is not found, in no words of the service', () => {
	const page = answer(404, '<!doctype html><title>Not Found</title>');

	test.each([
		['a page', page],
		['nothing', answer(404)],
	])('(%s) ends the run at the first request', async (_what, response) => {
		const report = await run(new FakeService(() => response), creationsOf(1000));
		const known = kindsOf(report).filter((kind) => kind === 'unknown');
		expect(known.length).toBeLessThan(200);
		expect(kindsOf(report).at(-1)).toBe('notSent');
		expect(textOf(report, 999)).toContain('Base URL');
	});

	test('does not end it when the service has created some before', async () => {
		const service = new FakeService((_, number) => (number === 2 ? page : undefined));
		const report = await run(service, creationsOf(400));
		expect(kindsOf(report).filter((kind) => kind === 'created')).toHaveLength(300);
	});

	test('is plain for deliveries that were sent alone', async () => {
		const report = await run(new FakeService(() => page), creationsOf(5), { batchSize: 1 });
		expect(kindsOf(report)).toEqual(many(5, 'rejected'));
	});
});

describe('when the user knows that a refused request created nothing', () => {
	const sure = { retryRejectedBatches: true };

	test.each([400, 404, 409, 413, 422])(
		'a request refused with %i is split to find what it was refused for',
		async (status) => {
			const bad = ['R13', 'R14', 'R77'];
			const service = new FakeService((references) => {
				const first = references.find((reference) => bad.includes(reference ?? ''));
				return first === undefined ? undefined : answer(status, { message: `${first} is bad` });
			});
			const report = await run(service, creationsOf(100), sure);
			const refused = report.results.filter(({ outcome }) => outcome.kind === 'rejected');
			expect(refused.map(({ creation }) => creation.delivery.referenceId)).toEqual(bad);
			expect(service.existing).toHaveLength(97);
			expect(new Set(service.existing).size).toBe(97);
			// All, three alone, then at most 7 steps of two requests for each refused one.
			expect(service.requests.length).toBeLessThanOrEqual(1 + 3 + bad.length * 2 * 7);
		},
	);

	test.each([402, 403, 410])(
		'a request refused with %i is not split: that concerns all of it',
		async (status) => {
			const service = new FakeService(() => answer(status));
			const report = await run(service, creationsOf(8), sure);
			expect(kindsOf(report)).toEqual(many(8, 'rejected'));
			expect(service.requests).toHaveLength(1);
		},
	);

	test('it is split no further when its first, middle and last are refused in the same words', async () => {
		const service = new FakeService(([reference]) =>
			answer(422, { message: `Order ${reference}: no warehouse 7` }),
		);
		const report = await run(service, creationsOf(250), sure);
		expect(kindsOf(report)).toEqual(many(250, 'rejected'));
		expect(service.requests.map(({ length }) => length)).toEqual([
			...[100, 1, 1, 1],
			...[100, 1, 1, 1],
			...[50, 1, 1, 1],
		]);
		expect(textOf(report, 1)).toMatch(/rejected .*status 422.*three .* sent alone.*no warehouse 7/);
		expect(kindsOf(await run(new FakeService(), creationsOf(250)))).toEqual(many(250, 'created'));
	});

	test('two bad ones at its beginning do not hold back the others', async () => {
		const service = new FakeService((references) =>
			references.includes('R0') || references.includes('R1') ? answer(400) : undefined,
		);
		const report = await run(service, creationsOf(10), sure);
		expect(kindsOf(report)).toEqual(['rejected', 'rejected', ...many(8, 'created')]);
	});

	test('an answer that shows the opposite is believed', async () => {
		const service = new FakeService((references, number, service) =>
			number === 1 ? answer(400, service.create(references.slice(0, 2))) : undefined,
		);
		const report = await run(service, creationsOf(4), sure);
		expect(kindsOf(report)).toEqual(['created', 'created', 'unknown', 'unknown']);
		expect(service.requests).toHaveLength(1);
	});

	test('nothing is lost when the service fails in the middle of it', async () => {
		const service = new FakeService((references, number, service) => {
			if (references.includes('R7')) return answer(400);
			if (number !== 4) return undefined;
			service.create(references);
			return { kind: 'noResponse', code: 'ECONNRESET' };
		});
		const report = await run(service, creationsOf(8), sure);
		const unknown = service.requests[3] ?? [];
		expect(kindsOf(report)).toEqual(
			creationsOf(8).map(({ delivery: { referenceId } }) =>
				referenceId === 'R7' ? 'rejected' : unknown.includes(referenceId) ? 'unknown' : 'created',
			),
		);
		expect([...service.existing].sort()).toEqual(['R0', 'R1', 'R2', 'R3', 'R4', 'R5', 'R6']);
	});

	test('what was not sent is said so when the service becomes too busy in the middle of it', async () => {
		const service = new FakeService((references, number) => {
			if (references.includes('R7')) return answer(400);
			return number > 3 ? answer(429, {}, { 'retry-after': '9999' }) : undefined;
		});
		const report = await run(service, creationsOf(8), sure);
		expect(kindsOf(report).filter((kind) => kind === 'created')).toHaveLength(
			service.existing.length,
		);
		expect(kindsOf(report)).toContain('notSent');
		expect(kindsOf(report)).not.toContain('unknown');
	});
});

describe('a success that is a failure', () => {
	const failure = { code: 'ERROR', message: 'Warehouse 7 does not exist', payload: [] };

	test('leaves its deliveries unknown, in the words of the service', async () => {
		const report = await run(new FakeService(() => answer(200, failure)), creationsOf(2));
		expect(textOf(report, 1)).toMatch(
			/^Whether this delivery was created is unknown: .*no record.* Warehouse 7 does not exist \(ERROR\)$/,
		);
	});

	test.each([
		['without records', failure],
		['without a list of records', { code: 'ERROR', message: 'Warehouse 7 does not exist' }],
		['that is a web page', undefined],
	])('%s ends the run at the third in a row', async (_what, body) => {
		const service = new FakeService(() => answer(200, body));
		const report = await run(service, creationsOf(1000));
		expect(service.requests).toHaveLength(3);
		expect(kindsOf(report)).toEqual([...many(300, 'unknown'), ...many(700, 'notSent')]);
		if (body) expect(textOf(report, 999)).toContain('Warehouse 7 does not exist');
	});

	test('shows the error that a record has of its own', async () => {
		const service = new FakeService((references, _, service) => {
			service.create(references.slice(0, 1));
			const payload = [
				{ index: 0, id: 'd1' },
				{ index: 1, error: 'Address not found' },
			];
			return answer(200, { code: 'OK', payload });
		});
		const report = await run(service, creationsOf(2));
		expect(textOf(report, 1)).toMatch(/unknown: .*Address not found/);
		expect(textOf(report, 0)).not.toContain('Address not found');
	});

	test('shows the IDs of records that match nothing', async () => {
		const service = new FakeService(() =>
			answer(200, {
				code: 'OK',
				message: 'Success',
				payload: [
					{ index: 0, id: 'd1', referenceId: 'R0' },
					{ index: 7, id: 'd2' },
					{ referenceId: 'X', id: 'd3' },
				],
			}),
		);
		const report = await run(service, creationsOf(3));
		expect(kindsOf(report)).toEqual(['created', 'unknown', 'unknown']);
		expect(textOf(report, 1)).toContain('d2, d3');
		expect(textOf(report, 1)).not.toContain('Success');
	});
});

describe('an automatic batch size', () => {
	const automatic = { batchSize: undefined };
	const sizes = ({ requests }: FakeService) => requests.map(({ length }) => length);

	test.each([
		[1, [1]],
		[20, many(20, '').map(() => 1)],
		[21, [21]],
		[100, [100]],
		[110, [100, ...many(10, '').map(() => 1)]],
		[250, [100, 100, 50]],
	])('sends %i deliveries in requests that fit', async (count, expected) => {
		const service = new FakeService();
		await run(service, creationsOf(count), automatic);
		expect(sizes(service)).toEqual(expected);
	});

	test('counts only what is still to be sent', async () => {
		const service = new FakeService();
		await run(service, creationsOf(90), { batchSize: 100 });
		await run(service, creationsOf(95), automatic);
		expect(sizes(service)).toEqual([90, 1, 1, 1, 1, 1]);
	});

	test('sends full batches when the limit has no room for all of them at once', async () => {
		const service = new FakeService();
		await run(service, creationsOf(6), { ...automatic, rateLimit: new RateLimit(5, 60_000) });
		expect(sizes(service)).toEqual([6]);
	});

	test('lets one refused delivery touch no other, also when failures end the run', async () => {
		const service = new FakeService(([reference]) =>
			reference === 'R3' ? answer(400) : undefined,
		);
		const report = await run(service, creationsOf(20), { ...automatic, continueOnFail: false });
		expect(kindsOf(report)).toEqual([...many(3, 'created'), 'rejected', ...many(16, 'created')]);
	});
});

test('references that are unknown from before hold back nothing, also when failures end the run', async () => {
	const lost = new FakeService(() => ({ kind: 'noResponse', code: 'ECONNRESET' }));
	await run(lost, [creation(0, 'R1')]);
	const service = new FakeService();
	const report = await run(service, creationsOf(4), { continueOnFail: false, batchSize: 2 });
	expect(kindsOf(report)).toEqual(['created', 'unknown', 'created', 'created']);
});

describe('a service that does not take a request', () => {
	const random = () => 0.999;

	test('is tried for as long as the maximum wait, and then given up', async () => {
		const started = time.now();
		const service = new FakeService(() => answer(429));
		const report = await run(service, creationsOf(1), { maximumWaitMs: 90_000, random });
		expect(kindsOf(report)).toEqual(['notSent']);
		expect(time.now() - started - 50).toBe(90_000);
	});

	test.each([0, 0.5, 0.999])(
		'is tried for 15 seconds when nothing answers, whatever the pauses (%d)',
		async (fraction) => {
			const started = time.now();
			const service = new FakeService(() => ({ kind: 'noResponse', code: 'ECONNREFUSED' }));
			await run(service, creationsOf(1), { random: () => fraction });
			expect(time.now() - started - 50).toBe(15_000);
		},
	);

	test('is not asked again before the time that it named', async () => {
		const service = new FakeService(() => answer(429, {}, { 'retry-after': '40' }));
		const started = time.now();
		await run(service, creationsOf(1), { maximumWaitMs: 90_000 });
		expect(service.requests).toHaveLength(3);
		expect(time.now() - started - 50).toBe(80_000);
	});
});
