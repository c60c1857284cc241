/** The send loop in isolation, with an in-memory service and store. */
import fc from 'fast-check';

import type { Store } from '../../../nodes/DeliveryService/ledger/entries';
import { openLedger, type Ledger } from '../../../nodes/DeliveryService/ledger/ledger';
import { forgetReferences } from '../../../nodes/DeliveryService/ledger/references';
import { sendCreations } from '../../../nodes/DeliveryService/sending/creations';
import type { Report, SendingOptions } from '../../../nodes/DeliveryService/sending/options';
import type { Creation } from '../../../nodes/DeliveryService/sending/outcomes';
import { toClaimants } from '../../../nodes/DeliveryService/sending/batches';
import { RateLimit } from '../../../nodes/DeliveryService/sending/rateLimit';
import { respondWith, creation, creationsOf, FakeService } from '../../support/creations';
import { claimWith } from '../../support/ledger';
import { memoryStore, noTime, type Row } from '../../support/memoryStore';
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
			maxRetryMs: 300_000,
			continueOnFail: true,
			...more,
		}),
	);
}

/** The kind of each outcome, or why the creation was skipped. */
const kindsOf = ({ results }: Report) =>
	results.map(({ outcome }) => (outcome.kind === 'skipped' ? outcome.reason : outcome.kind));

const itemsOf = ({ results }: Report) => results.map(({ creation }) => creation.item);

