import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { pickup } from '../../../playground/examples';
import type { WorkflowFile } from '../../../playground/n8n/client';
import { projectFolder } from '../../../playground/n8n/folders';
import { connection, node } from '../../../playground/n8n/workflowParts';
import {
	chain,
	linearWorkflow,
	onlyWith,
	selected,
	shopNodes,
	splitOut,
	step,
	type NodeContext,
} from './shopNodes';

/*
 * Workflows that send fulfillment orders, and fulfill them when their deliveries arrive. They contain
 * no code, so that shop owners can build them too.
 */

/** The names of the nodes that tests run or read. */
export const steps = {
	start: 'Orders',
	create: 'Create delivery',
	fulfill: 'Fulfill in Shopify',
} as const;

/** The columns of the table with the created deliveries. Both n8n versions call the type "string". */
export const deliveryColumns = {
	deliveryId: 'string',
	referenceId: 'string',
	trackLink: 'string',
} as const;

/** In which form the node gets an order: the outputs of the node Form. */
export const forms = [
	'REST order',
	'GraphQL order',
	'REST fulfillment orders',
	'GraphQL fulfillment orders',
] as const;

/** An input item of the workflow that creates deliveries. */
export interface OrderToSend {
	readonly id: number;
	readonly form: (typeof forms)[number];
}

/** What the workflows need to know about n8n and the shop. */
export interface WorkflowContext extends NodeContext {
	/** The ID of the table with the created deliveries. */
	readonly tableId: string;
}

type WorkflowNode = WorkflowFile['nodes'][number];

/** Where each location hands over its packages; whole orders have no location. */
export const locationPickups = {
	store: {
		shopifyLocation: 'Main Street Store',
		pickupType: 'address',
		contactName: 'Main Street Store',
		contactEmail: 'store@example.com',
		address: '12 Main Street, Springfield, IL 62701',
	},
	warehouse: { shopifyLocation: 'Harbor Warehouse', pickupType: 'warehouse', warehouse: '7' },
	others: { pickupType: 'address', address: '12 Main Street, Springfield, IL 62701' },
} as const;

const createParameters = {
	resource: 'delivery',
	operation: 'createFromOrders',
	order: '={{ $json }}',
	...pickup,
	pickupDetails: {
		pickupByLocation: {
			entry: [locationPickups.store, locationPickups.warehouse],
			others: [locationPickups.others],
		},
	},
	orderOptions: { packagesPer: 'unit' },
	options: {},
};

/** Builds the workflow that fetches orders in the requested forms, and creates their deliveries. */
export function creationWorkflow(context: WorkflowContext): WorkflowFile {
	const { rest, graphql } = shopNodes(context);
	const order = "={{ $('Its order').item.json.order }}";
	const withOrder = {
		assignments: { assignments: [{ id: '1', name: 'order', type: 'object', value: order }] },
		includeOtherFields: true,
		options: {},
	};
	const branches = [
		[rest('REST order', orderPath)],
		[graphql('GraphQL order', orderQuery)],
		[
			rest('Its order', orderPath),
			rest('Its fulfillment orders', 'orders/{{ $json.order.id }}/fulfillment_orders.json'),
			splitOut('Each one', 'fulfillment_orders'),
			step('With its order', 'n8n-nodes-base.set', 3.4, withOrder),
		],
		[
			graphql('GraphQL fulfillment orders', fulfillmentOrdersQuery),
			splitOut('Each', 'data.order.fulfillmentOrders.nodes', { include: 'allOtherFields' }),
		],
	];
	const merge = step('Merge', 'n8n-nodes-base.merge', 3, { numberInputs: forms.length });
	const create = {
		...node(steps.create, 'n8n-nodes-delivery-service.deliveryService', createParameters),
		credentials: selected(context.credentials, 'deliveryServiceApi'),
		onError: 'continueRegularOutput',
	};
	const form = step('Form', 'n8n-nodes-base.switch', 3.2, {
		mode: 'expression',
		numberOutputs: forms.length,
		output: `={{ ${JSON.stringify(forms)}.indexOf($json.form) }}`,
	});
	const beforeForm = [node(steps.start, 'n8n-nodes-base.manualTrigger'), form];
	const afterMerge = [merge, create, onlyWith('Created', '={{ $json.id }}'), saveDelivery(context)];
	return {
		name: 'Orders to deliveries',
		nodes: [...beforeForm, ...branches.flat(), ...afterMerge],
		connections: {
			...chain(beforeForm),
			[form.name]: { main: branches.map(([first]) => [connection(first?.name ?? '')]) },
			...Object.fromEntries(branches.flatMap((branch) => Object.entries(chain(branch)))),
			...Object.fromEntries(
				branches.map((branch, index) => [
					branch.at(-1)?.name ?? '',
					{ main: [[{ ...connection(merge.name), index }]] },
				]),
			),
			...chain(afterMerge),
		},
		pinData: { [steps.start]: [{ json: {} }] },
		settings: { executionOrder: 'v1' },
	};
}

