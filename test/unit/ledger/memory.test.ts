import type { Entries, Store } from '../../../nodes/DeliveryService/ledger/entries';
import { openLedger } from '../../../nodes/DeliveryService/ledger/ledger';
import {
	decideMemory,
	findMemory,
	serviceOf,
	type Memory,
} from '../../../nodes/DeliveryService/ledger/memory';
import { claimWith, confirmWith } from '../../support/ledger';
import { entriesOf, noTime, storeOf, type Row } from '../../support/memoryStore';
import { VirtualTime } from '../../support/virtualTime';

const company = 7;
const production = 'https://api.example/delivery';
const staging = 'https://staging.example';
const moved = 'https://new.example';

let time: VirtualTime;
let row: Row;

beforeEach(() => {
	time = new VirtualTime();
	row = { entries: new Set() };
});

/** A store whose process crashes after an access. */
function newStore(crashAfter = Infinity): Store {
	const entries = entriesOf(row, time, () => noTime);
	let accesses = 0;
	const access = async <Result>(work: () => Promise<Result>): Promise<Result> => {
		const result = await work();
		if (accesses++ === crashAfter) throw new Error('crash');
		return result;
	};
	const counted: Entries = {
		record: async (wanted) => await access(async () => await entries.record(wanted)),
		remove: async (unwanted) => await access(async () => await entries.remove(unwanted)),
	};
	return storeOf(counted);
}

const find = async (baseUrl: string, companyId = company, store = newStore()) =>
	await time.until(findMemory(store, baseUrl, companyId));

const decide = async (baseUrl: string, oldBaseUrl?: string) =>
	await time.until(
		decideMemory(
			newStore(),
			baseUrl,
			company,
			oldBaseUrl === undefined ? { kind: 'startEmpty' } : { kind: 'keep', oldBaseUrl },
		),
	);

async function memoryOf(baseUrl: string): Promise<Memory> {
	const found = await find(baseUrl);
	if (found.kind !== 'memory') throw new Error('The run would stop');
	return found.memory;
}

/** Creates a delivery as a run does, and returns the claim. */
async function create(baseUrl: string, referenceId: string): Promise<unknown> {
	const { scope, entries } = await memoryOf(baseUrl);
	const ledger = openLedger(newStore(), scope, `run ${time.now()}`, time, entries);
	const claims = await time.until(claimWith(ledger, [{ referenceId }]));
	if (claims.get(referenceId) === 'claimed')
		await time.until(confirmWith(ledger, [{ referenceId }]));
	return claims.get(referenceId);
}

describe('a service', () => {
	test.each([
		'https://api.example/delivery/',
		'https://API.example/delivery',
		'http://api.example/delivery',
		'https://api.example:443/delivery',
	])('is the same when the Base URL is written as %s', (baseUrl) => {
		expect(serviceOf(baseUrl)).toBe(serviceOf(production));
	});

	test('is another one with another host, port or path', () => {
		const others = [
			'https://api.example',
			'https://api.example:8443/delivery',
			'https://test.example/delivery',
			'https://www.api.example/delivery',
		];
		expect(new Set([production, ...others].map(serviceOf)).size).toBe(5);
	});
});

describe('finding the memory', () => {
	test('finds an empty memory when nothing was ever created, and leaves no trace', async () => {
		expect(await find(production)).toMatchObject({ kind: 'memory', origin: 'new' });
		expect(await find(staging)).toMatchObject({ kind: 'memory', origin: 'new' });
		expect(row.entries.size).toBe(0);
	});

	test('finds the memory again after a delivery was created, however the URL is written', async () => {
		await create(production, 'A');
		expect(await find(`${production}/`)).toMatchObject({ kind: 'memory', origin: 'own' });
		expect(await create(production.replace('https', 'http'), 'A')).toBe('created');
	});

	test('asks when deliveries of the company were created at another service, and names it', async () => {
		await create(production, 'A');
		const before = row.entries;
		expect(await find(moved)).toEqual({
			kind: 'otherService',
			services: ['api.example/delivery'],
		});
		expect(row.entries).toEqual(before);
	});

	test('does not ask for another company', async () => {
		await create(production, 'A');
		expect(await find(moved, company + 1)).toMatchObject({ kind: 'memory', origin: 'new' });
	});

	test.each(Array.from({ length: 10 }, (_, access) => access))(
		'still asks after a crash following access %i of the search',
		async (access) => {
			await create(production, 'A');
			await find(moved, company, newStore(access)).catch(() => undefined);
			expect((await find(moved)).kind).toBe('otherService');
			expect(await create(production, 'A')).toBe('created');
		},
	);

	test.each([0, 1, 2])(
		'still finds the memory after a crash following access %i of the search',
		async (access) => {
			await create(production, 'A');
			await find(production, company, newStore(access)).catch(() => undefined);
			expect(await create(production, 'A')).toBe('created');
		},
	);
});

describe('a decision', () => {
	beforeEach(async () => {
		await create(production, 'A');
	});

	test('keeps what was sent when the service has moved, and is asked for once', async () => {
		expect(await decide(moved, production)).toBe('done');
		expect(await create(moved, 'A')).toBe('created');
		expect(await create(moved, 'B')).toBe('claimed');
		expect(await create(production, 'B')).toBe('created');
	});

	test('keeps it again when the service moves a second time, from either URL', async () => {
		await decide(moved, production);
		expect(await decide('https://third.example', moved)).toBe('done');
		expect(await decide('https://fourth.example', production)).toBe('done');
		expect(await create('https://third.example', 'A')).toBe('created');
		expect(await create('https://fourth.example', 'A')).toBe('created');
	});

	test('starts empty for another system, and leaves the first one as it is', async () => {
		expect(await decide(staging)).toBe('done');
		expect(await create(staging, 'A')).toBe('claimed');
		expect(await create(staging, 'C')).toBe('claimed');
		expect(await create(production, 'C')).toBe('claimed');
	});

	test('is asked for again at a third service, naming both', async () => {
		await decide(staging);
		expect(await find(moved)).toEqual({
			kind: 'otherService',
			services: ['api.example/delivery', 'staging.example'],
		});
		await decide(moved, staging);
		expect(await create(moved, 'A')).toBe('claimed');
		expect(await create(staging, 'A')).toBe('created');
	});

	test('changes nothing when the workflow already uses the Base URL', async () => {
		await decide(staging);
		const before = row.entries;
		expect(await decide(staging, production)).toBe('alreadyUsed');
		expect(await decide(production)).toBe('alreadyUsed');
		expect(row.entries).toEqual(before);
	});

	test('changes nothing when nothing was sent to the old Base URL', async () => {
		const before = row.entries;
		expect(await decide(moved, 'https://unused.example')).toBe('nothingToKeep');
		expect(row.entries).toEqual(before);
	});

	test.each([0, 1, 2, 3, 4, 5, 6, 7])(
		'is valid, or asked for again, after a crash following access %i of the search',
		async (access) => {
			await decide(moved, production);
			await find(moved, company, newStore(access)).catch(() => undefined);
			if ((await find(moved)).kind === 'otherService')
				expect(await decide(moved, production)).toBe('done');
			expect(await create(moved, 'A')).toBe('created');
		},
	);
});
