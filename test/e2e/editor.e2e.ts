import { isDeepStrictEqual } from 'node:util';

import { z } from 'zod';

import { readExampleFile, pickup } from '../../playground/examples';
import { freePort } from '../../playground/n8n/checks';
import { waitFor } from '../../playground/n8n/progress';
import { samples } from '../../playground/shopify/samples';
import { Editor } from './support/editor';
import { actionWorkflow, nodes, type ActionWorkflow } from './support/workflows';
import { openInstallation, type Installation } from './support/installation';

const nodeName = 'Delivery Service';

let installation: Installation;
let editor: Editor;

beforeAll(async () => {
	installation = await openInstallation();
	editor = await Editor.open(installation.n8n.url);
});

afterAll(async () => {
	await editor?.close();
	await installation?.close();
});

beforeEach(async () => {
	installation.service.control.reset();
	await editor.openNewPage();
});

/** Stores a workflow with input items and the action node, and opens the node. Returns the workflow ID. */
async function openAction(setup: ActionWorkflow): Promise<string> {
	const workflow = actionWorkflow(installation, setup);
	const action = workflow.nodes.find(({ name }) => name === nodes.action);
	const id = await installation.client.createWorkflow(workflow);
	await editor.openNode(id, z.string().parse(action?.id));
	return id;
}

/** What shop owners search for. */
const purposes = [
	'shopify delivery',
	'shopify order',
	'tracking',
	'ship orders',
	'order fulfillment',
	'same day delivery',
	'local delivery',
	'create delivery',
	'deliver order',
	'order status',
];

test('finds the node by its purpose and lists its actions', async () => {
	await editor.newManualWorkflow();
	await editor.searchNodes('courier', [nodeName]);
	await editor.searchNodes('shopify', ['Shopify', nodeName]);
	for (const purpose of purposes) await editor.findNode(purpose, nodeName);
	await editor.searchNodes('delivery', [nodeName]);
	await editor.screenshot('search');
	await editor.chooseEntry(nodeName);
	const actions = editor.part('node-creator').getByTestId('node-creator-item-name');
	await editor.expectEntries(actions, [
		'Create deliveries from Shopify orders',
		'Create a delivery',
		'Allow resending deliveries',
		'Update deliveries',
		'Create a webhook',
		'Delete a webhook',
		'Get many webhooks',
		'Reactivate blacklisted webhooks',
	]);
	await editor.screenshot('actions', { of: [editor.part('node-creator')] });
	await editor.chooseEntry('Create deliveries from Shopify orders');
	await editor.part('node-parameters').waitFor();
	await editor.screenshot('create-empty');
	expect(await editor.text(editor.part('credentials-label'))).toBe('Credential');
	expect(installation.service.control.requests()).toEqual([]);
});

const address = {
	streetName: '48 Oak Avenue',
	city: 'Springfield',
	state: 'Illinois',
	zipcode: '62704',
	country: 'United States',
};

test('creates a delivery from the form, with an address in separate fields and a warehouse', async () => {
	await editor.newManualWorkflow();
	await editor.searchNodes('delivery', [nodeName]);
	await editor.chooseEntry(nodeName);
	await editor.chooseEntry('Create a delivery');
	await editor.fill('pickupName', 'Main Street Store');
	await editor.fill('pickupEmail', 'store@example.com');
	await editor.selectOption('pickupLocationType', 'Separate Fields');
	for (const [name, value] of Object.entries(address))
		await editor.fill(`pickup${name[0]?.toUpperCase()}${name.slice(1)}`, value);
	await editor.fill('dropoffName', 'Ana Torres');
	await editor.fill('dropoffEmail', 'ana@example.com');
	await editor.selectOption('dropoffLocationType', 'Saved Warehouse');
	await editor.fill('dropoffWarehouse', '7');
	const packages = editor.part('fixed-collection-packages');
	await editor.fill(packages.getByTestId('parameter-input-name'), 'Box of shoes');
	await editor.selectOption(packages.getByTestId('parameter-input-size'), 'Large (L)');
	await editor.fill('referenceId', '#2001');
	await editor.screenshot('create-from-form');
	await editor.execute();
	const rows = await editor.outputRows();
	expect(rows).toEqual([expect.objectContaining({ referenceId: '#2001' })]);
	await editor.screenshot('created-from-form');
	expect(installation.service.control.requests().map(({ body }) => body)).toEqual([
		{
			deliveries: [
				{
					pickup: {
						contact: { name: 'Main Street Store', email: 'store@example.com' },
						location: { address },
					},
					dropoff: {
						contact: { name: 'Ana Torres', email: 'ana@example.com' },
						location: { warehouse: 7 },
					},
					packages: [{ name: 'Box of shoes', qty: 1, size: 'l' }],
					referenceId: '#2001',
				},
			],
		},
	]);
});

