/** Delivery: Create when the service, the network or the configuration fails: no delivery is lost. */
import { Logger } from '@n8n/backend-common';
import { Container } from '@n8n/di';
import { ExecuteContext } from 'n8n-core';
import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { createServer, type Server } from 'node:net';

import type { Control } from '../../playground/service/control';
import { type NodeRun, type RunNodeOptions, deduplicationStore } from '../support/engine/engine';
import {
	createOnce,
	outcomesOf,
	jsonOf,
	pairedItems,
	restart,
	restartWithoutWaits,
	setUp,
	until,
} from '../support/actionNode';
import { deliveries, delivery } from '../support/sampleDelivery';

const service = setUp();

beforeEach(restartWithoutWaits);

type Fault = Parameters<Control['addFault']>[0];

/** A port at which nothing listens. */
async function closedPort(): Promise<number> {
	const server = createServer();
	const port = await listening(server);
	await new Promise((resolve) => server.close(resolve));
	return port;
}

/** Starts a server on a free port. @returns the port */
async function listening(server: Server): Promise<number> {
	return await new Promise<number>((resolve) => {
		server.listen(0, '127.0.0.1', () => {
			const address = server.address();
			resolve(typeof address === 'object' && address !== null ? address.port : 0);
		});
	});
}

/** Items of the error output without the data of their input item. */
function ownData(items: readonly INodeExecutionData[]): INodeExecutionData[] {
	return items.map(({ json: { error, message }, ...item }) => ({
		...item,
		json: { error, message },
	}));
}

interface Row {
	/** Strikes the second of three requests, which contains R2 and R3. */
	fault: Fault;
	/** The outcome of R2 and R3. */
	outcome: 'rejected' | 'unknown' | 'notSent';
	/** Whether no other request is sent. The outcome `notSent` always stops the run. */
	stops?: boolean;
	/** Whether R2 and R3 exist anyway. */
	exist?: boolean;
	says: RegExp;
}

const respondWith = (status: number, headers?: Record<string, string>): Fault => ({
	kind: 'status',
	status,
	headers,
	body: { code: 'E1', message: 'Because' },
});

const table: Record<string, Row> = {
	'429 with a Retry-After of more than five minutes': {
		fault: respondWith(429, { 'Retry-After': '301' }),
		outcome: 'notSent',
		says: /[Rr]ate limit of the Delivery Service exceeded/,
	},
	'307': {
		fault: respondWith(307, { Location: 'https://moved.example/v1/deliveries' }),
		outcome: 'unknown',
		stops: true,
		says: /unknown.*redirects to a different URL.*Ask the Delivery Service for its API URL/,
	},
	'401': { fault: respondWith(401), outcome: 'notSent', says: /API key.*Because \(E1\)/ },
	'422': {
		fault: respondWith(422),
		outcome: 'unknown',
		says: /unknown.*request for it and another one \(status 422\).*Batch Size to 1, so that a rejection leaves no other.*Because \(E1\)/,
	},
	'a connection reset after creating the deliveries': {
		fault: { kind: 'resetAfter' },
		outcome: 'unknown',
		exist: true,
		says: /unknown.*connection/,
	},
	'200 without the records of these deliveries': {
		fault: { kind: 'missingRecords', count: 2 },
		outcome: 'unknown',
		exist: true,
		says: /unknown.*no record/,
	},
};

/** A user who retries before checking the dashboard may create a second delivery. */
function expectNoAdviceToRetry(message: unknown): void {
	expect(message).toMatch(
		/\. Wait until .*, then look for R\d in the Delivery Service\. If .* "Allow Resending"/,
	);
	expect(message).not.toMatch(/again later|try again|run the workflow/i);
}

