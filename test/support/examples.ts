import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import {
	createRunExecutionData,
	Workflow,
	type IDataObject,
	type INode,
	type NodeParameterValueType,
} from 'n8n-workflow';
import { z } from 'zod';

import { DeliveryService } from '../../nodes/DeliveryService/DeliveryService.node';

const folder = join(__dirname, '../../examples');
const nodesSchema = z.object({
	nodes: z.array(z.object({ name: z.string(), parameters: z.record(z.unknown()) })),
});

/** The parameters of a node of the example whose file name begins like this. */
export function parametersOf(beginning: string, nodeName: string): Record<string, unknown> {
	const file = readdirSync(folder).find((name) => name.startsWith(beginning)) ?? beginning;
	const { nodes } = nodesSchema.parse(JSON.parse(readFileSync(join(folder, file), 'utf8')));
	const found = nodes.find(({ name }) => name === nodeName);
	if (!found) throw new Error(`${file} has no node ${nodeName}`);
	return found.parameters;
}

/**
 * What other nodes have returned, the last one first (undefined if it did not run), and the URL that
 * resumes the execution.
 */
interface Setting {
	outputs?: Record<string, IDataObject[] | undefined>;
	resumeUrl?: string;
}

/** Evaluates an expression for an item, as n8n does in an execution. */
export function evaluated(
	value: unknown,
	json: IDataObject,
	{ outputs = {}, resumeUrl = '' }: Setting = {},
): NodeParameterValueType {
	const names = ['Here', ...Object.keys(outputs)];
	const nodes = names.map((name): INode => ({
		id: name,
		name,
		type: 'n8n-nodes-base.noOp',
		typeVersion: 1,
		position: [0, 0],
		parameters: {},
	}));
	const connections = Object.fromEntries(
		names.slice(1).map((name, index) => {
			return [name, { main: [[{ node: names[index]!, type: 'main' as const, index: 0 }]] }];
		}),
	);
	const getByName = () => new DeliveryService();
	const nodeTypes = { getByName, getByNameAndVersion: getByName, getKnownTypes: () => ({}) };
	const { expression } = new Workflow({
		id: '7',
		nodes,
		connections,
		active: false,
		nodeTypes,
	});
	const sourceOf = (index: number) =>
		names.slice(index + 1, index + 2).map((previousNode) => ({ previousNode }));
	const itemsOf = (items: IDataObject[]) =>
		items.map((item, index) => ({ json: item, pairedItem: { item: index } }));
	const runData = Object.fromEntries(
		Object.entries(outputs).flatMap(([name, items], index) => {
			if (!items) return [];
			const run = { startTime: 0, executionTime: 0, executionIndex: 0 };
			const data = { main: [itemsOf(items)] };
			return [[name, [{ ...run, source: sourceOf(index + 1), data }]]];
		}),
	);
	const items = itemsOf([json]);
	const run = createRunExecutionData({ resultData: { runData } });
	const text = String(value);
	return expression.getParameterValue(
		...([text, run, 0, 0, 'Here', items, 'manual'] as const),
		{ $execution: { id: '12', mode: 'production', resumeUrl, resumeFormUrl: '' } },
		{ node: nodes[0]!, data: { main: [items] }, source: { main: sourceOf(0) } },
	);
}