/** Builds the workflow that creates deliveries of the orders in its pinned data. */
export function orderWorkflow(
	{ credentials }: Pick<NodeContext, 'credentials'>,
	parameters: object,
): WorkflowFile {
	const nodes = [
		node(steps.start, 'n8n-nodes-base.manualTrigger'),
		{
			...node(steps.create, 'n8n-nodes-delivery-service.deliveryService', {
				resource: 'delivery',
				operation: 'createFromOrders',
				order: '={{ $json }}',
				...pickup,
				...parameters,
			}),
			credentials: selected(credentials, 'deliveryServiceApi'),
			onError: 'continueRegularOutput',
		},
	];
	return linearWorkflow('Orders', nodes);
}

/** Builds the workflow that fulfills the fulfillment order of each delivered delivery. */
export function fulfillmentWorkflow(context: WorkflowContext): WorkflowFile {
	const { post } = shopNodes(context);
	const fulfillment = `{
		line_items_by_fulfillment_order: [
			{ fulfillment_order_id: Number($json.referenceId.split('-').pop()) },
		],
		tracking_info: { number: $json.deliveryId, url: $json.trackLink },
	}`;
	const nodes = [
		{
			...step('Delivery updated', 'n8n-nodes-delivery-service.deliveryServiceTrigger', 2, {
				events: ['updateTask'],
			}),
			credentials: selected(context.credentials, 'deliveryServiceApi'),
			webhookId: randomUUID(),
		},
		onlyWith('Delivered', "={{ $json.status === 'delivered' ? $json.id : '' }}"),
		step('Its delivery', 'n8n-nodes-base.dataTable', 1, {
			operation: 'get',
			dataTableId: { __rl: true, mode: 'id', value: context.tableId },
			matchType: 'allConditions',
			filters: { conditions: [{ keyName: 'deliveryId', keyValue: '={{ $json.id }}' }] },
			returnAll: true,
		}),
		post(steps.fulfill, 'fulfillments.json', `={{ { fulfillment: ${fulfillment} } }}`),
	];
	return linearWorkflow('Deliveries to fulfillments', nodes);
}

const orderPath = 'orders/{{ $json.id }}.json';

/** The query that examples/queries.md tells users to copy, and its lines about fulfillment orders. */
const [orderQuery = '', fulfillmentOrderLines = ''] = Array.from(
	readFileSync(join(projectFolder, 'examples', 'queries.md'), 'utf8').matchAll(
		/```graphql\n([^]*?)```/g,
	),
	([, query]) => query,
);

/** The lines are inserted where examples/queries.md says: before the last two braces. */
const fulfillmentOrdersQuery = orderQuery.replace(/\}\s*\}\s*$/, `${fulfillmentOrderLines}}}`);

function saveDelivery({ tableId }: WorkflowContext): WorkflowNode {
	const columns = Object.keys(deliveryColumns);
	return step('Save delivery', 'n8n-nodes-base.dataTable', 1, {
		operation: 'insert',
		dataTableId: { __rl: true, mode: 'id', value: tableId },
		columns: {
			mappingMode: 'defineBelow',
			value: {
				deliveryId: '={{ $json.id }}',
				referenceId: '={{ $json.referenceId }}',
				trackLink: '={{ $json.trackLink }}',
			},
			matchingColumns: [],
			schema: columns.map((id) => ({ id, displayName: id, type: 'string', display: true })),
		},
		options: {},
	});
}