describe('requests', () => {
	test('sends full batches per company and type, and returns results in input order', async () => {
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

	test('fills batches across references that were already created', async () => {
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

	test('sends a reference once, even with two delivery types', async () => {
		const service = new FakeService();
		const report = await run(service, [
			creation(0, 'A'),
			creation(1, 'A', { type: 'express' }),
			creation(2, 'A'),
		]);
		expect(service.requests).toEqual([['A']]);
		expect(kindsOf(report)).toEqual(['created', 'sameReferenceInInput', 'sameReferenceInInput']);
	});

	test('sends every creation, including duplicates, without a ledger', async () => {
		const service = new FakeService();
		const creations = [creation(0, 'A'), creation(1, 'A'), creation(2)];
		await run(service, creations, { ledgerFor: undefined });
		await run(service, creations, { ledgerFor: undefined });
		expect(service.existing).toEqual(['A', 'A', undefined, 'A', 'A', undefined]);
		expect(row.entries.size).toBe(0);
	});

	test('sends nothing for an empty input', async () => {
		const service = new FakeService();
		expect(await run(service, [])).toMatchObject({ results: [], requests: 0 });
		expect(service.requests).toEqual([]);
	});
});

describe('deliveries that another execution has claimed', () => {
	/** A service whose responses take some time. */
	const slowly = (service: FakeService, ms: number): Partial<SendingOptions> => ({
		send: async (body) => {
			await time.wait(ms);
			return await service.send(body);
		},
	});

	/** Claims references like an execution that crashes before it sends anything. */
	const crash = async (creations: readonly Creation[]) =>
		await time.until(claimWith(ledgerFor(undefined), toClaimants(creations)));

	const timed = async (work: Promise<Report>) => {
		const start = time.now();
		const report = await work;
		return { kinds: kindsOf(report), seconds: Math.round((time.now() - start) / 1000) };
	};

	test.each([100, 1])(
		'skips deliveries that another execution creates meanwhile (batch size %i)',
		async (batchSize) => {
			const service = new FakeService();
			const options = { ...slowly(service, 3000), batchSize };
			const reports = await Promise.all([
				run(service, creationsOf(20), options),
				run(service, creationsOf(20), options),
			]);
			const kinds = reports.flatMap(kindsOf);
			expect(service.existing).toHaveLength(20);
			expect(kinds.filter((kind) => kind === 'created')).toHaveLength(20);
			expect(kinds.filter((kind) => kind === 'alreadyCreated')).toHaveLength(20);
		},
	);

	test('sends what another execution could not send', async () => {
		const busy = new FakeService();
		const failing = run(busy, creationsOf(2), {
			send: async () => {
				await time.wait(3000);
				return { kind: 'noResponse', code: 'ECONNREFUSED', neverConnected: true };
			},
			maxRetryMs: 0,
		});
		const service = new FakeService();
		const later = time.wait(1000).then(async () => await run(service, creationsOf(2)));
		const [first, second] = await Promise.all([failing, later]);
		expect(kindsOf(first)).toEqual(['notSent', 'notSent']);
		expect(kindsOf(second)).toEqual(['created', 'created']);
	});

	test('sends new deliveries before it waits, and waits a minute only once for a crashed execution', async () => {
		await crash(creationsOf(2));
		const service = new FakeService();
		const outcome = ['unknown', 'unknown', 'created'];
		expect(await timed(run(service, creationsOf(3)))).toEqual({ kinds: outcome, seconds: 64 });
		expect(service.existing).toEqual(['R2']);
		expect(await timed(run(service, creationsOf(3)))).toEqual({
			kinds: ['unknown', 'unknown', 'alreadyCreated'],
			seconds: 0,
		});
	});

	test('says that a delivery may have been sent when an execution crashed before or after sending it', async () => {
		await crash(creationsOf(1));
		const { results } = await run(new FakeService(), creationsOf(1));
		expect(results[0]?.outcome).toEqual({
			kind: 'unknown',
			problem: {
				message:
					'It is unknown whether this delivery was created: another execution may have sent it',
				description:
					'Wait until no other execution of this workflow is running, then look for it in the Delivery Service dashboard. If it was not created, run the operation "Allow Resending" for its reference ID, then send it again.',
			},
		});
	});

	test('does not wait for deliveries whose response was lost', async () => {
		const lost = new FakeService(() => ({ kind: 'noResponse', code: 'ECONNRESET' }));
		await run(lost, creationsOf(1));
		expect(await timed(run(new FakeService(), creationsOf(1)))).toEqual({
			kinds: ['unknown'],
			seconds: 0,
		});
	});

	test('stops waiting when the user stops the execution', async () => {
		await crash(creationsOf(1));
		const stop = new AbortController();
		void time.wait(5000).then(() => stop.abort());
		const report = timed(run(new FakeService(), creationsOf(1), { signal: stop.signal }));
		expect(await report).toEqual({ kinds: ['unknown'], seconds: 5 });
		expect(await timed(run(new FakeService(), creationsOf(1)))).toMatchObject({ seconds: 64 });
	});

	test('reports the outcome of every delivery when the store fails while it waits', async () => {
		await crash(creationsOf(1));
		let accesses = 0;
		const store: Store = {
			runExclusive: async (access) => {
				if (++accesses > 3) throw new Error('no database');
				return await memoryStore(row, time, () => noTime).runExclusive(access);
			},
		};
		const report = await run(new FakeService(), creationsOf(2), {
			ledgerFor: () => openLedger(store, 'company undefined', 'execution', time),
		});
		expect(kindsOf(report)).toEqual(['notSent', 'created']);
	});
});

describe('memory of a run', () => {
	test('never sends created deliveries again, but sends rejected ones again', async () => {
		const service = new FakeService((references) =>
			references.includes('R1') ? respondWith(422, { message: 'No' }) : undefined,
		);
		const first = await run(service, creationsOf(3), { batchSize: 1 });
		expect(kindsOf(first)).toEqual(['created', 'rejected', 'created']);
		const second = await run(new FakeService(), creationsOf(3), { batchSize: 1 });
		expect(kindsOf(second)).toEqual(['alreadyCreated', 'created', 'alreadyCreated']);
	});

	test('never sends a delivery again automatically after a lost response', async () => {
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

	test('reports all deliveries as not sent when the store fails before the request', async () => {
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
					message: expect.stringMatching(
						/not sent: n8n could not check which reference IDs .*: disk full$/,
					),
					description: expect.stringContaining('Save the workflow'),
				},
			})),
		);
	});

	test('remembers deliveries that were created before the store failed temporarily', async () => {
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

	/** A ledger that fails to confirm created deliveries, to release claims, or both. */
	const failingLedger = (...failing: Array<'confirm' | 'release'>): Ledger => {
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
		'reports true outcomes and a failed ledger when the store fails to %j',
		async (failing) => {
			const service = new FakeService(([reference]) =>
				reference === 'R1' ? respondWith(422) : undefined,
			);
			const report = await run(service, creationsOf(2), {
				ledgerFor: () => failingLedger(...failing),
				batchSize: 1,
			});
			const cannotConfirm = failing.some((one) => one === 'confirm');
			// R1 is sent only after R0 was confirmed.
			expect(kindsOf(report)).toEqual(['created', cannotConfirm ? 'notSent' : 'rejected']);
			expect(report.ledgerFailed).toBe(true);
			const later = await run(new FakeService(), creationsOf(2));
			expect(kindsOf(later)).toEqual([cannotConfirm ? 'unknown' : 'alreadyCreated', 'unknown']);
		},
	);
});

describe('halting', () => {
	test.each([
		['a wrong key', respondWith(401, { message: 'No' })],
		['a busy service', respondWith(429, {}, { 'retry-after': '9999' })],
		['an untrusted certificate', { kind: 'noResponse', code: 'CERT_HAS_EXPIRED' } as const],
	])('stops sending after %s, and sends the rest in a later run', async (_cause, exchange) => {
		const service = new FakeService((_, number) => (number === 2 ? exchange : undefined));
		const report = await run(service, creationsOf(6), { batchSize: 2 });
		expect(kindsOf(report)).toEqual([...many(2, 'created'), ...many(4, 'notSent')]);
		const later = new FakeService();
		await run(later, creationsOf(6));
		expect(later.existing).toEqual(['R2', 'R3', 'R4', 'R5']);
	});

	test.each([301, 302, 303, 307, 308])(
		'stops after redirect %d, and creates nothing twice if the work was done',
		async (status) => {
			const service = new FakeService((references, number, fake) => {
				if (number !== 2) return undefined;
				fake.create(references);
				return respondWith(status, undefined, { location: 'https://new.example/v1/deliveries' });
			});
			const report = await run(service, creationsOf(6), { batchSize: 2 });
			expect(kindsOf(report)).toEqual([
				...many(2, 'created'),
				...many(2, 'unknown'),
				...many(2, 'notSent'),
			]);
			expect(textOf(report, 2)).toMatch(
				/^It is unknown whether this delivery was created: .*redirect/,
			);
			const later = new FakeService();
			await run(later, creationsOf(6));
			expect(later.existing).toEqual(['R4', 'R5']);
		},
	);

	test('leaves a delivery unknown after 409, and does not stop after several of them', async () => {
		const conflict = respondWith(409, { code: 'EXISTS', message: 'It exists' });
		const service = new FakeService((_, number) => (number <= 4 ? conflict : undefined));
		const report = await run(service, creationsOf(6), { batchSize: 1 });
		expect(kindsOf(report)).toEqual([...many(4, 'unknown'), ...many(2, 'created')]);
		expect(textOf(report, 0)).toMatch(
			/conflict \(status 409\), so it may already exist\. .*It exists/,
		);
		const later = new FakeService();
		await run(later, creationsOf(6));
		expect(later.existing).toEqual([]);
	});

	test.each<[string, unknown]>([
		['without a body', undefined],
		['with a message of its own', { message: 'Service Unavailable' }],
	])('does not repeat a creation after 503 with Retry-After from a gateway %s', async (_, body) => {
		const service = new FakeService((references, _number, fake) => {
			fake.create(references);
			return respondWith(503, body, { 'retry-after': '1' });
		});
		const report = await run(service, creationsOf(1));
		expect(service.existing).toEqual(['R0']);
		expect(kindsOf(report)).toEqual(['unknown']);
	});

	test('stops after the first failure without On Error: Continue', async () => {
		const service = new FakeService(([reference]) =>
			reference === 'R1' ? respondWith(403) : undefined,
		);
		const report = await run(service, creationsOf(4), {
			batchSize: 1,
			continueOnFail: false,
		});
		expect(kindsOf(report)).toEqual(['created', 'rejected', 'notSent', 'notSent']);
		expect(report.results[3]?.outcome).toMatchObject({
			problem: { message: 'This delivery was not sent: an earlier delivery failed' },
		});
	});

	test('sends nothing more after the user stops the execution', async () => {
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

describe('an unexpected error', () => {
	const bug = new TypeError('x is not a function');

	/** A response whose body can't be read. */
	const unreadable = {
		...respondWith(200),
		get body(): unknown {
			throw bug;
		},
	};

	test('leaves only the deliveries in flight unknown, and sends nothing more', async () => {
		const service = new FakeService((references, number, fake) => {
			if (number !== 2) return undefined;
			fake.create(references);
			return unreadable;
		});
		const report = await run(service, creationsOf(6), { batchSize: 2 });
		expect(kindsOf(report)).toEqual([
			...many(2, 'created'),
			...many(2, 'unknown'),
			...many(2, 'notSent'),
		]);
		expect(textOf(report, 2)).toMatch(
			/^It is unknown whether this delivery was created: .*x is not a function/,
		);
		expect(textOf(report, 4)).toMatch(/^This delivery was not sent: .*x is not a function/);
		const later = new FakeService();
		expect(kindsOf(await run(later, creationsOf(6)))).toEqual([
			...many(2, 'alreadyCreated'),
			...many(2, 'unknown'),
			...many(2, 'created'),
		]);
	});

	test('keeps the results of the other requests in flight', async () => {
		const service = new FakeService(([reference]) => {
			if (reference !== 'R50') return undefined;
			throw bug;
		});
		const report = await run(service, creationsOf(100), { batchSize: 1, maxInFlight: 4 });
		const kinds = kindsOf(report);
		expect(report.results).toHaveLength(100);
		expect(kinds[50]).toBe('unknown');
		expect(kinds.filter((kind) => kind === 'unknown')).toHaveLength(1);
		const createdItems = itemsOf(report).filter((item) => kinds[item] === 'created');
		expect(createdItems.map((item) => `R${item}`)).toEqual(service.existing);
		expect(kinds[99]).toBe('notSent');
	});
});

describe('duplicate reference IDs in the input', () => {
	const twice = [creation(0, 'A'), creation(1, 'B'), creation(2, 'A')];

	test('reports a duplicate as not sent and names the first item when that was rejected', async () => {
		const service = new FakeService(([reference]) =>
			reference === 'A' ? respondWith(422, { message: 'No' }) : undefined,
		);
		const report = await run(service, twice, { batchSize: 1 });
		expect(service.requests).toEqual([['A'], ['B']]);
		expect(kindsOf(report)).toEqual(['rejected', 'created', 'notSent']);
		expect(textOf(report, 2)).toBe(
			'This delivery was not sent: item 0 has the same reference ID and was not created. Check the error of item 0, then run the workflow again. If they are separate deliveries, give each its own reference ID.',
		);
	});

	test('reports a duplicate as unknown when the first item is unknown', async () => {
		const service = new FakeService(() => ({ kind: 'noResponse', code: 'ECONNRESET' }));
		const report = await run(service, twice, { batchSize: 1 });
		expect(kindsOf(report)).toEqual(['unknown', 'unknown', 'unknown']);
		expect(textOf(report, 2)).toMatch(
			/^It is unknown whether this delivery was created: item 0 has the same reference ID, and it is unknown whether its delivery was created\. Check the Delivery Service dashboard/,
		);
	});

	test('skips a duplicate when the first item was created, now or in an earlier run', async () => {
		const kinds = async () => kindsOf(await run(new FakeService(), twice));
		expect(await kinds()).toEqual(['created', 'created', 'sameReferenceInInput']);
		expect(await kinds()).toEqual(['alreadyCreated', 'alreadyCreated', 'sameReferenceInInput']);
	});

	test('reports an outcome for each of 100,000 duplicates', async () => {
		const creations = Array.from({ length: 100_000 }, (_, item) => creation(item, `R${item % 2}`));
		const service = new FakeService(() => respondWith(401));
		const report = await run(service, creations);
		expect(new Set(kindsOf(report).slice(2))).toEqual(new Set(['notSent']));
	});
});

describe('whole orders and fulfillment orders', () => {
	const orderId = '1';
	const whole = (item: number) => creation(item, '#1', { orderId });
	const part = (item: number, number: number, more: Partial<Creation> = {}) =>
		creation(item, `#1-${number}`, { orderId, orderReferenceId: '#1', ...more });
	const messagesOf = ({ results }: Report) =>
		results.map(({ outcome }) =>
			outcome.kind === 'skipped'
				? outcome.message
				: outcome.kind === 'created'
					? 'created'
					: `${outcome.problem.message}. ${outcome.problem.description}`,
		);

	test('sends all fulfillment orders of an order, in one run and in later ones', async () => {
		const service = new FakeService();
		await run(service, [part(0, 1), part(1, 2), part(2, 3, { type: 'express' })]);
		const again = await run(service, [part(0, 1), part(1, 4)]);
		expect(kindsOf(again)).toEqual(['alreadyCreated', 'created']);
		expect(service.existing).toEqual(['#1-1', '#1-2', '#1-3', '#1-4']);
	});

	test('skips the fulfillment orders of an order that was sent whole', async () => {
		const service = new FakeService();
		await run(service, [whole(0)]);
		const report = await run(service, [part(0, 1), creation(1, '#2')]);
		expect(kindsOf(report)).toEqual(['alreadyCreated', 'created']);
		expect(messagesOf(report)[0]).toBe(
			'#1-1 was skipped: this workflow has already created a delivery for the whole order (#1). Later changes are not sent; to send them, use the Update operation with the whole order and #1 as its reference ID.',
		);
	});

	test('does not send an order of which fulfillment orders were sent', async () => {
		const service = new FakeService();
		await run(service, [part(0, 1)]);
		const report = await run(service, [whole(0)]);
		expect(kindsOf(report)).toEqual(['notSent']);
		expect(messagesOf(report)).toEqual([
			'This delivery was not sent: this workflow has already started to send it by fulfillment order. Pass its fulfillment orders to this node; those with a delivery are skipped.',
		]);
		expect(service.existing).toEqual(['#1-1']);
	});

	test('does not send an order whose fulfillment order was rejected', async () => {
		const rejecting = new FakeService(() => respondWith(422));
		expect(kindsOf(await run(rejecting, [part(0, 1)]))).toEqual(['rejected']);
		const service = new FakeService();
		expect(kindsOf(await run(service, [whole(0)]))).toEqual(['notSent']);
		expect(kindsOf(await run(service, [part(0, 1)]))).toEqual(['created']);
	});

	test('says to look for the fulfillment orders of an unknown whole order', async () => {
		const service = new FakeService();
		await time.until(claimWith(ledgerFor(undefined), toClaimants([part(0, 1)])));
		await time.until(forgetReferences(memoryStore(row, time), 'company undefined', ['#1']));
		await time.until(claimWith(ledgerFor(undefined), toClaimants([whole(0)])));
		const [message] = messagesOf(await run(service, [whole(0)]));
		expect(message).toContain('look for #1 and for reference IDs that start with "#1-" in the');
	});

	test('skips many fulfillment orders of whole orders with one look-up', async () => {
		const service = new FakeService();
		const numbers = [...Array(50).keys()];
		await run(
			service,
			numbers.map((item) => creation(item, `W${item}`)),
		);
		const report = await run(
			service,
			numbers.map((item) => creation(item, `W${item}-1`, { orderReferenceId: `W${item}` })),
			{ batchSize: undefined },
		);
		expect(new Set(kindsOf(report))).toEqual(new Set(['alreadyCreated']));
		expect(service.existing).toHaveLength(50);
	});

	test('sends the fulfillment order of another shop with the same order number', async () => {
		const service = new FakeService();
		const other = part(1, 9, { orderId: '2' });
		expect(kindsOf(await run(service, [whole(0), other]))).toEqual(['created', 'created']);
		expect(kindsOf(await run(service, [whole(0), other]))).toEqual([
			...['alreadyCreated', 'alreadyCreated'],
		]);
	});

	test('reports the fulfillment orders of an unknown whole order as unknown, and waits only once', async () => {
		const service = new FakeService();
		await time.until(claimWith(ledgerFor(undefined), toClaimants([whole(0)])));
		for (const isFirst of [true, false]) {
			const start = time.now();
			const report = await run(service, [part(0, 1), part(1, 2)]);
			expect(time.now() - start > 60_000).toBe(isFirst);
			expect(messagesOf(report)).toEqual(
				Array<string>(2).fill(
					'It is unknown whether this delivery was created: another execution may have sent the whole order (#1). Wait until no other execution of this workflow is running, then look for #1 in the Delivery Service dashboard. If it was not created, run the operation "Allow Resending" for #1, then send this delivery again.',
				),
			);
		}
		expect(service.requests).toEqual([]);
		// What the message advises.
		await time.until(forgetReferences(memoryStore(row, time), 'company undefined', ['#1']));
		expect(kindsOf(await run(service, [part(0, 1), part(1, 2)]))).toEqual(['created', 'created']);
	});

	test('sends the fulfillment orders of one order in concurrent executions', async () => {
		const service = new FakeService();
		const reports = await Promise.all(
			[1, 2, 3].map(async (number) => await run(service, [part(0, number)])),
		);
		expect(reports.map(kindsOf)).toEqual([['created'], ['created'], ['created']]);
	});

	test.each([
		[
			'created',
			200,
			'sameOrderInInput',
			'#1-1 was skipped: an earlier item is the whole order (#1). Pass either the order or its fulfillment orders to this node.',
		],
		[
			'rejected',
			422,
			'notSent',
			'This delivery was not sent: item 0 is of the same order (#1) and was not created. Check the error of item 0, then run the workflow again. Pass either the order or its fulfillment orders to this node.',
		],
		[
			'unknown',
			500,
			'unknown',
			'It is unknown whether this delivery was created: item 0 is of the same order (#1), and it is unknown whether its delivery was created. Check the Delivery Service dashboard before you send it again. Start with the error of item 0.',
		],
	])(
		'does not send a fulfillment order after its whole order was %s in the same run',
		async (_, status, kind, message) => {
			const service = new FakeService(() => (status === 200 ? undefined : respondWith(status)));
			const report = await run(service, [whole(0), part(1, 1)]);
			expect(kindsOf(report)[1]).toBe(kind);
			expect(messagesOf(report)[1]).toBe(message);
			expect(service.requests).toEqual([['#1']]);
		},
	);

	test('sends nothing of an order in parts that arrives whole and by fulfillment order', async () => {
		const service = new FakeService();
		await run(service, [part(0, 1)]);
		const report = await run(service, [whole(0), part(1, 2), whole(2)]);
		expect(kindsOf(report)).toEqual(['notSent', 'notSent', 'notSent']);
		expect(messagesOf(report)[1]).toBe(
			'This delivery was not sent: item 0 is of the same order (#1) and was not created. Check the error of item 0, then run the workflow again. Pass either the order or its fulfillment orders to this node.',
		);
	});

	test('does not send a whole order after its fulfillment order in the same run', async () => {
		const service = new FakeService();
		const report = await run(service, [part(0, 1), whole(1)]);
		expect(messagesOf(report)).toEqual([
			'created',
			'This delivery was not sent: this workflow has already started to send it by fulfillment order. Pass its fulfillment orders to this node; those with a delivery are skipped.',
		]);
	});
});

describe('claims that were not sent', () => {
	/** How often a run accesses the store when only its first request succeeds. */
	async function accessesOf(count: number): Promise<number> {
		let accesses = 0;
		const store = memoryStore(row, time);
		const counting: Store = {
			async runExclusive(access) {
				accesses++;
				return await store.runExclusive(access);
			},
		};
		const service = new FakeService((_, number) => (number === 1 ? undefined : respondWith(401)));
		const report = await run(service, creationsOf(count), {
			batchSize: 1,
			ledgerFor: () => openLedger(counting, 'company undefined', `execution ${++executions}`, time),
		});
		expect(kindsOf(report).filter((kind) => kind === 'created')).toHaveLength(1);
		return accesses;
	}

	test.each([100, 1000, 10_000])(
		'releases %i claims in one store access when nothing more is sent',
		async (count) => {
			// Two or three to claim ahead, one to confirm, one to release.
			expect(await accessesOf(count)).toBeLessThanOrEqual(5);
			const kinds = kindsOf(await run(new FakeService(), creationsOf(20)));
			expect(kinds).toEqual(['alreadyCreated', ...many(19, 'created')]);
		},
	);
});

test.each([
	['the whole workflow with a ledger', ledgerFor, 'Run the workflow again to send it.'],
	[
		'only the unsent deliveries without a ledger',
		undefined,
		'Run the workflow again with only the deliveries that were not sent.',
	],
])('advises to run %s again after a stop', async (_what, ledgerFor, advice) => {
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

/** The message and description of a result's problem. */
function textOf({ results }: Report, item: number): string {
	const outcome = results[item]?.outcome;
	if (!outcome || !('problem' in outcome)) return '';
	return `${outcome.problem.message}. ${outcome.problem.description ?? ''}`;
}

const many = (count: number, kind: string) => Array.from({ length: count }, () => kind);

describe('a rejected batch', () => {
	/** A service that creates deliveries in order, and rejects the request when it gets to R2. */
	const creatingUpTo = (status: number, listsCreated: boolean) =>
		new FakeService((references, _, service) => {
			const end = references.indexOf('R2');
			if (end < 0) return undefined;
			const created = service.create(references.slice(0, end));
			return respondWith(
				status,
				listsCreated ? { ...created, code: 'E', message: 'No' } : { code: 'E' },
			);
		});

	const statuses = [400, 402, 403, 404, 409, 410, 413, 422, 451];

	test.each(statuses)(
		'reports all deliveries of a batch rejected with status %i as unknown, and sends none again',
		async (status) => {
			const service = creatingUpTo(status, false);
			const report = await run(service, creationsOf(4));
			expect(kindsOf(report)).toEqual(many(4, 'unknown'));
			expect(kindsOf(await run(service, creationsOf(4)))).toEqual(many(4, 'unknown'));
			expect(service.requests).toHaveLength(1);
			expect(service.existing).toEqual(['R0', 'R1']);
		},
	);

	test('says how many others a rejected batch had, what to do and what the service said', async () => {
		const service = new FakeService(() => respondWith(422, { code: 'E7', message: 'Bad pickup' }));
		const report = await run(service, creationsOf(4));
		expect(textOf(report, 2)).toBe(
			'It is unknown whether this delivery was created: the Delivery Service rejected the batch of this delivery and 3 others (status 422). Check the Delivery Service dashboard before you send it again. If it was not created, run the operation "Allow Resending" for its reference ID, then send it again. For later runs, set the option Batch Size to 1, so that a rejection affects only one delivery. Turn on the option Retry Rejected Batches only if you know that the service creates nothing when it rejects a batch. The service says: Bad pickup (E7)',
		);
	});

	test.each(statuses.filter((status) => status !== 409))(
		'reports a single delivery rejected with status %i as rejected',
		async (status) => {
			const service = creatingUpTo(status, false);
			const report = await run(service, creationsOf(4), { batchSize: 1 });
			expect(kindsOf(report)).toEqual(['created', 'created', 'rejected', 'created']);
		},
	);

	test.each([...statuses, 401, 429, 500, 503])(
		'reports deliveries with a record as created despite status %i',
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
		['has an unknown index', { payload: [{ id: 'd9', index: 7 }] }],
		['names no delivery', { payload: [{ id: 'd9' }] }],
		['may be an error', [{ id: 'd9', message: 'Bad pickup' }]],
	])('reports a rejected single delivery as unknown when a record %s', async (_what, body) => {
		const service = new FakeService(() => respondWith(409, body));
		const report = await run(service, creationsOf(1));
		expect(kindsOf(report)).toEqual(['unknown']);
		expect(textOf(report, 0)).toContain('d9');
	});

	test('halts after three consecutive rejected batches', async () => {
		const service = new FakeService(() => respondWith(400, { message: 'Bad pickup' }));
		const report = await run(service, creationsOf(1510));
		expect(service.requests.map(({ length }) => length)).toEqual([100, 3, 3]);
		expect(kindsOf(report)).toEqual([...many(106, 'unknown'), ...many(1404, 'notSent')]);
		expect(textOf(report, 1509)).toMatch(/^This delivery was not sent: .*Bad pickup/);
	});
});

describe('a 404 without a service error body', () => {
	const page = respondWith(404, '<!doctype html><title>Not Found</title>');

	test.each([
		['a web page', page],
		['an empty body', respondWith(404)],
	])('halts after the first request on a 404 with %s', async (_what, response) => {
		const report = await run(new FakeService(() => response), creationsOf(1000));
		const unknown = kindsOf(report).filter((kind) => kind === 'unknown');
		expect(unknown.length).toBeLessThan(200);
		expect(kindsOf(report).at(-1)).toBe('notSent');
		expect(textOf(report, 999)).toContain('Base URL');
	});

	test('continues after a 404 web page when the service has created deliveries before', async () => {
		const service = new FakeService((_, number) => (number === 2 ? page : undefined));
		const report = await run(service, creationsOf(400));
		expect(kindsOf(report).filter((kind) => kind === 'created')).toHaveLength(300);
	});

	test('reports individually sent deliveries as rejected on a 404 web page', async () => {
		const report = await run(new FakeService(() => page), creationsOf(5), { batchSize: 1 });
		expect(kindsOf(report)).toEqual(many(5, 'rejected'));
	});
});

describe('Retry Rejected Batches', () => {
	const retrying = { retryRejectedBatches: true };

	test.each([400, 404, 409, 413, 422])(
		'splits a batch rejected with %i to find the invalid deliveries',
		async (status) => {
			const bad = ['R13', 'R14', 'R77'];
			const service = new FakeService((references) => {
				const first = references.find((reference) => bad.includes(reference ?? ''));
				return first === undefined
					? undefined
					: respondWith(status, { message: `${first} is bad` });
			});
			const report = await run(service, creationsOf(100), retrying);
			// A conflict may mean that the delivery exists.
			const kind = status === 409 ? 'unknown' : 'rejected';
			const rejected = report.results.filter(({ outcome }) => outcome.kind === kind);
			expect(rejected.map(({ creation }) => creation.delivery.referenceId)).toEqual(bad);
			expect(service.existing).toHaveLength(97);
			expect(new Set(service.existing).size).toBe(97);
			// The batch, three samples, then at most 7 steps of two requests per invalid delivery.
			expect(service.requests.length).toBeLessThanOrEqual(1 + 3 + bad.length * 2 * 7);
		},
	);

	test.each([402, 403, 410])(
		'does not split a batch rejected with %i, which concerns the whole request',
		async (status) => {
			const service = new FakeService(() => respondWith(status));
			const report = await run(service, creationsOf(8), retrying);
			expect(kindsOf(report)).toEqual(many(8, 'rejected'));
			expect(service.requests).toHaveLength(1);
		},
	);

	test('stops splitting a batch when its first, middle and last are rejected for the same reason', async () => {
		const service = new FakeService(([reference]) =>
			respondWith(422, { message: `Order ${reference}: no warehouse 7` }),
		);
		const report = await run(service, creationsOf(250), retrying);
		expect(kindsOf(report)).toEqual(many(250, 'rejected'));
		expect(service.requests.map(({ length }) => length)).toEqual([
			...[100, 1, 1, 1],
			...[100, 1, 1, 1],
			...[50, 1, 1, 1],
		]);
		expect(textOf(report, 1)).toMatch(
			/status 422.*batch was rejected.*three .* sent individually.*no warehouse 7/,
		);
		expect(kindsOf(await run(new FakeService(), creationsOf(250)))).toEqual(many(250, 'created'));
	});

	test('creates the others when the first two of a batch are invalid', async () => {
		const service = new FakeService((references) =>
			references.includes('R0') || references.includes('R1') ? respondWith(400) : undefined,
		);
		const report = await run(service, creationsOf(10), retrying);
		expect(kindsOf(report)).toEqual(['rejected', 'rejected', ...many(8, 'created')]);
	});

	test('trusts a rejection that lists created deliveries over the option', async () => {
		const service = new FakeService((references, number, service) =>
			number === 1 ? respondWith(400, service.create(references.slice(0, 2))) : undefined,
		);
		const report = await run(service, creationsOf(4), retrying);
		expect(kindsOf(report)).toEqual(['created', 'created', 'unknown', 'unknown']);
		expect(service.requests).toHaveLength(1);
	});

	test('reports every outcome when the connection breaks while a batch is split', async () => {
		const service = new FakeService((references, number, service) => {
			if (references.includes('R7')) return respondWith(400);
			if (number !== 4) return undefined;
			service.create(references);
			return { kind: 'noResponse', code: 'ECONNRESET' };
		});
		const report = await run(service, creationsOf(8), retrying);
		const unknown = service.requests[3] ?? [];
		expect(kindsOf(report)).toEqual(
			creationsOf(8).map(({ delivery: { referenceId } }) =>
				referenceId === 'R7' ? 'rejected' : unknown.includes(referenceId) ? 'unknown' : 'created',
			),
		);
		expect([...service.existing].sort()).toEqual(['R0', 'R1', 'R2', 'R3', 'R4', 'R5', 'R6']);
	});

	test('reports unsent deliveries when the service becomes busy while a batch is split', async () => {
		const service = new FakeService((references, number) => {
			if (references.includes('R7')) return respondWith(400);
			return number > 3 ? respondWith(429, {}, { 'retry-after': '9999' }) : undefined;
		});
		const report = await run(service, creationsOf(8), retrying);
		expect(kindsOf(report).filter((kind) => kind === 'created')).toHaveLength(
			service.existing.length,
		);
		expect(kindsOf(report)).toContain('notSent');
		expect(kindsOf(report)).not.toContain('unknown');
	});
});

describe('a success status without created deliveries', () => {
	const failure = { code: 'ERROR', message: 'Warehouse 7 does not exist', payload: [] };

	test('reports deliveries as unknown and passes on what the service says', async () => {
		const report = await run(new FakeService(() => respondWith(200, failure)), creationsOf(2));
		expect(textOf(report, 1)).toMatch(
			/^It is unknown whether this delivery was created: .*no record.* Warehouse 7 does not exist \(ERROR\)$/,
		);
	});

	test.each([
		['with an empty list of records', failure],
		['without a list of records', { code: 'ERROR', message: 'Warehouse 7 does not exist' }],
		['that is a web page', undefined],
	])('halts after three consecutive responses %s', async (_what, body) => {
		const service = new FakeService(() => respondWith(200, body));
		const report = await run(service, creationsOf(1000));
		expect(service.requests.map(({ length }) => length)).toEqual([100, 2, 2]);
		expect(kindsOf(report)).toEqual([...many(104, 'unknown'), ...many(896, 'notSent')]);
		if (body) expect(textOf(report, 999)).toContain('Warehouse 7 does not exist');
	});

	test('shows the error of a record without an ID', async () => {
		const service = new FakeService((references, _, service) => {
			service.create(references.slice(0, 1));
			const payload = [
				{ index: 0, id: 'd1' },
				{ index: 1, error: 'Address not found' },
			];
			return respondWith(200, { code: 'OK', payload });
		});
		const report = await run(service, creationsOf(2));
		expect(textOf(report, 1)).toMatch(/^It is unknown whether .*Address not found$/);
		expect(textOf(report, 0)).not.toContain('Address not found');
	});

	test('shows the IDs of records that match no delivery', async () => {
		const service = new FakeService(() =>
			respondWith(200, {
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

describe('automatic batch size', () => {
	const automatic = { batchSize: undefined };
	const sizes = ({ requests }: FakeService) => requests.map(({ length }) => length);

	test.each([
		[1, [1]],
		[50, many(50, '').map(() => 1)],
		[51, [51]],
		[100, [100]],
		[120, [100, ...many(20, '').map(() => 1)]],
		[121, [100, 21]],
		[250, [100, 100, 50]],
	])('sends %i deliveries in requests of the right sizes', async (count, expected) => {
		const service = new FakeService();
		await run(service, creationsOf(count), automatic);
		expect(sizes(service)).toEqual(expected);
	});

	test('counts only the remaining deliveries', async () => {
		const service = new FakeService();
		await run(service, creationsOf(90), { batchSize: 100 });
		await run(service, creationsOf(95), automatic);
		expect(sizes(service)).toEqual([90, 1, 1, 1, 1, 1]);
	});

	test('sends full batches when the rate limit does not allow individual requests', async () => {
		const service = new FakeService();
		await run(service, creationsOf(6), { ...automatic, rateLimit: new RateLimit(5, 60_000) });
		expect(sizes(service)).toEqual([6]);
	});

	test('creates the others when one delivery is rejected, even without On Error: Continue', async () => {
		const service = new FakeService(([reference]) =>
			reference === 'R3' ? respondWith(400) : undefined,
		);
		const report = await run(service, creationsOf(20), { ...automatic, continueOnFail: false });
		expect(kindsOf(report)).toEqual([...many(3, 'created'), 'rejected', ...many(16, 'created')]);
	});
});

describe('requests after a rejected batch', () => {
	/** A service that rejects every request with one of these references and creates nothing of it. */
	const rejecting = (invalid: readonly number[], status = 422) => {
		const references = new Set(invalid.map((number) => `R${number}`));
		return new FakeService((sent) =>
			sent.some((reference) => references.has(reference ?? ''))
				? respondWith(status, { code: 'E', message: 'No' })
				: undefined,
		);
	};

	const latencyMs = 1000;

	async function runSlowly(
		service: FakeService,
		count: number,
		more: Partial<SendingOptions> = {},
	): Promise<Report> {
		return await run(service, creationsOf(count), {
			send: async (body) => {
				const exchange = await service.send(body);
				await time.wait(latencyMs);
				return exchange;
			},
			batchSize: undefined,
			...more,
		});
	}

	const countsOf = (report: Report) => {
		const kinds = kindsOf(report);
		const countOf = (kind: string) => kinds.filter((one) => one === kind).length;
		return [countOf('created'), countOf('rejected'), countOf('unknown'), countOf('notSent')];
	};

	test.each([
		[21, [3], [20, 1, 0, 0]],
		[50, [0, 1, 49], [47, 3, 0, 0]],
		[110, [3, 105], [9, 1, 100, 0]],
		[250, [3, 150, 240], [148, 2, 100, 0]],
		[250, [3, 99, 100], [149, 1, 100, 0]],
		[2500, [3, 1200, 2400], [2390, 0, 110, 0]],
		[2500, [150, 250, 2400], [2390, 0, 110, 0]],
		[2500, [199, 200, 300], [2390, 0, 110, 0]],
	])('of %i deliveries, affects few when %j are rejected', async (count, invalid, counts) => {
		const service = rejecting(invalid);
		const report = await runSlowly(service, count);
		expect(countsOf(report)).toEqual(counts);
		expect(new Set(service.existing).size).toBe(service.existing.length);
		const later = new FakeService();
		const again = countsOf(await runSlowly(later, count));
		const [, rejected = 0, unknown] = counts;
		expect(again).toEqual([rejected, 0, unknown, 0]);
	});

	test('leaves at most 150 of 2,500 deliveries unknown, whichever three are rejected', async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.uniqueArray(fc.nat(2499), { minLength: 3, maxLength: 3 }),
				async (invalid) => {
					row = { entries: new Set() };
					const [, , unknown = 0] = countsOf(await runSlowly(rejecting(invalid), 2500));
					expect(unknown).toBeLessThanOrEqual(150);
				},
			),
			{ numRuns: 10 },
		);
	});

	test.each([
		[250, undefined, 1],
		[600, undefined, 1],
		[601, undefined, 2],
		[2600, undefined, 5],
		[2600, 3, 3],
		[700, 40, 2],
	])(
		'sends the rest of %i (batch size %s) in requests of up to %i within some minutes',
		async (count, batchSize, size) => {
			const service = rejecting([0]);
			const start = time.now();
			const report = await runSlowly(service, count, { batchSize });
			const [, ...rest] = service.requests.map(({ length }) => length);
			expect(Math.max(...rest)).toBe(size);
			expect(rest.length).toBeLessThanOrEqual(size === batchSize ? Infinity : 500);
			expect(report.reducedSize).toBe(size === batchSize ? undefined : size);
			if (size !== batchSize) expect(time.now() - start).toBeLessThan(6 * 60_000);
		},
	);

	test.each([
		['an error code', respondWith(200, { code: 'ERROR', message: 'No', payload: [] })],
		['403', respondWith(403)],
	])('reduces the requests after a batch that was rejected with %s', async (_what, response) => {
		const service = new FakeService((references) =>
			references.includes('R3') ? response : undefined,
		);
		const report = await runSlowly(service, 150);
		expect(kindsOf(report)).toEqual([...many(100, 'unknown'), ...many(50, 'created')]);
		expect(report.reducedSize).toBe(1);
	});

	test.each([
		['a lost response', { kind: 'noResponse', code: 'ECONNRESET' } as const],
		['an internal error', respondWith(500)],
	])('keeps full batches after %s', async (_what, response) => {
		const service = new FakeService((_, number) => (number === 1 ? response : undefined));
		const report = await runSlowly(service, 250);
		expect(service.requests.map(({ length }) => length)).toEqual([100, 100, 50]);
		expect(report.reducedSize).toBeUndefined();
	});

	test('keeps full batches when a response has no record of some deliveries', async () => {
		const service = new FakeService((references, _, service) =>
			respondWith(200, service.create(references.slice(0, -1))),
		);
		const report = await runSlowly(service, 250);
		expect(service.requests.map(({ length }) => length)).toEqual([100, 100, 50]);
		expect(report.reducedSize).toBeUndefined();
	});

	test('reduces the requests for the other companies and types too', async () => {
		const service = rejecting([0]);
		const creations = Array.from({ length: 200 }, (_, item) =>
			creation(item, `R${item}`, item < 100 ? {} : { type: 'express' }),
		);
		const report = await run(service, creations, { batchSize: undefined });
		expect(countsOf(report)).toEqual([100, 0, 100, 0]);
		expect(service.requests.slice(1).every(({ length }) => length === 1)).toBe(true);
	});
});

test('sends the other deliveries when a reference is unknown from an earlier run, even without On Error: Continue', async () => {
	const lost = new FakeService(() => ({ kind: 'noResponse', code: 'ECONNRESET' }));
	await run(lost, [creation(0, 'R1')]);
	const service = new FakeService();
	const report = await run(service, creationsOf(4), { continueOnFail: false, batchSize: 2 });
	expect(kindsOf(report)).toEqual(['created', 'unknown', 'created', 'created']);
});

describe('a service that does not process requests', () => {
	const random = () => 0.999;

	test('retries until Max Retry Time is over, then gives up', async () => {
		const started = time.now();
		const service = new FakeService(() => respondWith(429));
		const report = await run(service, creationsOf(1), { maxRetryMs: 90_000, random });
		expect(kindsOf(report)).toEqual(['notSent']);
		expect(time.now() - started - 50).toBe(90_000);
	});

	test.each([0, 0.5, 0.999])(
		'retries for 15 seconds when nothing responds, whatever the jitter (%d)',
		async (fraction) => {
			const started = time.now();
			const service = new FakeService(() => ({ kind: 'noResponse', code: 'ECONNREFUSED' }));
			await run(service, creationsOf(1), { random: () => fraction });
			expect(time.now() - started - 50).toBe(15_000);
		},
	);

	test('does not retry before the time in Retry-After', async () => {
		const service = new FakeService(() => respondWith(429, {}, { 'retry-after': '40' }));
		const started = time.now();
		await run(service, creationsOf(1), { maxRetryMs: 90_000 });
		expect(service.requests).toHaveLength(3);
		expect(time.now() - started - 50).toBe(80_000);
	});
});