/** The sample orders that are canceled, test orders, or have nothing to ship. */
const notSent = ['#1005', '#1006', '#1007', '#1012'];

test('creates one delivery per Shopify order', async () => {
	const isSent = ({ name }: { name: string }) => !notSent.includes(name);
	const [first, second, ...others] = samples.filter(isSent);
	const skipped = samples.filter((order) => !isSent(order));
	// The screenshot shows both.
	const orders = [first, second, ...skipped, ...others].filter((order) => order !== undefined);
	await openAction({ parameters: pickup, items: orders });
	expect(await editor.text(editor.part('node-parameters'))).toContain(
		'Connect a node that outputs Shopify orders: each becomes one delivery.',
	);
	await editor.fill('fallbackEmail', 'orders@example.com');
	await editor.execute();
	const rows = await editor.outputRows();
	const deliveries = installation.service.control.deliveries();
	// Several requests are in flight, so the service creates them in any order.
	const createdIds = rows.map(({ id }) => id).filter((id) => id !== 'empty');
	expect(createdIds.sort()).toEqual(deliveries.map(({ record }) => record.id).sort());
	expect(
		rows.filter(({ outcome }) => outcome === 'skipped').map(({ referenceId }) => referenceId),
	).toEqual(notSent);
	expect(rows.flatMap((row) => Object.values(row))).not.toContain('undefined');
	for (const row of rows)
		expect(Object.keys(row).slice(0, 4)).toEqual([
			'referenceId',
			'outcome',
			'message',
			'actionNeeded',
		]);
	expect(await editor.isColumnInView('message')).toBe(true);
	expect(await editor.outputHints()).toContain(
		'Created 8 deliveries. Skipped 4 items: #1005, #1006, #1007 and 1 more.',
	);
	await editor.input('resource').scrollIntoViewIfNeeded();
	const panels = [editor.part('node-parameters'), editor.part('output-panel')];
	await editor.screenshot('output', { of: panels, inDocs: true });

	await editor.execute();
	await editor.part('node-hint').filter({ hasText: 'Nothing was sent.' }).waitFor();
	expect(installation.service.control.deliveries()).toHaveLength(deliveries.length);
	await editor.screenshot('output-again');
});

test('turns on Dry Run as soon as the option is added, and sends nothing', async () => {
	const id = await openAction({
		parameters: { ...pickup, fallbackEmail: 'orders@example.com' },
		items: [...samples],
	});
	await editor.addToCollection('Add Option', 'Dry Run');
	await editor.execute();
	const hint =
		'Dry Run: 8 deliveries would be created, 4 orders would not be sent (#1005 canceled, #1006 nothing to ship, #1007 test order and 1 more).';
	await editor.part('node-hint').filter({ hasText: hint }).waitFor();
	const rows = await editor.outputRows();
	expect(rows.flatMap((row) => Object.values(row))).not.toContain('undefined');
	expect(rows).toHaveLength(samples.length);
	expect(Object.keys(rows[0] ?? {})).toEqual(['referenceId', 'result', 'message']);
	expect(await editor.isColumnInView('message')).toBe(true);
	expect(
		rows.filter(({ result }) => result !== 'send').map(({ referenceId }) => referenceId),
	).toEqual(notSent);
	await editor.screenshot('dry-run', { of: [editor.part('output-panel')], inDocs: true });
	// The editor omits parameters with their default value: it must not omit this one.
	await waitFor('the option in the stored workflow', async () => {
		const stored = await installation.client.workflow(id);
		const action = stored.nodes.find(({ name }) => name === nodes.action);
		return isDeepStrictEqual(action?.parameters.options, { dryRun: true });
	});
	expect(installation.service.control.requests()).toEqual([]);
});

