import { setTimeout as sleep } from 'node:timers/promises';

import { z } from 'zod';

import { hasEnded, type StoredWorkflow, type WorkflowFile } from '../../playground/n8n/client';
import { itemsOf, type Execution } from '../../playground/n8n/execution';
import { waitFor } from '../../playground/n8n/progress';
import {
	closeEngine,
	openTrigger,
	type OpenTriggerOptions,
	type Trigger,
} from '../support/engine/engine';
import { marker, send, triggerCalls, type Call, type CallResponse } from './support/calls';
import { openInstallation, type Installation } from './support/installation';
import { nodes, triggerWorkflow } from './support/workflows';

/*
 * The engine tests call the trigger through a simulated n8n. Here the same calls go to it and to real
 * n8n, which must treat them alike: the response and the executions.
 */

/** How long to wait for executions of real n8n that the simulated one has started. */
const missingAfterMs = 15_000;

/** What a call causes, as far as it is compared. */
interface Effect {
	response: CallResponse;
	executions: Started[];
}

/** An execution that a call started. */
interface Started {
	mode: string;
	status: string;
	/** The first item that the trigger passed on. */
	item: unknown;
	items: number;
	error: string | undefined;
}

/**
 * One side of the comparison. `call` sends a call, `started` waits for the executions that it starts, if
 * they are known, `executions` returns all since the last time, with that of the marker if there was one.
 */
interface Side {
	call: (call: Call) => Promise<CallResponse>;
	started?: () => Promise<void>;
	executions: (markerId?: string) => Promise<Started[]>;
}

afterAll(closeEngine);

/**
 * n8n's side. Waits for as many executions as the other side has started, including the marker's, and
 * until all have ended.
 */
function realSide(
	{ client }: Installation,
	workflow: StoredWorkflow,
	trigger: string,
	url: string,
): Side & { expect: (count: number) => void } {
	const seen = new Set<string>();
	let expected = 0;
	const freshExecutions = async () =>
		(await client.executions(workflow.id)).filter(({ id }) => !seen.has(id)).reverse();
	return {
		call: async (call) => await send(url, call),
		expect: (count) => (expected = count),
		started: async () => {
			const deadline = Date.now() + missingAfterMs;
			// All but the marker's.
			while ((await freshExecutions()).length < expected - 1 && Date.now() < deadline)
				await sleep(50);
		},
		executions: async (markerId) => {
			const deadline = Date.now() + missingAfterMs;
			return await waitFor('the executions to end', async () => {
				const fresh = await freshExecutions();
				if (!fresh.every(hasEnded)) return undefined;
				if (fresh.length < expected && Date.now() < deadline) return undefined;
				const started: Started[] = [];
				for (const { id } of fresh) started.push(startedOf(await client.execution(id), trigger));
				const isComplete = markerId === undefined || JSON.stringify(started).includes(markerId);
				if (!isComplete && Date.now() < deadline) return undefined;
				for (const { id } of fresh) seen.add(id);
				return started;
			});
		},
	};
}

function startedOf(execution: Execution, trigger: string): Started {
	const items = itemsOf(execution, trigger);
	return {
		mode: execution.mode,
		status: execution.status,
		item: items[0]?.json,
		items: items.length,
		error: execution.data.resultData.error?.message,
	};
}

/** The side of the simulated n8n. */
function simulatedSide(simulated: Trigger, trigger: string, url: string): Side {
	let seen = 0;
	return {
		call: async (call) => await send(url, call),
		executions: async () => {
			await simulated.settled();
			const fresh = simulated.executions.slice(seen);
			seen += fresh.length;
			return await Promise.all(
				fresh.map(async ({ mode, finished }) => {
					const { status, error, outputsOf } = await finished;
					const [items = []] = outputsOf(trigger);
					const item: unknown = items[0] && JSON.parse(JSON.stringify(items[0].json));
					return { mode, status, item, items: items.length, error: error?.message };
				}),
			);
		},
	};
}

