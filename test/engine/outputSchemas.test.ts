/** Compares the output schemas that the editor shows before a first run with the actual output. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv from 'ajv';
import type { IDataObject, INodeParameters, INodeProperties } from 'n8n-workflow';
import { z } from 'zod';

import { DeliveryService } from '../../nodes/DeliveryService/DeliveryService.node';
import { readEvents } from '../../nodes/DeliveryService/trigger/payload';
import { jsonOf, pickupFields, setUp } from '../support/actionNode';
import { delivery } from '../support/sampleDelivery';
import { samplePart } from '../support/sampleFulfillmentOrder';
import { lineItem, payableInCash, shopifyOrder } from '../support/shopifyOrders';

const schemaFolder = join(__dirname, '../../nodes/DeliveryService/__schema__');

const schemaFileSchema = z
	.object({ type: z.literal('object'), properties: z.record(z.object({ type: z.unknown() })) })
	.strict();

const service = setUp();

/** A schema file, by version, resource and operation as in n8n. */
function readSchema(path: string) {
	return schemaFileSchema.parse(JSON.parse(readFileSync(`${schemaFolder}${path}.json`, 'utf8')));
}

/** The validation errors of items, and the fields of the schema that no item has. */
function compare(path: string, items: readonly object[]) {
	const schema = readSchema(path);
	const validate = new Ajv({ strict: true, allowUnionTypes: true, allErrors: true }).compile({
		...schema,
		additionalProperties: false,
	});
	const errors = items.flatMap((item) => (validate(item) ? [] : (validate.errors ?? [])));
	const usedFields = new Set(items.flatMap((item) => Object.keys(item)));
	const unusedFields = Object.keys(schema.properties).filter((name) => !usedFields.has(name));
	return { errors, unusedFields };
}

const matching = { errors: [], unusedFields: [] };

/** The output items of several runs of an operation. */
async function outputOf(
	resource: string,
	operation: string,
	runs: Array<{ parameters: INodeParameters; items?: IDataObject[] }>,
): Promise<IDataObject[]> {
	const all: IDataObject[] = [];
	for (const { parameters, items } of runs) {
		const { error, ...run } = await service.run(
			{ resource, operation, ...parameters },
			{ ...(items && { items }) },
		);
		expect(error).toBeUndefined();
		all.push(...jsonOf(run.items));
	}
	return all;
}

test('has one output schema per operation', () => {
	const { properties } = new DeliveryService().description;
	const operations = properties
		.filter(({ name }) => name === 'operation')
		.flatMap(({ displayOptions, options }: INodeProperties) =>
			(options ?? []).flatMap((option) =>
				'value' in option
					? [`${z.string().parse(displayOptions?.show?.resource?.[0])}/${option.value}.json`]
					: [],
			),
		);
	const files = readdirSync(join(schemaFolder, 'v1.0.0'), { recursive: true, encoding: 'utf8' })
		.map((file) => file.replace(/\\/g, '/'))
		.filter((file) => file.endsWith('.json'));
	expect(files.sort()).toEqual(operations.sort());
});

test('matches the output of Delivery: Create From Shopify Orders', async () => {
	const split = shopifyOrder({ ...payableInCash, id: 3, name: '#3' });
	const lines = [{ line_item_id: lineItem().id, quantity: 1, fulfillable_quantity: 1 }];
	const part = samplePart({ id: 31, order_id: 3, line_items: lines });
	const orders = [
		shopifyOrder({ ...payableInCash, id: 1, name: '#1', payment_gateway_names: ['Bank'] }),
		shopifyOrder({ id: 2, name: '#2', cancelled_at: '2026-01-02T03:04:05Z' }),
		{ order: split, fulfillmentOrder: { ...part } },
	];
	const items = await outputOf('delivery', 'createFromOrders', [
		{ parameters: { ...pickupFields, filters: { payment: 'any' } }, items: orders },
	]);
	expect(items.map(({ outcome }) => outcome)).toEqual(['created', 'skipped', 'created']);
	expect(compare('/v1.0.0/delivery/createFromOrders', items)).toEqual(matching);
});

