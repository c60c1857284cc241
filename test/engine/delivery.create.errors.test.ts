/** Delivery: Create when the service, the network or the set-up fails: nothing is lost. */
import { Logger } from '@n8n/backend-common';
import { Container } from '@n8n/di';
import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { createServer, type Server } from 'node:net';

import type { Control } from '../../playground/service/control';
import type { NodeRun, RunNodeOptions } from '../support/engine/engine';
import { deduplicationStore } from '../support/engine/engine';
import {
	createOnce,
	outcomesOf,
	jsonOf,
	pairedItems,
	restart,
	setUp,
	until,
} from '../support/actionNode';
import { deliveries, delivery } from '../support/sampleDelivery';

const service = setUp();

beforeEach(restart);

type Fault = Parameters<Control['addFault']>[0];

/** A port at which nothing listens. */
async function closedPort(): Promise<number> {
	const server = createServer();
	const port = await listening(server);
	await new Promise((resolve) => server.close(resolve));
	return port;
}

/** Lets a server listen, and gives its port. */
async function listening(server: Server): Promise<number> {
	return await new Promise<number>((resolve) => {
		server.listen(0, '127.0.0.1', () => {
			const address = server.address();
			resolve(typeof address === 'object' && address !== null ? address.port : 0);
		});
	});
}

/** The error output's items as the regular output would have them: without the input's data. */
function ownData(items: readonly INodeExecutionData[]): INodeExecutionData[] {
	return items.map(({ json: { error }, ...item }) => ({ ...item, json: { error } }));
}

interface Row {
	/** What happens to the second of three requests, which holds R2 and R3. */
	fault: Fault;
	/** What becomes of R2 and R3. */
	outcome: 'rejected' | 'unknown' | 'notSent';
	/** Whether no further request is sent; what was not processed always stops the run. */
	stops?: boolean;
	/** Whether they exist all the same. */
	exist?: boolean;
	says: RegExp;
	options?: INodeParameters;
}

const answered = (status: number, headers?: Record<string, string>): Fault => ({
	kind: 'status',
	status,
	headers,
	body: { code: 'E1', message: 'Because' },
});
const refusedBatch = {
	kind: 'rejectReference',
	referenceIds: ['R2', 'R3'],
} satisfies Fault;