describe.each(Object.entries(table))(
	'create request that fails with %s',
	(what, { fault, outcome, stops, exist, says }) => {
		const last = outcome === 'notSent' || stops ? 'notSent' : 'created';
		const outcomes = ['created', 'created', outcome, outcome, last, last];
		const middle = exist ? ['R2', 'R3'] : [];

		async function run(more?: Partial<RunNodeOptions>): Promise<NodeRun> {
			service.control.addFault({ ...fault, skip: 1 });
			const parameters = createOnce({ batchSize: 2 });
			return await service.run(parameters, { items: deliveries(6), ...more });
		}

		/** Runs the same input again: nothing is created twice, and what was not created is sent. */
		async function expectSafeRerun(before: readonly string[]): Promise<void> {
			restartWithoutWaits();
			const { items } = await service.run(createOnce({ batchSize: 2 }), {
				items: deliveries(6),
				onError: 'continueRegularOutput',
			});
			const later = new Map([
				['created', 'alreadyCreated'],
				['notSent', 'created'],
				['unknown', 'unknown'],
				['rejected', 'created'],
			]);
			expect(outcomesOf(items)).toEqual(before.map((outcome) => later.get(outcome)));
			expect(new Set(service.existing()).size).toBe(service.existing().length);
		}

		test(`returns an error item per delivery with On Error: Continue after ${what}`, async () => {
			const { items, outputs, error } = await run({ onError: 'continueRegularOutput' });

			expect(error).toBeUndefined();
			expect(outputs).toHaveLength(1);
			expect(outcomesOf(items)).toEqual(outcomes);
			expect(pairedItems(items)).toEqual([0, 1, 2, 3, 4, 5]);
			expect(service.existing()).toEqual([
				'R0',
				'R1',
				...middle,
				...(last === 'created' ? ['R4', 'R5'] : []),
			]);
			for (const item of [2, 3]) {
				const failure = jsonOf(items)[item];
				expect(failure).toMatchObject({ outcome, referenceId: `R${item}`, id: '' });
				expect(JSON.stringify(failure)).toMatch(says);
				if (outcome === 'unknown') expectNoAdviceToRetry(failure?.message);
			}
			await expectSafeRerun(outcomes);
		});

		test(`fails the run with an error that lists every delivery after ${what}`, async () => {
			const { items, error } = await run();

			expect(items).toEqual([]);
			const created = service.control
				.deliveries()
				.filter((_, index) => index < 2)
				.map(({ record: { id, referenceId } }, item) => ({ item, referenceId, id }));
			const named = (...numbers: number[]) =>
				numbers.map((item) => ({ item, referenceId: `R${item}` }));
			const lists = { created, rejected: [], unknown: [], notSent: [], skipped: [] };
			expect(error?.context.data).toEqual(
				outcome === 'notSent'
					? { ...lists, notSent: named(2, 3, 4, 5) }
					: { ...lists, [outcome]: named(2, 3), notSent: named(4, 5) },
			);
			const notSent = outcome === 'notSent' ? 4 : 2;
			expect(error?.message).toMatch(
				new RegExp(`\\(2 of 6 deliveries created, ${notSent} not sent\\) \\[item 2\\]$`),
			);
			expect(error?.context.itemIndex).toBe(2);
			expect(`${error?.message} ${error?.description}`).toMatch(says);
			const [first, second] = created;
			expect(error?.description).toContain(
				`Created (2): R0 (ID ${first?.id}), R1 (ID ${second?.id}).`,
			);
			expect(error?.description).toContain(
				{
					rejected: 'Rejected (2): R2, R3. Not sent (2): R4, R5.',
					unknown: 'Possibly created (2): R2, R3. Not sent (2): R4, R5.',
					notSent: 'Not sent (4): R2, R3, R4, R5.',
				}[outcome],
			);
			expect(service.existing()).toEqual(['R0', 'R1', ...middle]);
			await expectSafeRerun(['created', 'created', outcome, outcome, 'notSent', 'notSent']);
		});
	},
);

describe('unreachable service', () => {
	const hangingUp = {
		server: createServer((socket) => socket.once('data', () => socket.end())),
		port: 0,
	};

	beforeAll(async () => {
		hangingUp.port = await listening(hangingUp.server);
	});

	afterAll(() => hangingUp.server.close());

	test.each([
		['nothing listens', async () => `http://127.0.0.1:${await closedPort()}`],
		['the host is unknown', () => 'http://service.invalid'],
		[
			'the service does not support HTTPS',
			() => service.credential.baseUrl.replace('http:', 'https:'),
		],
		['it hangs up at once', () => `https://127.0.0.1:${hangingUp.port}`],
	])('reports deliveries as not sent if %s', async (_why, baseUrl) => {
		const says = /connection .* failed/;
		// A proxy would respond in place of the service.
		const noProxy = process.env.NO_PROXY;
		process.env.NO_PROXY = '*';
		const credential = { ...service.credential, baseUrl: await baseUrl() };
		try {
			const { items } = await service.run(createOnce({ batchSize: 1 }), {
				items: deliveries(3),
				credential,
				onError: 'continueRegularOutput',
			});
			expect(outcomesOf(items)).toEqual(['notSent', 'notSent', 'notSent']);
			expect(JSON.stringify(items)).toMatch(says);

			const { error } = await service.run(createOnce(), { items: deliveries(3), credential });
			expect(error?.message).toMatch(says);
			expect(error?.message).toMatch(/\w \[item 0\]$/);
			expect(error?.description).toMatch(/No delivery was created\. Not sent \(3\): R0, R1, R2\.$/);
			expect(deduplicationStore.count('workflow')).toBe(0);
		} finally {
			process.env.NO_PROXY = noProxy;
		}
	});
});