/** By the text of the button that adds them: the options that are not added yet. */
const optionGroups = {
	'Add Filter': [
		'Days to Send Ahead',
		'Delivery Date Attributes',
		'Delivery Date Format',
		'Delivery Methods',
		'Exclude Shipping Methods',
		'Exclude Tags',
		'Include Fulfillment Services',
		'Include Test Orders',
		'Payment',
		'Skip Until Delivery Date',
		'Tags',
	],
	'Add Order Option': [
		'Cash on Delivery',
		'Cash on Delivery Methods',
		'Custom Reference ID',
		'Delivery Address Format',
		'Delivery Instructions',
		'Delivery Type by Shipping Method',
		'Include Additional Details',
		'Include Coordinates',
		'Include Tags',
		'Package Name',
		'Package Size',
		'Package Size by Weight',
		'Packages',
		'Reference ID From',
		'Tags',
	],
};

test('shows the options of orders in groups, with the most used ones first', async () => {
	await openAction({ parameters: pickup, items: [...samples] });
	for (const [button, options] of Object.entries(optionGroups))
		expect(await editor.collectionOptions(button)).toEqual(options);
});

test('shows a validation error once and sends nothing', async () => {
	const packages = { package: [{ name: 'Box', qty: 1, size: '={{ $json.size }}' }] };
	const dropoff = {
		dropoffName: 'Ana Torres',
		dropoffEmail: 'ana@example.com',
		dropoffAddress: '48 Oak Avenue, Springfield, IL 62704',
	};
	await openAction({
		parameters: { operation: 'create', source: 'defineBelow', ...pickup, ...dropoff, packages },
		items: [{ size: 's' }, { size: 'xxl' }],
	});
	await editor.execute();
	const { message, description } = await editor.outputError();
	expect(message).toBe('Package size "xxl" is not one of xs, s, m, l, xl [item 1]');
	expect(description).toContain('No delivery was created.');
	const panel = await editor.text(editor.part('output-panel'));
	expect(panel.match(/\[item \d+\]/g)).toEqual(['[item 1]']);
	expect(installation.service.control.requests()).toEqual([]);
	await editor.screenshot('validation-error');
});

test('shows a test event in the trigger, and deletes its webhook on Stop', async () => {
	const { control } = installation.service;
	const listen = editor.part('trigger-execute-button');
	const waitForSubscriptions = async (count: number) =>
		await waitFor(`${count} subscriptions at the service`, () =>
			control.webhooks().length === count ? control.webhooks() : undefined,
		);
	await editor.newWorkflow();
	await editor.searchNodes('delivery', [nodeName]);
	await editor.chooseEntry(nodeName);
	await editor.chooseEntry('On delivery updated');
	await editor.part('node-parameters').waitFor();
	await editor.screenshot('trigger-empty');
	await listen.click();
	await editor.part('trigger-listening').waitFor();
	const [subscription] = await waitForSubscriptions(1);
	expect(subscription).toMatchObject({ action: 3, status: 'Active' });
	await editor.screenshot('trigger-listening');

	const event = { id: 'D-1', status: 'on the way', company_id: 1001, city_id: 3 };
	expect(await control.fireEvent(3, event)).toEqual([{ url: subscription?.url, status: 200 }]);
	expect(await editor.outputRows()).toEqual([
		expect.objectContaining({ event: 'updateTask', id: 'D-1', status: 'on the way' }),
	]);
	await waitForSubscriptions(0);
	await editor.screenshot('trigger-event', { inDocs: true });

	await listen.click();
	await editor.part('trigger-listening').waitFor();
	await waitForSubscriptions(1);
	await listen.click();
	await editor.part('trigger-listening').waitFor({ state: 'hidden' });
	await waitForSubscriptions(0);
});

