import type { Credentials } from '../../../playground/examples';
import type { WorkflowFile } from '../../../playground/n8n/client';
import { connection, node } from '../../../playground/n8n/workflowParts';
import type { Shopify } from '../../../playground/shopify/server';

/** What nodes need to know about n8n and the shop. */
export interface NodeContext {
	readonly shopify: Pick<Shopify, 'domain'>;
	/** The stored credentials, including the Header Auth credential for the GraphQL node. */
	readonly credentials: Credentials;
}

type WorkflowNode = WorkflowFile['nodes'][number];

/** Returns builders of the nodes that call the shop's Admin API. */
export function shopNodes({ shopify, credentials }: NodeContext) {
	const baseUrl = `https://${shopify.domain}/admin/api/2024-07`;
	const http = (name: string, path: string, parameters: object = {}) => ({
		...step(name, 'n8n-nodes-base.httpRequest', 4.2, {
			url: `=${baseUrl}/${path}`,
			authentication: 'predefinedCredentialType',
			nodeCredentialType: 'shopifyAccessTokenApi',
			options: {},
			...parameters,
		}),
		credentials: selected(credentials, 'shopifyAccessTokenApi'),
	});
	return {
		rest: http,
		post: (name: string, path: string, jsonBody: string) =>
			http(name, path, { method: 'POST', sendBody: true, specifyBody: 'json', jsonBody }),
		graphql: (name: string, query: string) => ({
			...step(name, 'n8n-nodes-base.graphql', 1.1, {
				authentication: 'headerAuth',
				endpoint: `${baseUrl}/graphql.json`,
				query,
				variables: `={{ JSON.stringify({ id: 'gid://shopify/Order/' + $json.id }) }}`,
			}),
			credentials: selected(credentials, 'httpHeaderAuth'),
		}),
	};
}

/** The credential of a type, as a node refers to it. */
export function selected(credentials: Credentials, type: string): Credentials {
	return Object.fromEntries(Object.entries(credentials).filter(([name]) => name === type));
}

/** A Filter node that keeps the items for which the expression is not empty. */
export function onlyWith(name: string, expression: string): WorkflowNode {
	return step(name, 'n8n-nodes-base.filter', 2.2, {
		conditions: {
			options: { caseSensitive: true, leftValue: '', typeValidation: 'loose', version: 2 },
			conditions: [
				{
					id: '1',
					leftValue: expression,
					rightValue: '',
					operator: { type: 'string', operation: 'notEmpty', singleValue: true },
				},
			],
			combinator: 'and',
		},
		looseTypeValidation: true,
		options: {},
	});
}

/** A Split Out node that makes an item of each fulfillment order in a list. */
export function splitOut(name: string, field: string, parameters: object = {}): WorkflowNode {
	return step(name, 'n8n-nodes-base.splitOut', 1, {
		fieldToSplitOut: field,
		options: { destinationFieldName: 'fulfillmentOrder' },
		...parameters,
	});
}

/** A node of a version. */
export function step(
	name: string,
	type: string,
	typeVersion: number,
	parameters: Record<string, unknown>,
): WorkflowNode {
	return { ...node(name, type, parameters), typeVersion };
}

/** A workflow of nodes in a row. */
export function linearWorkflow(name: string, nodes: readonly WorkflowNode[]): WorkflowFile {
	const settings = { executionOrder: 'v1' };
	return { name, nodes: [...nodes], connections: chain(nodes), settings };
}

/** The connections of each node to the next one. */
export function chain(nodes: readonly WorkflowNode[]): WorkflowFile['connections'] {
	return Object.fromEntries(
		nodes
			.slice(1)
			.map(({ name }, index) => [nodes[index]?.name ?? '', { main: [[connection(name)]] }]),
	);
}