describe('failed run with On Error: Stop Workflow', () => {
	test('shows the cause in the error message, although an earlier item was not sent', async () => {
		service.control.addFault({ ...respondWith(422), referenceIds: ['R2'] });
		const { error } = await service.run(
			createOnce({ batchSize: 1, type: '={{ $itemIndex % 2 ? "express" : "slot" }}' }),
			{ items: deliveries(4) },
		);

		expect(error?.message).toMatch(/rejected the request \(status 422\).*\[item 2\]$/);
		expect(error?.description).toContain('Because (E1)');
		expect(error?.context.data).toMatchObject({
			created: [{ referenceId: 'R0' }],
			rejected: [{ referenceId: 'R2' }],
			notSent: [{ referenceId: 'R1' }, { referenceId: 'R3' }],
		});
	});

	test('lists items without a reference by their number', async () => {
		service.control.addFault({ kind: 'status', status: 500, skip: 1 });
		const { error } = await service.run(createOnce({ batchSize: 1 }, { skipAlreadySent: false }), {
			items: [delivery(), delivery(), delivery()],
		});

		expect(error?.description).toMatch(
			/Created: item 0 \(ID .*\)\. Possibly created: item 1\. Not sent: item 2\./,
		);
		expect(error?.context.data).toMatchObject({
			created: [{ item: 0, id: service.control.deliveries()[0]?.record.id }],
			unknown: [{ item: 1 }],
			notSent: [{ item: 2 }],
		});
		service.control.addFault({ kind: 'status', status: 500 });
		const one = { items: [delivery()], onError: 'continueRegularOutput' } as const;
		const { hints } = await service.run(createOnce({}, { skipAlreadySent: false }), one);
		expect(JSON.stringify(hints)).toContain('"item 0: It is unknown whether this delivery was');
	});

	test('lists 20 deliveries per outcome in the description, and all in the data', async () => {
		service.control.addFault({ kind: 'status', status: 500, skip: 1 });
		const { error } = await service.run(createOnce({ batchSize: 30 }, { skipAlreadySent: false }), {
			items: deliveries(100),
		});

		expect(error?.description).toMatch(/Created \(30\): .*R19 \(ID \S+\) and 10 more,/);
		expect(error?.description).toMatch(/Not sent \(40\): .* and 20 more,/);
		expect(error?.context.data).toMatchObject({
			created: { length: 30 },
			unknown: { length: 30 },
			notSent: { length: 40 },
		});
	});
});

describe('service that is briefly busy', () => {
	beforeEach(restart);

	test.each([429, 503])('retries after the Retry-After of status %i', async (status) => {
		service.control.addFault({ kind: 'status', status, headers: { 'Retry-After': '1' } });
		const { items, hints } = await service.run(createOnce(), {
			items: deliveries(3),
		});

		expect(outcomesOf(items)).toEqual(['created', 'created', 'created']);
		const requests = service.control.requests();
		expect(requests.map((request) => request.status)).toEqual([status, 200]);
		const [first, second] = requests.map(({ at }) => at);
		expect(Number(second) - Number(first)).toBeGreaterThanOrEqual(1000);
		expect(hints).toMatchObject([{ message: 'Created 3 deliveries.' }]);
	});
});

