/**
 * Workflows saved with each released version still run and send the same requests. Each release adds
 * `published/<version>.json`: an exported workflow with every operation and its new parameters, and
 * with pinned data at the node Start. `--updateSnapshot` records its requests.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { z } from 'zod';

import { projectFolder } from '../../playground/n8n/folders';
import { setUp } from '../support/actionNode';
import { runWorkflow, type WorkflowJson } from '../support/engine/engine';
import { setUpTriggers } from '../support/triggerNode';

const folder = join(__dirname, 'published');
const files = existsSync(folder) ? readdirSync(folder) : [];

const actionType = 'n8n-nodes-delivery-service.deliveryService';
const triggerType = 'n8n-nodes-delivery-service.deliveryServiceTrigger';

/** Matches delivery IDs, which differ in each run. */
const deliveryId = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

const savedSchema = z.object({
	nodes: z.array(z.object({ type: z.string(), parameters: z.custom<INodeParameters>() })),
	pinData: z.object({ Start: z.array(z.object({ json: z.custom<IDataObject>() })) }),
});

const isWorkflow = (value: unknown): value is WorkflowJson => savedSchema.safeParse(value).success;

test('has one saved workflow per released version', () => {
	const changelog = readFileSync(join(projectFolder, 'CHANGELOG.md'), 'utf8');
	const released = [...changelog.matchAll(/^## (\d+\.\d+\.\d+) - /gm)];
	const expected = released.map(([, version]) => `${version}.json`);
	expect([...files].sort()).toEqual(expected.sort());
});

for (const file of files)
	describe(`workflow of ${file}`, () => {
		const service = setUp();
		const triggers = setUpTriggers();
		const workflow: unknown = JSON.parse(readFileSync(join(folder, file), 'utf8'));
		if (!isWorkflow(workflow))
			throw new Error(`${file} is not a workflow with pinned data at Start`);
		const saved = savedSchema.parse(workflow);

		test(`runs every operation of ${file} and sends the same requests as before`, async () => {
			const nodes = workflow.nodes.filter(({ type }) => type !== triggerType);
			const { error, runData } = await runWorkflow(
				{ ...workflow, nodes },
				{
					items: saved.pinData.Start.map(({ json }) => json),
					startNode: 'Start',
					credentials: { deliveryServiceApi: service.credential },
				},
			);

			expect(error).toBeUndefined();
			const actions = nodes.filter(({ type }) => type === actionType);
			const ran = actions.map(({ name }) => [name, runData[name]?.at(-1)?.executionStatus]);
			expect(ran).toEqual(actions.map(({ name }) => [name, 'success']));
			const requests = JSON.stringify(service.received(), null, '\t');
			expect(requests.replace(deliveryId, '<delivery ID>')).toMatchSnapshot();
		});

		test(`subscribes the trigger of ${file} to the same events as before`, async () => {
			const trigger = saved.nodes.find(({ type }) => type === triggerType);
			const opened = await triggers.open(trigger?.parameters);

			await opened.activate();

			expect(triggers.list().map(({ action }) => action)).toMatchSnapshot();
		});
	});
