/**
 * Workflows that were saved with each published version still run: what they hold keeps its names
 * and its meaning. A new version brings its own file, `published/<version>.json`, with every
 * operation and every parameter that is new in it.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { z } from 'zod';

import { projectFolder } from '../../playground/n8n/folders';
import { releasedVersions } from '../../tools/release/changelog';
import { setUp } from '../support/actionNode';
import { runWorkflow, type WorkflowJson } from '../support/engine/engine';
import { setUpTriggers, updated } from '../support/triggerNode';

const versions = releasedVersions(readFileSync(join(projectFolder, 'CHANGELOG.md'), 'utf8'));

const actionType = 'n8n-nodes-delivery-service.deliveryService';
const triggerType = 'n8n-nodes-delivery-service.deliveryServiceTrigger';

const savedSchema = z.object({
	nodes: z.array(z.object({ type: z.string(), parameters: z.custom<INodeParameters>() })),
	pinData: z.object({ Start: z.array(z.object({ json: z.custom<IDataObject>() })) }),
});

const isWorkflow = (value: unknown): value is WorkflowJson => savedSchema.safeParse(value).success;

function savedWith(version: string) {
	const file = join(__dirname, 'published', `${version}.json`);
	const json: unknown = JSON.parse(readFileSync(file, 'utf8'));
	if (!isWorkflow(json)) throw new Error(`${file} is no workflow with pinned data at Start`);
	return { workflow: json, saved: savedSchema.parse(json) };
}

describe.each(versions)('a workflow of version %s', (version) => {
	const service = setUp();
	const triggers = setUpTriggers();

	test('runs each operation to its end, and sends what it sent', async () => {
		const { workflow, saved } = savedWith(version);
		const nodes = workflow.nodes.filter(({ type }) => type !== triggerType);
		const actions = nodes.filter(({ type }) => type === actionType);

		const { error, runData } = await runWorkflow(
			{ ...workflow, nodes },
			{
				items: saved.pinData.Start.map(({ json }) => json),
				startNode: 'Start',
				credentials: { deliveryServiceApi: service.credential },
			},
		);

		expect(error).toBeUndefined();
		const ran = actions.map(({ name }) => [name, runData[name]?.at(-1)?.executionStatus]);
		expect(ran).toEqual(actions.map(({ name }) => [name, 'success']));
		expect(service.existing()).toEqual(['F-1', 'J-2', '#1001']);
		expect(service.control.deliveries().map(({ request }) => request)).toMatchObject([
			{
				dropoff: {
					contact: { name: 'Ana Torres', phonenumber: '+1 555 0103' },
					location: { address: '9 Elm Street', instructions: 'Back door' },
				},
				packages: [{ name: 'Box', qty: 1, size: 's' }],
				cod: 0,
				tags: expect.arrayContaining(['fragile', 'morning']),
				extraData: [{ name: 'Gift note', value: 'Enjoy!', searchable: true }],
			},
			{ pickup: { location: { warehouse: 7 } }, packages: [{ name: 'Box' }], referenceId: 'J-2' },
			{ dropoff: { contact: { name: 'Eve Stone' } }, cod: 20, tags: ['vip'] },
		]);
		expect(service.control.webhooks()).toEqual([]);
	});

	test('starts on the events that it was set up for', async () => {
		const { saved } = savedWith(version);
		const [trigger] = saved.nodes.filter(({ type }) => type === triggerType);
		const opened = await triggers.open(trigger?.parameters);

		await opened.activate();
		await triggers.control.fireEvent(3, { ...updated, status: 'assigned', city_id: '8' });
		await opened.settled();

		expect(triggers.list()).toHaveLength(3);
		expect(opened.executions).toHaveLength(1);
	});
});