describe('stopped execution', () => {
	beforeEach(restart);

	/** Resolves once this many entries remain, because the stopped node has released the others. */
	async function released(count: number): Promise<void> {
		await until(() => deduplicationStore.count('workflow') === count);
	}

	test('stops waiting when the execution is stopped, and releases unsent deliveries', async () => {
		service.control.addFault({
			kind: 'status',
			status: 429,
			headers: { 'Retry-After': '200' },
			skip: 1,
		});
		const stop = new AbortController();
		const running = service.run(createOnce({ batchSize: 2 }), {
			items: deliveries(6),
			signal: stop.signal,
		});
		await until(() => service.control.requests().at(1)?.status === 429);
		// If stopped before it reads the response, the node could not know that nothing was created. It
		// has read it once it waits, in steps of one second.
		const timers = jest.spyOn(globalThis, 'setTimeout');
		await until(() => timers.mock.calls.some(([, ms]) => ms === 1000));
		timers.mockRestore();
		stop.abort();
		expect((await running).status).toBe('canceled');

		// Two entries for each of the two created deliveries, none for the others.
		await released(4);
		expect(service.existing()).toEqual(['R0', 'R1']);
		restart();
		const { items } = await service.run(createOnce(), { items: deliveries(6) });
		expect(outcomesOf(items).slice(0, 2)).toEqual(['alreadyCreated', 'alreadyCreated']);
		expect(service.existing()).toEqual(['R0', 'R1', 'R2', 'R3', 'R4', 'R5']);
	});

	test('logs the created deliveries of a stopped execution, which has no output', async () => {
		service.control.addFault({ kind: 'hangAfter', skip: 1 });
		const warn = jest.spyOn(Container.get(Logger), 'warn');
		const stop = new AbortController();
		const parameters = createOnce({ batchSize: 2 }, { skipAlreadySent: false });
		const running = service.run(parameters, { items: deliveries(6), signal: stop.signal });
		await until(() => service.control.deliveries().length === 4);
		stop.abort();
		await running;

		await until(() => warn.mock.calls.length > 0);
		const [one, other] = service.control.deliveries().map(({ record }) => record.id);
		const account = `Created (2): R0 (ID ${one}), R1 (ID ${other}). Possibly created (2): R2, R3.`;
		expect(warn.mock.calls).toEqual([
			[
				expect.stringMatching(
					/^Node "Delivery Service" in workflow "Workflow" \(.+\): execution \d+ was stopped\. Created/,
				),
			],
		]);
		expect(warn.mock.calls[0]?.[0]).toContain(account);
		warn.mockRestore();
	});

	test('never resends the deliveries of a request in flight when the execution is stopped', async () => {
		service.control.addFault({ kind: 'hangAfter' });
		const stop = new AbortController();
		const running = service.run(createOnce({ batchSize: 2 }), {
			items: deliveries(4),
			signal: stop.signal,
			onError: 'continueRegularOutput',
		});
		await until(() => service.control.deliveries().length === 2);
		stop.abort();
		expect((await running).status).toBe('canceled');

		// One entry for each of the two that may have been created; all other claims are released.
		await released(2);
		restartWithoutWaits();
		const { items } = await service.run(createOnce(), {
			items: deliveries(4),
			onError: 'continueRegularOutput',
		});
		expect(outcomesOf(items)).toEqual(['unknown', 'unknown', 'created', 'created']);
		expect(service.existing()).toEqual(['R0', 'R1', 'R2', 'R3']);
	});
});

describe('run without Skip Already Sent', () => {
	const parameters = createOnce({ batchSize: 1 }, { skipAlreadySent: false });
	const leaveOut = 'before you run this again, or they may be created twice.';
	const busy = { kind: 'status', status: 429, times: null } as const;

	test('warns that created deliveries would be created twice in the next run', async () => {
		service.control.addFault({ ...busy, skip: 1 });
		const more = { items: deliveries(3) };
		const { error } = await service.run(parameters, more);
		expect(error?.message).toContain('1 of 3 deliveries created, 2 not sent');
		expect(error?.description).toMatch(new RegExp(`^Wait a minute.* Not sent .*${leaveOut}$`));

		service.control.reset();
		service.control.addFault({ ...busy, skip: 1 });
		const again = await service.run(parameters, { ...more, onError: 'continueRegularOutput' });
		expect(outcomesOf(again.items)).toEqual(['created', 'notSent', 'notSent']);
		for (const { json } of again.items.slice(1)) expect(json.message).toContain(leaveOut);
	});

	test('does not warn of duplicates if nothing was created or duplicates are skipped', async () => {
		service.control.addFault(busy);
		const more = { items: deliveries(2), onError: 'continueRegularOutput' } as const;
		const none = await service.run(parameters, more);
		service.control.reset();
		service.control.addFault({ ...busy, skip: 1 });
		const remembered = await service.run(createOnce({ batchSize: 1 }), more);
		expect(outcomesOf(remembered.items)).toEqual(['created', 'notSent']);
		for (const { json } of [...none.items, ...remembered.items.slice(1)])
			expect(json.message).not.toContain('created twice');
	});
});

