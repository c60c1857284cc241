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

/** What other nodes have returned, by their names, and the URL that resumes the execution. */
interface Setting {
	outputs?: Record<string, IDataObject[]>;
	resumeUrl?: string;
}

/** Evaluates an expression for an item, as n8n does in an execution. */
export function evaluated(
	value: unknown,
	json: IDataObject,
	{ outputs = {}, resumeUrl = '' }: Setting = {},
): NodeParameterValueType {
	const nodes = ['Here', ...Object.keys(outputs)].map((name): INode => ({
		...{ id: name, name, type: 'n8n-nodes-base.noOp', typeVersion: 1 },
		...{ position: [0, 0], parameters: {} },
	}));
	const getByName = () => new DeliveryService();
	const nodeTypes = { getByName, getByNameAndVersion: getByName, getKnownTypes: () => ({}) };
	const { expression } = new Workflow({
		...{ id: '7', nodes, connections: {}, active: false, nodeTypes },
	});
	const runData = Object.fromEntries(
		Object.entries(outputs).map(([name, items]) => {
			const data = { main: [items.map((item) => ({ json: item }))] };
			return [name, [{ startTime: 0, executionTime: 0, executionIndex: 0, source: [], data }]];
		}),
	);
	const run = createRunExecutionData({ resultData: { runData } });
	const text = String(value);
	return expression.getParameterValue(text, run, 0, 0, 'Here', [{ json }], 'manual', {
		$execution: { id: '12', mode: 'production', resumeUrl, resumeFormUrl: '' },
	});
}