test('deletes a webhook by its URL and event, and shows the others with Get Many', async () => {
	const { control } = installation.service;
	const { client } = installation;
	const urls = ['https://shop.example/updates', 'https://shop.example/routes'];
	for (const [index, event] of ['updateTask', 'createRoute'].entries()) {
		const parameters = { resource: 'webhook', operation: 'create', url: urls[index], event };
		await client.run(
			await client.createWorkflow(actionWorkflow(installation, { parameters })),
			nodes.start,
		);
	}
	expect(control.webhooks().map((webhook) => webhook.url)).toEqual(urls);

	const deleted = { url: urls[1], event: 'createRoute' };
	await openAction({ parameters: { resource: 'webhook', operation: 'delete', ...deleted } });
	await editor.execute();
	expect(await editor.outputRows()).toEqual([{ deleted: 'true' }]);
	expect(control.webhooks().map(({ url }) => url)).toEqual([urls[0]]);
	await editor.screenshot('webhook-deleted');

	await openAction({ parameters: { resource: 'webhook', operation: 'getAll' } });
	await editor.execute();
	expect(await editor.outputRows()).toEqual([
		expect.objectContaining({ url: urls[0], event: 'updateTask', status: 'active' }),
	]);
	await editor.screenshot('webhook-get-many');
});

test('shows the starter on the canvas, with all its nodes recognized', async () => {
	const example = await readExampleFile('shopify-orders-to-deliveries');
	const canvas = await editor.openCanvas(await installation.client.createWorkflow(example));
	const canvasText = (await Promise.all(canvas.map((part) => part.innerText()))).join('\n');
	for (const { name, type } of example.nodes)
		if (!type.endsWith('.stickyNote')) expect(canvasText).toContain(name);
	expect(canvasText).not.toMatch(/install this node|unrecognized/i);
	// The margin includes the node names below the nodes.
	await editor.screenshot('starter', { of: canvas, margin: 60, inDocs: true });
});

// Must be the last test: n8n selects the newest credential for each new node.
test('adds a credential, whose connection test succeeds or names the problem', async () => {
	const { control, credential } = installation.service;
	await editor.newCredential('Delivery Service API');
	await editor.fill('baseUrl', `${credential.baseUrl}/`);
	await editor.fill('apiKeyId', credential.apiKeyId);
	await editor.fill('apiSecret', 'wrong');
	await editor.fill('companyId', String(credential.companyId));
	await editor.saveCredential('The Delivery Service rejected the API key');
	// The second request tries the key and the secret swapped.
	expect(control.requests().map(({ status }) => status)).toEqual([401, 401]);
	await editor.screenshot('credential-wrong-key');

	await editor.fill('apiSecret', credential.apiSecret);
	await editor.fill('companyId', '9');
	await editor.saveCredential('this company or URL was not found');

	await editor.fill('companyId', String(credential.companyId));
	const port = await freePort();
	await editor.fill('baseUrl', `http://127.0.0.1:${port}`);
	await editor.saveCredential(`The connection to the Delivery Service at 127.0.0.1:${port} failed`);
	await editor.screenshot('credential-wrong-host');
	expect(control.requests()).toHaveLength(3);

	await editor.fill('baseUrl', credential.baseUrl);
	await editor.saveCredential('Connection tested successfully');
	expect(control.requests().at(-1)).toMatchObject({
		method: 'GET',
		path: `/hooks/companies/${credential.companyId}`,
		status: 200,
	});
	const dialog = editor.part('editCredential-modal');
	await editor.screenshot('credential', { of: [dialog], inDocs: true });
});