describe('invalid configuration with On Error: Continue', () => {
	const invalidRuns: Array<[string, INodeParameters, Partial<RunNodeOptions>, RegExp]> = [
		['a batch would be empty', createOnce({ batchSize: 0 }), {}, /^Batch size 0 is less than 1/],
		[
			'Skip Already Sent is an expression',
			createOnce({}, { skipAlreadySent: '={{ $itemIndex > 0 }}' }),
			{},
			/^Skip Already Sent "\{\{ \$itemIndex > 0 \}\}" is not true or false/,
		],
		['its source does not exist', createOnce({}, { source: 'csv' }), {}, /^Choose a source/],
		[
			'the credential is incomplete',
			createOnce(),
			{ credential: { baseUrl: '', apiKeyId: 'a', apiSecret: 'b', companyId: 1 } },
			/^The Delivery Service credential is incomplete/,
		],
		[
			'the retry of an execution could create duplicates',
			createOnce({}, { skipAlreadySent: false }),
			{ mode: 'retry' },
			/^Without "Skip Already Sent", retrying this execution/,
		],
	];

	test.each(invalidRuns)('returns an error item per delivery if %s', async (_why, ...run) => {
		const [parameters, more, message] = run;
		const regular = await service.run(parameters, {
			items: deliveries(2),
			onError: 'continueRegularOutput',
			...more,
		});
		const failure = { outcome: 'notSent', message: expect.stringMatching(message) };
		expect(jsonOf(regular.items)).toMatchObject([failure, failure]);
		expect(pairedItems(regular.items)).toEqual([0, 1]);

		const { outputs } = await service.run(parameters, {
			items: deliveries(2),
			onError: 'continueErrorOutput',
			...more,
		});
		expect(outputs[0]).toEqual([]);
		expect(ownData(outputs[1] ?? [])).toMatchObject(
			[0, 1].map((item) => ({ json: { error: failure }, pairedItem: { item } })),
		);
		expect(service.control.requests()).toEqual([]);
	});
});

describe('an unexpected error after the deliveries were sent', () => {
	const fail = () =>
		jest.spyOn(ExecuteContext.prototype, 'addExecutionHints').mockImplementation(() => {
			throw new TypeError('x is not a function');
		});
	afterEach(() => jest.restoreAllMocks());

	const three = [delivery({ referenceId: 'R0' }), delivery({ referenceId: 'R1' }), { no: 1 }];

	test.each([false, true])(
		'reports what was created with On Error: Continue (Skip Already Sent: %s)',
		async (skipAlreadySent) => {
			service.control.addFault({ kind: 'resetAfter', skip: 1 });
			fail();
			const { items } = await service.run(createOnce({ batchSize: 1 }, { skipAlreadySent }), {
				items: three,
				onError: 'continueRegularOutput',
			});
			const [first] = service.control.deliveries();
			expect(outcomesOf(items)).toEqual(['created', 'unknown', 'invalid']);
			expect(items[0]?.json).toMatchObject({ id: first?.record.id, referenceId: 'R0' });
			const advice = skipAlreadySent ? 'run the operation "Allow Resending" for R1' : 'Look for it';
			expect(items[1]?.json.message).toContain(advice);
			expect(pairedItems(items)).toEqual([0, 1, 2]);
			expect(service.existing()).toEqual(['R0', 'R1']);
		},
	);

	test('reports what was created without On Error: Continue', async () => {
		service.control.addFault({ kind: 'resetAfter', skip: 1 });
		fail();
		const { error } = await service.run(createOnce({ batchSize: 1 }), { items: three.slice(0, 2) });
		expect(error?.message).toContain('1 of 2 deliveries created');
		expect(error?.description).toContain('Possibly created: R1.');
	});
});
