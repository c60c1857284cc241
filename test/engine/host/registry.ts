import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import {
	NodeConnectionTypes,
	NodeHelpers,
	type IDataObject,
	type ICredentialType,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypes,
	type INodeTypeDescription,
} from 'n8n-workflow';
import { z } from 'zod';

const load = createRequire(__filename);
const projectFolder = join(__dirname, '..', '..', '..');

const manifest = z
	.object({
		name: z.string(),
		n8n: z.object({ nodes: z.array(z.string()), credentials: z.array(z.string()) }),
	})
	.parse(load(join(projectFolder, 'package.json')));

/** The type of n8n's Manual Trigger, from which `runNode` starts. */
export const manualTriggerType = 'n8n-nodes-base.manualTrigger';

function description(
	displayName: string,
	name: string,
	rest: Partial<INodeTypeDescription> = {},
): INodeTypeDescription {
	return {
		displayName,
		name,
		group: ['transform'],
		version: 1,
		description: displayName,
		defaults: { name: displayName },
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		properties: [],
		...rest,
	};
}

/** Stands for n8n's Manual Trigger: gives on the items that the execution starts with. */
class ManualTrigger implements INodeType {
	description = description('Manual Trigger', 'manualTrigger', { group: ['trigger'], inputs: [] });

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await Promise.resolve([this.getInputData()]);
	}
}

/** Stands for n8n's No Operation node: gives on what it gets. */
class NoOp implements INodeType {
	description = description('No Operation', 'noOp', { version: [1] });

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await Promise.resolve([this.getInputData()]);
	}
}

/**
 * The node and credential types of the engine: this package's own, from their TypeScript sources as
 * package.json lists them, with a Manual Trigger, a No Operation node and whatever a test adds.
 */
class Registry implements INodeTypes {
	readonly #nodes = new Map<string, INodeType>([
		[manualTriggerType, new ManualTrigger()],
		['n8n-nodes-base.noOp', new NoOp()],
	]);
	readonly #credentials = new Map<string, ICredentialType>();
	#loaded = false;

	/** Adds a node type for the tests of this file, for instance a stub of a built-in node. */
	addNode(type: string, nodeType: INodeType): void {
		this.#nodes.set(type, nodeType);
	}

	/** Adds a credential type for the tests of this file. */
	addCredential(credentialType: ICredentialType): void {
		this.#credentials.set(credentialType.name, credentialType);
	}

	/**
	 * A node type's full name: as it is, or with this package's prefix.
	 * @throws Error when there is no such node type
	 */
	fullName(name: string): string {
		if (this.#nodes.has(name)) return name;
		this.#loadPackage();
		const full = [name, `${manifest.name}.${name}`].find((candidate) => this.#nodes.has(candidate));
		if (full === undefined) {
			throw new Error(
				`There is no node type "${name}" here. Known: ${[...this.#nodes.keys()].join(', ')}.`,
			);
		}
		return full;
	}

	getByName(name: string): INodeType {
		const nodeType = this.#nodes.get(this.fullName(name));
		if (nodeType === undefined) throw new Error(`The node type "${name}" is gone.`);
		return nodeType;
	}

	getByNameAndVersion(name: string, version?: number): INodeType {
		return NodeHelpers.getVersionedNodeType(this.getByName(name), version);
	}

	getKnownTypes(): IDataObject {
		return {};
	}

	/** All node types, with this package's. */
	allNodes(): ReadonlyMap<string, INodeType> {
		this.#loadPackage();
		return this.#nodes;
	}

	/**
	 * A credential type by name.
	 * @throws Error when there is none
	 */
	credential(name: string): ICredentialType {
		if (!this.#credentials.has(name)) this.#loadPackage();
		const credentialType = this.#credentials.get(name);
		if (credentialType === undefined) throw new Error(`There is no credential type "${name}".`);
		return credentialType;
	}

	#loadPackage(): void {
		if (this.#loaded) return;
		this.#loaded = true;
		for (const file of manifest.n8n.credentials) this.addCredential(instanceOf(file, isCredential));
		for (const file of manifest.n8n.nodes) {
			const nodeType = instanceOf(file, isNode);
			this.addNode(`${manifest.name}.${nodeType.description.name}`, nodeType);
		}
	}
}

/** Makes the class of a built file from its source, found by the file's name as n8n finds it. */
function instanceOf<T>(builtFile: string, is: (value: object) => value is T & object): T {
	const source = join(projectFolder, builtFile.replace(/^dist\//, '').replace(/\.js$/, '.ts'));
	const className = basename(builtFile).split('.')[0] ?? '';
	const module: unknown = load(source);
	const constructor: unknown = z.record(z.unknown()).parse(module)[className];
	if (typeof constructor !== 'function') throw new Error(`${source} has no class ${className}.`);
	const instance: unknown = Reflect.construct(constructor, []);
	if (typeof instance !== 'object' || instance === null || !is(instance)) {
		throw new Error(`${className} of ${source} is not what package.json says it is.`);
	}
	return instance;
}

function isNode(value: object): value is INodeType {
	return 'description' in value;
}

function isCredential(value: object): value is ICredentialType {
	return 'displayName' in value && 'properties' in value;
}

/** The registry of this process. */
export const registry = new Registry();