test('matches the output of Delivery: Create for created and skipped deliveries', async () => {
	const items = await outputOf('delivery', 'create', [
		{
			parameters: { source: 'json', skipAlreadySent: true },
			items: [delivery({ referenceId: '#2' }), delivery({ referenceId: '#2' })],
		},
	]);
	expect(items.map(({ outcome }) => outcome)).toEqual(['created', 'skipped']);
	expect(compare('/v1.0.0/delivery/create', items)).toEqual(matching);
});

test('matches the output of Delivery: Update by delivery ID and by reference ID', async () => {
	const [created] = await outputOf('delivery', 'create', [
		{ parameters: { source: 'json' }, items: [delivery({ referenceId: '#1' })] },
	]);
	const changes = { changesFrom: 'defineBelow', changes: { name: 'Ana T.' } };
	const items = await outputOf('delivery', 'update', [
		{
			parameters: { findBy: 'deliveryIds', deliveryIds: z.string().parse(created?.id), ...changes },
		},
		{ parameters: { findBy: 'referenceIds', referenceIds: '#1', ...changes } },
		{
			parameters: { changesFrom: 'shopifyOrder' },
			items: [shopifyOrder({ name: '#1' })],
		},
	]);
	expect(items).toHaveLength(3);
	expect(compare('/v1.0.0/delivery/update', items)).toEqual(matching);
});

test('matches the output of Delivery: Allow Resending', async () => {
	await outputOf('delivery', 'create', [
		{
			parameters: { source: 'json', skipAlreadySent: true },
			items: [delivery({ referenceId: '#1' })],
		},
	]);
	const items = await outputOf('delivery', 'allowResending', [
		{ parameters: { references: 'specific', referenceIds: '#1, 1' } },
		{ parameters: { references: 'all' } },
	]);
	expect(items).toHaveLength(3);
	expect(compare('/v1.0.0/delivery/allowResending', items)).toEqual(matching);
});

test('matches the output of the webhook operations', async () => {
	const webhook = { url: 'https://example.com/events', event: 'updateTask' };
	const created = await outputOf('webhook', 'create', [{ parameters: webhook }]);
	expect(compare('/v1.0.0/webhook/create', created)).toEqual(matching);

	const listed = await outputOf('webhook', 'getAll', [{ parameters: { returnAll: true } }]);
	expect(listed).toHaveLength(1);
	expect(compare('/v1.0.0/webhook/getAll', listed)).toEqual(matching);

	service.control.blacklist(webhook.url, 3);
	const type = 'n8n-nodes-delivery-service.deliveryServiceTrigger';
	const credentials = { deliveryServiceApi: { id: 'deliveryServiceApi' } };
	const trigger = { type, name: 'Trigger', parameters: {}, credentials };
	const withTrigger = { id: 'w', name: 'Updates', nodes: [trigger] };
	const reactivated = await outputOf('webhook', 'reactivate', [
		{ parameters: { urlPrefix: webhook.url } },
		{
			parameters: {
				urlPrefix: webhook.url,
				options: { publishedWorkflows: '={{ $json.workflows }}' },
			},
			items: [{ workflows: [withTrigger] }],
		},
	]);
	expect(compare('/v1.0.0/webhook/reactivate', reactivated)).toEqual(matching);

	const deleted = await outputOf('webhook', 'delete', [{ parameters: webhook }]);
	expect(compare('/v1.0.0/webhook/delete', deleted)).toEqual(matching);
});

test('matches the output of the trigger for its three events', () => {
	const events = [
		readEvents({ id: 'D1', distance: 1.5, price: '4.20', currencySign: '$' }, 'createTask'),
		readEvents(
			{
				route_id: 'R1',
				distance: '3.1',
				date: '1700000000',
				prices: [{ id: 'D1', price: '4.20' }],
			},
			'createRoute',
		),
		readEvents({ id: 'D1', status: 'processing', company_id: '1', city_id: '3' }, 'updateTask'),
		readEvents({ id: 'D1' }),
	].flatMap((event) => event ?? []);
	expect(events).toHaveLength(4);
	expect(compare('/v2.0.0', events)).toEqual(matching);
});
