/** The loop by itself, with a service and a store in memory: what it sends, and what it tells. */
import { openLedger, type Ledger } from '../../../nodes/DeliveryService/deduplication/ledger';
import {
	sendCreations,
	type Report,
	type Sending,
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
	more: Partial<Sending> = {},
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
		expect(kindsOf(first)).toEqual(['created', 'refused', 'created']);
		const second = await run(new FakeService(), creationsOf(3), { batchSize: 1 });
		expect(kindsOf(second)).toEqual(['alreadyCreated', 'created', 'alreadyCreated']);
	});

	test('is that a delivery without an answer is never sent again by itself', async () => {
		const lost = new FakeService((references, number, service) => {
			service.create(references);
			return number === 1 ? { kind: 'noAnswer', code: 'ECONNRESET' } : undefined;
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
			claim: async () => await Promise.reject(new Error('disk full')),
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

	test.each(['confirm', 'release'] as const)(
		'holds the outcomes when the store fails to %s them, and says so',
		async (method) => {
			const service = new FakeService(([reference]) =>
				reference === 'R1' ? answer(422) : undefined,
			);
			const failing = (): Ledger => ({
				...ledgerFor(undefined),
				[method]: async () => await Promise.reject(new Error('disk full')),
			});
			const report = await run(service, creationsOf(2), { ledgerFor: failing, batchSize: 1 });
			expect(kindsOf(report)).toEqual(['created', 'refused']);
			expect(report.ledgerFailed).toBe(true);
		},
	);
});

describe('a run that does not go on', () => {
	test.each([
		['a wrong key', answer(401, { message: 'No' }), 'refused'],
		['a redirection', answer(307), 'refused'],
		['a service that is too busy', answer(429, {}, { 'retry-after': '9999' }), 'notSent'],
		[
			'a certificate that is not trusted',
			{ kind: 'noAnswer', code: 'CERT_HAS_EXPIRED' } as const,
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
		expect(kindsOf(report)).toEqual(['created', 'refused', 'notSent', 'notSent']);
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