const table: Record<string, Row> = {
	'429 without Retry-After': {
		fault: answered(429),
		outcome: 'notSent',
		says: /[Rr]ate limit of the Delivery Service exceeded/,
	},
	'429 with Retry-After': {
		fault: answered(429, { 'Retry-After': '30' }),
		outcome: 'notSent',
		says: /[Rr]ate limit of the Delivery Service exceeded/,
	},
	'503 with Retry-After': {
		fault: answered(503, { 'Retry-After': '30' }),
		outcome: 'notSent',
		says: /server error \(status 503\)/,
	},
	'503 with Retry-After from a gateway that did not wait for the service': {
		fault: {
			kind: 'statusAfter',
			status: 503,
			headers: { 'Retry-After': '1' },
			body: '<!DOCTYPE html><title>503 Backend fetch failed</title>',
		},
		outcome: 'unknown',
		exist: true,
		says: /unknown.*status 503/,
	},
	'407 from a proxy': {
		fault: answered(407),
		outcome: 'rejected',
		stops: true,
		says: /The proxy between n8n and the Delivery Service requires authentication.*HTTPS_PROXY/,
	},
	'a redirection': {
		fault: answered(307, { Location: 'https://moved.example/v1/deliveries' }),
		outcome: 'rejected',
		stops: true,
		says: /redirects to a different URL.*https:\/\/moved\.example[".]/,
	},
	'400': {
		fault: { ...refusedBatch, status: 400 },
		outcome: 'unknown',
		says: /unknown.*batch of this delivery and another one \(status 400\).*REJECTED/,
	},
	'401': {
		fault: answered(401),
		outcome: 'rejected',
		stops: true,
		says: /API key.*Because \(E1\)/,
	},
	'403': {
		fault: answered(403),
		outcome: 'unknown',
		says: /unknown.*batch of this delivery and another one \(status 403\).*Because \(E1\)/,
	},
	'404': {
		fault: answered(404),
		outcome: 'unknown',
		says: /unknown.*batch of this delivery and another one \(status 404\).*Because \(E1\)/,
	},
	'409': {
		fault: answered(409),
		outcome: 'unknown',
		says: /unknown.*batch of this delivery and another one \(status 409\).*Because \(E1\)/,
	},
	'422': {
		fault: refusedBatch,
		outcome: 'unknown',
		says: /unknown.*batch of this delivery and another one \(status 422\).*REJECTED/,
	},
	'500 before the work was done': {
		fault: answered(500),
		outcome: 'unknown',
		says: /unknown.*status 500.*Because \(E1\)/,
	},
	'500 after the work was done': {
		fault: { kind: 'statusAfter', status: 500 },
		outcome: 'unknown',
		exist: true,
		says: /unknown.*status 500/,
	},
	'502': { fault: answered(502), outcome: 'unknown', says: /unknown.*status 502/ },
	'503 without Retry-After': {
		fault: answered(503),
		outcome: 'unknown',
		says: /unknown.*status 503/,
	},
	'a connection reset before the work was done': {
		fault: { kind: 'resetBefore' },
		outcome: 'unknown',
		says: /unknown.*connection/,
	},
	'a connection reset after the work was done': {
		fault: { kind: 'resetAfter' },
		outcome: 'unknown',
		exist: true,
		says: /unknown.*connection/,
	},
	'no answer in time, and no work done': {
		fault: { kind: 'hang' },
		outcome: 'unknown',
		says: /unknown.*did not respond in time.*option Timeout/,
		options: { timeoutSeconds: 3 },
	},
	'no answer in time, but the work done': {
		fault: { kind: 'hangAfter' },
		outcome: 'unknown',
		exist: true,
		says: /unknown.*did not respond in time/,
		options: { timeoutSeconds: 3 },
	},
	'a success that is a web page': {
		fault: { kind: 'garbage' },
		outcome: 'unknown',
		exist: true,
		says: /unknown.*not a valid Delivery Service response/,
	},
	'a success without records': {
		fault: { kind: 'emptySuccess' },
		outcome: 'unknown',
		exist: true,
		says: /unknown.*no record/,
	},
	'a success that misses the records': {
		fault: { kind: 'missingRecords', count: 2 },
		outcome: 'unknown',
		exist: true,
		says: /unknown.*no record/,
	},
};

/** Whoever follows advice to try again, before looking it up, may create a second delivery. */
function expectNoAdviceToSendAgain(failure: unknown): void {
	expect(failure).toMatchObject({
		description: expect.stringMatching(
			/^Check the Delivery Service dashboard before you send it again\. If .* "Allow Resending"/,
		),
	});
	expect(JSON.stringify(failure)).not.toMatch(/again later|try again|run the workflow/i);
}

describe.each(Object.entries(table))(
	'%s',
	(_what, { fault, outcome, stops, exist, says, options }) => {
		const last = outcome === 'notSent' || stops ? 'notSent' : 'created';
		const outcomes = ['created', 'created', outcome, outcome, last, last];
		const middle = exist ? ['R2', 'R3'] : [];

		async function run(more?: Partial<RunNodeOptions>): Promise<NodeRun> {
			service.control.addFault(fault.kind === 'rejectReference' ? fault : { ...fault, skip: 1 });
			const parameters = createOnce({ batchSize: 2, ...options });
			return await service.run(parameters, { items: deliveries(6), ...more });
		}

		/** In a further run nothing is created twice, and what was not created is sent. */
		async function expectSafeRerun(before: readonly string[]): Promise<void> {
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

		test('is said in an item for each delivery, when the node goes on', async () => {
			const { items, outputs, error } = await run({ onError: 'continueRegularOutput' });

			expect(error).toBeUndefined();
			expect(outputs).toHaveLength(1);
			expect(outcomesOf(items)).toEqual(outcomes);
			expect(pairedItems(items)).toEqual([0, 1, 2, 3, 4, 5]);
			expect(service.existing()).toEqual([
				...['R0', 'R1'],
				...middle,
				...(last === 'created' ? ['R4', 'R5'] : []),
			]);
			for (const item of [2, 3]) {
				const { error: failure } = jsonOf(items)[item] ?? {};
				expect(failure).toMatchObject({
					message: expect.stringMatching(new RegExp(`\\[item ${item}\\]$`)),
					outcome: outcome,
					referenceId: `R${item}`,
				});
				expect(JSON.stringify(failure)).toMatch(says);
				if (outcome === 'unknown') expectNoAdviceToSendAgain(failure);
			}
			await expectSafeRerun(outcomes);
		});

		test("goes to the error output, when that is the node's setting", async () => {
			const { outputs, error } = await run({ onError: 'continueErrorOutput' });

			expect(error).toBeUndefined();
			const [good = [], bad = []] = outputs;
			expect(outputs).toHaveLength(2);
			const badItems = last === 'notSent' ? [2, 3, 4, 5] : [2, 3];
			const goodItems = last === 'notSent' ? [0, 1] : [0, 1, 4, 5];
			expect(pairedItems(good)).toEqual(goodItems);
			expect(outcomesOf(good)).toEqual(goodItems.map(() => 'created'));
			expect(pairedItems(bad)).toEqual(badItems);
			expect(outcomesOf(ownData(bad))).toEqual(badItems.map((item) => outcomes[item]));
			expect(jsonOf(bad)).toMatchObject(badItems.map((item) => ({ referenceId: `R${item}` })));
		});

		test('ends the run with an error that names every delivery, when the node does not go on', async () => {
			const { items, error } = await run();

			expect(items).toEqual([]);
			const created = service.control
				.deliveries()
				.filter((_, index) => index < 2)
				.map(({ record: { id, referenceId } }, item) => ({ item, referenceId, id }));
			const named = (...numbers: number[]) =>
				numbers.map((item) => ({ item, referenceId: `R${item}` }));
			const lists = { created, rejected: [], unknown: [], notSent: [] };
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

describe('a service that is not there', () => {
	const hangingUp = {
		server: createServer((socket) => socket.once('data', () => socket.end())),
		port: 0,
	};

	beforeAll(async () => {
		hangingUp.port = await listening(hangingUp.server);
	});

	afterAll(() => hangingUp.server.close());

	test.each([
		['nothing listens', async () => `http://127.0.0.1:${await closedPort()}`, /Could not connect/],
		[
			'the host is not known',
			() => 'http://service.invalid',
			/host in the Base URL of the Delivery Service was not found/,
		],
		[
			'it does not speak HTTPS',
			() => service.credential.baseUrl.replace('http:', 'https:'),
			/Could not establish a secure/,
		],
		['it hangs up at once', () => `https://127.0.0.1:${hangingUp.port}`, /connection .* failed/],
	])('because %s was not sent anything', async (_why, baseUrl, says) => {
		// A proxy would answer in the place of the service.
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
			expect(error?.message).toMatch(/\(0 of 3 deliveries created, 3 not sent\) \[item 0\]$/);
			expect(deduplicationStore.count('workflow')).toBe(0);
		} finally {
			process.env.NO_PROXY = noProxy;
		}
	});
});

describe('a service that is out of order', () => {
	const run = async (count: number) =>
		await service.run(createOnce({ batchSize: 1 }), {
			items: deliveries(count),
			onError: 'continueRegularOutput',
		});

	test('is sent nothing more once three requests in a row came to an unknown end', async () => {
		service.control.addFault({ kind: 'status', status: 500, times: null });
		const { items } = await run(5);

		expect(outcomesOf(items)).toEqual(['unknown', 'unknown', 'unknown', 'notSent', 'notSent']);
		expect(service.creations()).toHaveLength(3);
		expect(jsonOf(items)[4]).toMatchObject({
			error: {
				message: expect.stringMatching(/not sent: the Delivery Service returned a server error/),
			},
		});
	});

	test('is sent the rest when it works now and then', async () => {
		service.control.addFault({ kind: 'status', status: 500, times: 2 });
		service.control.addFault({ kind: 'status', status: 500, skip: 1, times: 2 });
		const { items } = await run(6);

		expect(outcomesOf(items)).toEqual([
			...['unknown', 'unknown', 'created', 'unknown', 'unknown', 'created'],
		]);
	});
});

describe('a run without continue on error', () => {
	test('is stopped with the cause in the headline, though an earlier item was not sent for it', async () => {
		service.control.addFault({ kind: 'rejectReference', referenceIds: ['R2'] });
		const { error } = await service.run(
			createOnce({ batchSize: 1, type: '={{ $itemIndex % 2 ? "express" : "slot" }}' }),
			{ items: deliveries(4) },
		);

		expect(error?.message).toMatch(/rejected the request \(status 422\).*\[item 2\]$/);
		expect(error?.description).toContain('Delivery rejected: R2 (REJECTED)');
		expect(error?.context.data).toMatchObject({
			created: [{ referenceId: 'R0' }],
			rejected: [{ referenceId: 'R2' }],
			notSent: [{ referenceId: 'R1' }, { referenceId: 'R3' }],
		});
	});

	test('names items without a reference by their number', async () => {
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
	});

	test('names 20 of each kind in the description, and all of them in the data', async () => {
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

describe('a request that holds refused deliveries', () => {
	const refused = ['R13', 'R14', 'R77'];
	const others = deliveries(100)
		.map((_, number) => `R${number}`)
		.filter((referenceId) => !refused.includes(referenceId));
	const sure = { retryRejectedBatches: true };

	test.each([400, 422] as const)(
		'is split when the user knows that it created nothing and the status is %i: the others are created',
		async (status) => {
			service.control.addFault({ kind: 'rejectReference', referenceIds: refused, status });
			const { items, outputs } = await service.run(createOnce(sure), {
				items: deliveries(100),
				onError: 'continueErrorOutput',
			});

			expect([...service.existing()].sort()).toEqual([...others].sort());
			expect(jsonOf(items).map(({ referenceId }) => referenceId)).toEqual(others);
			const [, bad = []] = outputs;
			expect(pairedItems(bad)).toEqual([13, 14, 77]);
			expect(jsonOf(ownData(bad))).toEqual(
				refused.map((referenceId) => ({
					error: {
						message: expect.stringMatching(
							new RegExp(`^The Delivery Service .* \\[item ${referenceId.slice(1)}\\]$`),
						),
						description: expect.stringContaining(
							`The service says: Delivery rejected: ${referenceId} (REJECTED)`,
						),
						outcome: 'rejected',
						referenceId,
					},
				})),
			);
			// All, three alone, then at most 7 steps of two requests for each refused one.
			expect(service.creations().length).toBeLessThanOrEqual(1 + 3 + refused.length * 2 * 7);
		},
	);

	test('has them in the error, with what was created, when the node does not go on', async () => {
		service.control.addFault({ kind: 'rejectReference', referenceIds: refused });
		const { error } = await service.run(createOnce(sure), { items: deliveries(150) });

		expect([...service.existing()].sort()).toEqual([...others].sort());
		expect(error?.message).toMatch(/\(97 of 150 deliveries created, 50 not sent\) \[item 13\]$/);
		expect(error?.description).toContain('Delivery rejected: R13 (REJECTED)');
		expect(error?.context.data).toMatchObject({
			created: { length: 97 },
			rejected: refused.map((referenceId) => ({ referenceId })),
			unknown: [],
			notSent: { length: 50 },
		});
	});

	test('leaves all of them unknown otherwise, as its message says with what to do', async () => {
		service.control.addFault({ kind: 'rejectReference', referenceIds: refused });
		const { items } = await service.run(createOnce(), {
			items: deliveries(100),
			onError: 'continueRegularOutput',
		});

		expect(service.creations()).toHaveLength(1);
		expect(new Set(outcomesOf(items))).toEqual(new Set(['unknown']));
		expect(items[0]?.json.error).toMatchObject({
			message:
				'It is unknown whether this delivery was created: the Delivery Service rejected the batch of this delivery and 99 others (status 422) [item 0]',
			description: expect.stringMatching(
				/^Check .* "Allow Resending" .* option Batch Size to 1, .* option Retry Rejected Batches only if .* rejects a batch\. The service says: Delivery rejected: R13, R14, R77 \(REJECTED\)$/,
			),
		});
	});
});

describe('a run of 20 deliveries without a batch size', () => {
	const parameters = createOnce({ batchSize: '' });

	test('sends each alone, so that the refused ones touch no other', async () => {
		service.control.addFault({ kind: 'rejectReference', referenceIds: ['R3', 'R7'] });
		const { error } = await service.run(parameters, { items: deliveries(20) });

		expect(service.creations()).toHaveLength(20);
		expect(error?.message).toMatch(/\(18 of 20 deliveries created\) \[item 3\]$/);
		expect(error?.description).toContain('Rejected (2): R3, R7.');
	});

	test('leaves one unknown when an answer is lost', async () => {
		service.control.addFault({ kind: 'resetAfter', skip: 4 });
		const { items } = await service.run(parameters, {
			items: deliveries(20),
			onError: 'continueRegularOutput',
		});

		expect(outcomesOf(items).filter((outcome) => outcome !== 'created')).toEqual(['unknown']);
		expect(service.existing()).toHaveLength(20);
	});

	test('as a dry run says', async () => {
		const { items } = await service.run(createOnce({ batchSize: '', dryRun: true }), {
			items: deliveries(20),
		});
		expect(items).toHaveLength(20);
	});
});

describe('a service that is too busy for a moment', () => {
	test.each([429, 503])('with status %i is waited for as Retry-After says', async (status) => {
		service.control.addFault({ kind: 'status', status, headers: { 'Retry-After': '1' } });
		const { items, hints } = await service.run(createOnce({ maxRetrySeconds: 30 }), {
			items: deliveries(3),
		});

		expect(outcomesOf(items)).toEqual(['created', 'created', 'created']);
		const requests = service.control.requests();
		expect(requests.map((request) => request.status)).toEqual([status, 200]);
		const [first, second] = requests.map(({ at }) => at);
		expect(Number(second) - Number(first)).toBeGreaterThanOrEqual(1000);
		expect(hints).toMatchObject([
			{
				message: expect.stringMatching(
					/^Created 3 deliveries\. Waited 1 s because the service was busy\.$/,
				),
			},
		]);
	});

	test('is not waited for longer than the maximum wait: a longer Retry-After ends the run at once', async () => {
		service.control.addFault({ kind: 'status', status: 429, headers: { 'Retry-After': '3600' } });
		const { error } = await service.run(createOnce({ maxRetrySeconds: 300 }), {
			items: deliveries(3),
		});

		expect(service.creations()).toHaveLength(1);
		expect(error?.message).toMatch(
			/^Rate limit of the Delivery Service exceeded.*\(0 of 3 deliveries created, 3 not sent\)/,
		);
	});
});

describe('an execution that is stopped', () => {
	/** What the store holds once the stopped node has let go of what it did not send. */
	async function released(count: number): Promise<void> {
		await until(() => deduplicationStore.count('workflow') === count);
	}

	test('waits no longer, and can send later what was not sent', async () => {
		service.control.addFault({
			kind: 'status',
			status: 429,
			headers: { 'Retry-After': '200' },
			skip: 1,
		});
		const stop = new AbortController();
		const running = service.run(createOnce({ batchSize: 2, maxRetrySeconds: 300 }), {
			items: deliveries(6),
			signal: stop.signal,
		});
		await until(() => service.control.requests().at(1)?.status === 429);
		// Stopped before it has read the answer, the node could not know that nothing was created. It
		// has when it waits, which it does in pieces of a second.
		const timers = jest.spyOn(globalThis, 'setTimeout');
		await until(() => timers.mock.calls.some(([, ms]) => ms === 1000));
		timers.mockRestore();
		stop.abort();
		expect((await running).status).toBe('canceled');

		// Three entries for each of the two that were created, none for the others.
		await released(6);
		expect(service.existing()).toEqual(['R0', 'R1']);
		restart();
		const { items } = await service.run(createOnce(), { items: deliveries(6) });
		expect(outcomesOf(items).slice(0, 2)).toEqual(['alreadyCreated', 'alreadyCreated']);
		expect(service.existing()).toEqual(['R0', 'R1', 'R2', 'R3', 'R4', 'R5']);
	});

	test('has n8n log what was created: nothing else tells it', async () => {
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
					/^"Delivery Service" in workflow "Workflow" was stopped \(execution \d+\)\. Created/,
				),
			],
		]);
		expect(warn.mock.calls[0]?.[0]).toContain(account);
		warn.mockRestore();
	});

	test('while a request is under way never sends its deliveries again', async () => {
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

		// One entry for each of the two that may have been created; what was claimed else is gone.
		await released(2);
		const { items } = await service.run(createOnce(), {
			items: deliveries(4),
			onError: 'continueRegularOutput',
		});
		expect(outcomesOf(items)).toEqual(['unknown', 'unknown', 'created', 'created']);
		expect(service.existing()).toEqual(['R0', 'R1', 'R2', 'R3']);
	});
});

describe('a run of which nothing is remembered', () => {
	const parameters = createOnce({ batchSize: 1 }, { skipAlreadySent: false });
	const leaveOut = 'before you run this again, or they may be created twice.';
	const busy = { kind: 'status', status: 429, times: null } as const;

	test('says of what was not sent that what was created is to be left out', async () => {
		service.control.addFault({ ...busy, skip: 1 });
		const more = { items: deliveries(3) };
		const { error } = await service.run(parameters, more);
		expect(error?.message).toContain('1 of 3 deliveries created, 2 not sent');
		expect(error?.description).toMatch(new RegExp(`^Wait a minute.* Not sent .*${leaveOut}$`));

		service.control.reset();
		service.control.addFault({ ...busy, skip: 1 });
		const again = await service.run(parameters, { ...more, onError: 'continueRegularOutput' });
		expect(outcomesOf(again.items)).toEqual(['created', 'notSent', 'notSent']);
		for (const { json } of again.items.slice(1))
			expect(json.error).toMatchObject({ description: expect.stringContaining(leaveOut) });
	});

	test('says nothing of that when nothing was created, or what was is skipped', async () => {
		service.control.addFault(busy);
		const more = { items: deliveries(2), onError: 'continueRegularOutput' } as const;
		const none = await service.run(parameters, more);
		service.control.reset();
		service.control.addFault({ ...busy, skip: 1 });
		const remembered = await service.run(createOnce({ batchSize: 1 }), more);
		expect(outcomesOf(remembered.items)).toEqual(['created', 'notSent']);
		for (const { json } of [...none.items, ...remembered.items.slice(1)])
			expect(JSON.stringify(json.error)).not.toContain('created twice');
	});
});

describe('a node that cannot begin, but goes on after errors', () => {
	const broken: Array<[string, INodeParameters, Partial<RunNodeOptions>, RegExp]> = [
		['a batch would be empty', createOnce({ batchSize: 0 }), {}, /^Batch size 0 is less than 1/],
		['a batch is too big', createOnce({ batchSize: 101 }), {}, /^Batch size 101 is more than 100/],
		['a batch is no whole number', createOnce({ batchSize: '1.5' }), {}, /^Batch size .*1\.5/],
		['its wait is negative', createOnce({ maxRetrySeconds: -1 }), {}, /^Max retry time .*-1/],
		['its timeout is too long', createOnce({ timeoutSeconds: 9_999_999 }), {}, /^Timeout .*3600/],
		['its timeout is none', createOnce({ timeoutSeconds: 0 }), {}, /^Timeout .*0/],
		['a dry run is neither on nor off', createOnce({ dryRun: 'yes' }), {}, /^Dry run "yes"/],
		[
			'Skip Already Sent holds an expression',
			createOnce({}, { skipAlreadySent: '={{ $itemIndex > 0 }}' }),
			{},
			/^Skip Already Sent "\{\{ \$itemIndex > 0 \}\}" is not true or false/,
		],
		[
			'Dry Run holds an expression',
			createOnce({ dryRun: '={{ $json.isTry }}' }),
			{},
			/^Dry run "\{\{ \$json\.isTry \}\}" is not true or false/,
		],
		['its source does not exist', createOnce({}, { source: 'csv' }), {}, /^Choose a source/],
		[
			'its credential is not complete',
			createOnce(),
			{ credential: { baseUrl: '', apiKeyId: 'a', apiSecret: 'b', companyId: 1 } },
			/^The Delivery Service credential is incomplete/,
		],
		[
			'it would be run again and create twice',
			createOnce({}, { skipAlreadySent: false }),
			{ settings: { retryOnFail: true, waitBetweenTries: 1 } },
			/^Turn on "Skip Already Sent" to use "Retry On Fail"/,
		],
		[
			'it is retried and could create twice',
			createOnce({}, { skipAlreadySent: false }),
			{ mode: 'retry' },
			/^Without "Skip Already Sent", retrying this execution/,
		],
		[
			'its operation does not exist',
			{ resource: 'delivery', operation: 'eat' },
			{},
			/^The resource "delivery" has no operation "eat"/,
		],
	];

	test.each(broken)('gives an error item for each delivery when %s', async (_why, ...run) => {
		const [parameters, more, message] = run;
		const failures = [0, 1].map((item) => ({
			json: {
				error: {
					message: expect.stringMatching(new RegExp(`${message.source}.* \\[item ${item}\\]$`)),
					outcome: 'notSent',
				},
			},
			pairedItem: { item },
		}));
		const regular = await service.run(parameters, {
			items: deliveries(2),
			onError: 'continueRegularOutput',
			...more,
		});
		expect(regular.items).toMatchObject(failures);

		const { outputs } = await service.run(parameters, {
			items: deliveries(2),
			onError: 'continueErrorOutput',
			...more,
		});
		expect(outputs[0]).toEqual([]);
		expect(ownData(outputs[1] ?? [])).toMatchObject(failures);
		expect(service.control.requests()).toEqual([]);
	});
});

describe('the hints of a run', () => {
	test('say how many deliveries were created', async () => {
		const { hints } = await service.run(createOnce({ batchSize: 2 }), { items: deliveries(5) });
		expect(hints).toEqual([
			{
				message: 'Created 5 deliveries.',
				type: 'info',
				location: 'outputPane',
			},
		]);
	});

	test('say how many are pending review, and what to do', async () => {
		const nowhere = delivery({
			referenceId: 'N',
			dropoff: {
				contact: { name: 'Ana', email: 'ana@mail.example' },
				location: { address: 'Nowhere' },
			},
		});
		const { hints } = await service.run(createOnce(), { items: [nowhere, ...deliveries(2)] });
		expect(hints).toMatchObject([
			{ message: 'Created 3 deliveries.' },
			{
				message: expect.stringMatching(/^N is pending review: .*Correct it/),
				type: 'warning',
			},
		]);
	});

	test('say of how many it is unknown whether they were created, and what to do', async () => {
		service.control.addFault({ kind: 'resetAfter', skip: 1 });
		const { hints } = await service.run(createOnce({ batchSize: 2 }), {
			items: deliveries(6),
			onError: 'continueRegularOutput',
		});
		expect(hints).toMatchObject([
			{ message: 'Created 4 deliveries.' },
			{
				message: expect.stringMatching(
					/^It is unknown whether 2 deliveries \(R2, R3\) were created\. Check/,
				),
				type: 'warning',
			},
		]);
	});
});