/** Sends calls to both sides, each followed by one that starts an execution for certain. */
async function compare(
	simulated: Side,
	real: ReturnType<typeof realSide>,
	calls: readonly Call[],
	withMarkers = true,
): Promise<Record<'simulated' | 'real', Record<string, Effect>>> {
	const effects = { simulated: {}, real: {} } as Record<
		'simulated' | 'real',
		Record<string, Effect>
	>;
	for (const call of calls) {
		const expected = await effectOf(simulated, call, withMarkers);
		real.expect(expected.executions.length);
		effects.simulated[call.name] = expected;
		effects.real[call.name] = await effectOf(real, call, withMarkers);
	}
	return effects;
}

async function effectOf(side: Side, call: Call, withMarker: boolean): Promise<Effect> {
	const response = await side.call(call);
	// Executions start in the order of the calls: one that this call starts is there with the marker's.
	if (!withMarker) return { response, executions: await side.executions() };
	const id = `after ${call.name}`;
	// A node that responds itself does so before n8n saves what the node has stored.
	await side.started?.();
	await side.call(marker(id));
	return { response, executions: await side.executions(id) };
}

function differences({ simulated, real }: Awaited<ReturnType<typeof compare>>): string[] {
	return Object.keys(simulated).filter(
		(name) => JSON.stringify(simulated[name]) !== JSON.stringify(real[name]),
	);
}

function report(n8n: string, subject: string, effects: Awaited<ReturnType<typeof compare>>): void {
	const calls = Object.keys(effects.simulated).length;
	const different = differences(effects);
	const names = different.map((name) => `\n  ${name}`).join('');
	console.log(
		`n8n ${n8n}, ${subject}: ${calls} calls compared, ${different.length} differences${names}`,
	);
}

/** A simulated trigger with the names and IDs of a stored workflow's. */
async function simulate(
	n8n: OpenTriggerOptions['n8n'],
	workflow: StoredWorkflow,
	options: OpenTriggerOptions,
): Promise<Trigger> {
	const { name, webhookId } = z
		.object({ name: z.string(), webhookId: z.string() })
		.parse(workflow.nodes[0]);
	return await openTrigger({ n8n, workflowId: workflow.id, webhookId, name, ...options });
}

describe.each([
	{ host: 'newest', n8n: '2' },
	{ host: '1.123', n8n: '1' },
] as const)('n8n $host', ({ host, n8n }) => {
	let installation: Installation;
	beforeAll(async () => {
		installation = await openInstallation(host);
	});
	afterAll(async () => await installation?.close());

	const store = async (file: WorkflowFile) => {
		const { client } = installation;
		return await client.workflow(await client.createWorkflow(file));
	};

	test(`the simulated n8n treats calls of the trigger like n8n ${host}`, async () => {
		const { client, service } = installation;
		const parameters = { events: ['updateTask'], options: { statuses: 'delivered, ready é' } };
		const workflow = await store(triggerWorkflow(installation, parameters));
		await client.publish(workflow.id);
		const realUrl = service.control.webhooks()[0]?.url ?? '';
		const simulated = await simulate(n8n, workflow, { parameters, credential: service.credential });
		await simulated.activate();
		const simulatedUrl = service.control.webhooks()[1]?.url ?? '';

		const effects = await compare(
			simulatedSide(simulated, nodes.trigger, simulatedUrl),
			realSide(installation, workflow, nodes.trigger, realUrl),
			triggerCalls,
		);

		report(host, 'Delivery Service Trigger', effects);
		expect(effects.simulated).toEqual(effects.real);
		for (const { response, executions } of Object.values(effects.real)) {
			// No call makes the trigger fail, and it responds to all accepted ones alike.
			expect(executions.map(({ status }) => status)).not.toContain('error');
			if (response.status === 200 && response.body !== '')
				expect(response.body).toBe('{"message":"Received"}');
		}
		await simulated.deactivate();
		await client.unpublish(workflow.id);
	});
});
