import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import {
	NodeConnectionTypes,
	type IDataObject,
	type ICredentialType,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypes,
	type INodeTypeDescription,
} from 'n8n-workflow';
import { z } from 'zod';

import { projectFolder } from '../../../playground/n8n/folders';

const load = createRequire(__filename);

const manifest = z
	.object({
		name: z.string(),
		n8n: z.object({ nodes: z.array(z.string()), credentials: z.array(z.string()) }),
	})
	.parse(load(join(projectFolder, 'package.json')));

/** The files that package.json lists, by type name: the class name in lower camel case. */
const packagedNodes = new Map(
	manifest.n8n.nodes.map((file) => [`${manifest.name}.${typeNameOf(file)}`, file]),
);
const packagedCredentials = new Map(
	manifest.n8n.credentials.map((file) => [typeNameOf(file), file]),
);

function classNameOf(builtFile: string): string {
	return basename(builtFile).split('.')[0] ?? '';
}

function typeNameOf(builtFile: string): string {
	const className = classNameOf(builtFile);
	return className.charAt(0).toLowerCase() + className.slice(1);
}

/** The type of n8n's Manual Trigger, with which `runNode` starts. */
export const manualTriggerType = 'n8n-nodes-base.manualTrigger';

/** A stub of n8n's Manual Trigger: outputs the items that the execution starts with. */
class ManualTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Manual Trigger',
		name: 'manualTrigger',
		group: ['trigger'],
		version: 1,
		description: 'Starts the workflow',
		defaults: { name: 'Manual Trigger' },
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		properties: [],
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await Promise.resolve([this.getInputData()]);
	}
}

/**
 * The node and credential types of the engine: those of this package, from the TypeScript sources that
 * package.json lists, a Manual Trigger, and the nodes that a test adds.
 */
class Registry implements INodeTypes {
	readonly #nodes = new Map<string, INodeType>([[manualTriggerType, new ManualTrigger()]]);
	readonly #credentials = new Map<string, ICredentialType>();

	/** Adds a node type for the tests of a file, e.g. a stub of a built-in node. */
	addNode(type: string, nodeType: INodeType): void {
		this.#nodes.set(type, nodeType);
	}

	/**
	 * The full name of a node type.
	 *
	 * @param name the full name, or the name without the prefix of this package
	 * @throws Error if there is no such node type
	 */
	fullName(name: string): string {
		const full = [name, `${manifest.name}.${name}`].find(
			(candidate) => this.#nodes.has(candidate) || packagedNodes.has(candidate),
		);
		if (full !== undefined) return full;
		const known = [...packagedNodes.keys(), ...this.#nodes.keys()];
		throw new Error(`There is no node type "${name}" here. Known: ${known.join(', ')}.`);
	}

	getByName(name: string): INodeType {
		const full = this.fullName(name);
		const nodeType = this.#nodes.get(full) ?? instanceOf(packagedNodes.get(full) ?? '', isNode);
		this.#nodes.set(full, nodeType);
		return nodeType;
	}

	/** Ignores the version: each node has only one. */
	getByNameAndVersion(name: string): INodeType {
		return this.getByName(name);
	}

	getKnownTypes(): IDataObject {
		return {};
	}

	/** This package's node types. */
	allNodes(): INodeType[] {
		return [...packagedNodes.keys()].map((name) => this.getByName(name));
	}

	/**
	 * A credential type by name.
	 *
	 * @throws Error if there is none
	 */
	credential(name: string): ICredentialType {
		const known = this.#credentials.get(name);
		if (known !== undefined) return known;
		const file = packagedCredentials.get(name);
		if (file === undefined) throw new Error(`There is no credential type "${name}".`);
		const credentialType = instanceOf(file, isCredential);
		this.#credentials.set(name, credentialType);
		return credentialType;
	}
}

/** An instance of the class of a built file, from its source. The class has the name of the file, as in n8n. */
function instanceOf<T>(builtFile: string, is: (value: object) => value is T & object): T {
	const source = join(projectFolder, builtFile.replace(/^dist\//, '').replace(/\.js$/, '.ts'));
	const className = classNameOf(builtFile);
	const module: unknown = load(source);
	const constructor: unknown = z.record(z.unknown()).parse(module)[className];
	if (typeof constructor !== 'function') throw new Error(`${source} has no class ${className}.`);
	const instance: unknown = Reflect.construct(constructor, []);
	if (typeof instance !== 'object' || instance === null || !is(instance)) {
		throw new Error(`${className} of ${source} is not of the type that package.json lists.`);
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
