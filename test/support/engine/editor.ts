import { CredentialTestContext, ExecuteContext, LoadOptionsContext, RoutingNode } from 'n8n-core';
import {
	createEmptyRunExecutionData,
	NodeHelpers,
	Workflow,
	type ICredentialsDecrypted,
	type ICredentialTestRequest,
	type INode,
	type INodeCredentialTestResult,
	type INodeListSearchItems,
	type INodeParameters,
	type INodeType,
	type INodeTypes,
} from 'n8n-workflow';
import { z } from 'zod';
import { createAdditionalData } from './additionalData';
import { EngineCredentials, type CredentialData } from './credentials';
import { HostProcess } from './hostProcess';
import { registry } from './registry';
import { credentialsFor, createWorkflow, latestVersion } from './run';

/** A list that the editor asks a node for. */
export interface LoadListOptions {
	node: string;
	/** The name of one of the node's list searches or load-options methods. */
	method: string;
	/** What the user has set in the panel so far. */
	parameters?: INodeParameters;
	credential?: CredentialData;
	/** What the user typed into the list's search field. */
	filter?: string;
	paginationToken?: string;
	/** The parameter that the list belongs to, for relative parameter paths. */
	path?: string;
}

/** The entries that the editor would show. */
export interface LoadedList {
	results: INodeListSearchItems[];
	paginationToken?: string;
}

/**
 * Fills a drop-down list as the editor does: a list search or a load-options method of the node, in
 * n8n's real context.
 *
 * @throws the method's error, which the editor shows in the list; Error when there is no such method
 */
export async function loadList(options: LoadListOptions): Promise<LoadedList> {
	const { method, parameters = {}, credential, filter, paginationToken } = options;
	const type = registry.fullName(options.node);
	const nodeType = registry.getByNameAndVersion(type);
	const { description, methods } = nodeType;
	const credentials = credentialsFor(description, credential);
	const node: INode = {
		id: 'list',
		name: 'Temp-Node',
		type,
		typeVersion: latestVersion(description),
		position: [0, 0],
		parameters,
	};
	const workflow = createWorkflow({ nodes: [node], connections: {} }, credentials, false);
	const [placed = node] = Object.values(workflow.nodes);
	const additionalData = createAdditionalData({
		credentials: new EngineCredentials(credentials, new HostProcess()),
		workflowId: workflow.id,
		currentNodeParameters: placed.parameters,
	});
	const context = new LoadOptionsContext(workflow, placed, additionalData, options.path ?? '');
	const listSearch = methods?.listSearch?.[method];
	if (listSearch !== undefined) return await listSearch.call(context, filter, paginationToken);
	const loadOptions = methods?.loadOptions?.[method];
	if (loadOptions !== undefined) return { results: await loadOptions.call(context) };
	throw new Error(`The node ${description.name} has no list method "${method}".`);
}

/**
 * Tests a credential as n8n's "Test" button does: the type's test request with its rules, or else the
 * `testedBy` function or request of a node that takes this credential.
 *
 * @returns n8n's verdict with the message that the user sees; it does not reject
 */
export async function testCredential(
	credential: CredentialData,
	type = 'deliveryServiceApi',
): Promise<INodeCredentialTestResult> {
	const test = findTest(type);
	if (test === undefined) {
		return { status: 'Error', message: 'No testing function found for this credential.' };
	}
	const helper = new EngineCredentials({ [type]: credential }, new HostProcess());
	const additionalData = createAdditionalData({ credentials: helper, workflowId: 'credential' });
	const decrypted: ICredentialsDecrypted = { id: 'credential', name: 'Credential', type };
	try {
		decrypted.data = helper.withDefaults(additionalData, credential, type, 'internal');
	} catch (error) {
		return { status: 'Error', message: messageOf(error) };
	}
	if (typeof test === 'function') {
		return await test.call(new CredentialTestContext(additionalData), decrypted);
	}
	return await runTestRequest(test, decrypted, helper);
}

function findTest(type: string) {
	const credentialType = registry.credential(type);
	if (credentialType.test !== undefined) return credentialType.test;
	for (const nodeType of registry.allNodes()) {
		const { testedBy } = nodeType.description.credentials?.find(({ name }) => name === type) ?? {};
		if (testedBy === undefined) continue;
		return typeof testedBy === 'string' ? nodeType.methods?.credentialTest?.[testedBy] : testedBy;
	}
	return undefined;
}

/** Sends a test request through n8n's declarative node, the way n8n itself does. */
async function runTestRequest(
	test: ICredentialTestRequest,
	decrypted: ICredentialsDecrypted,
	helper: EngineCredentials,
): Promise<INodeCredentialTestResult> {
	const nodeType: INodeType = {
		description: {
			...registry.getByName('n8n-nodes-base.noOp').description,
			credentials: [{ name: decrypted.type, required: true }],
			properties: [
				{
					displayName: 'Temp',
					name: 'temp',
					type: 'string',
					routing: { request: test.request },
					default: '',
				},
			],
		},
	};
	const nodeTypes: INodeTypes = {
		getByName: () => nodeType,
		getByNameAndVersion: (_name, version) => NodeHelpers.getVersionedNodeType(nodeType, version),
		getKnownTypes: () => ({}),
	};
	const node: INode = {
		id: 'temp',
		name: 'Temp-Node',
		type: 'n8n-nodes-base.noOp',
		typeVersion: 1,
		position: [0, 0],
		parameters: {},
		credentials: { [decrypted.type]: { id: decrypted.id, name: decrypted.name } },
	};
	const workflow = new Workflow({ nodes: [node], connections: {}, active: false, nodeTypes });
	const context = new ExecuteContext(
		workflow,
		node,
		createAdditionalData({
			credentials: helper,
			workflowId: workflow.id,
			currentNodeParameters: node.parameters,
		}),
		'internal',
		createEmptyRunExecutionData(),
		0,
		[],
		{ main: [[{ json: {} }]] },
		{ node, data: {}, source: null },
		[],
	);
	try {
		const response = await new RoutingNode(context, nodeType, decrypted).runNode();
		return verdictOnBody(test, response?.[0]?.[0]?.json);
	} catch (error) {
		return { status: 'Error', message: messageForFailure(test, error) };
	}
}

function verdictOnBody(
	{ rules = [] }: ICredentialTestRequest,
	body: unknown,
): INodeCredentialTestResult {
	for (const rule of rules) {
		if (rule.type !== 'responseSuccessBody') continue;
		const { key, message } = rule.properties;
		const refused: unknown = rule.properties.value;
		if (memberAt(body, key) === refused) return { status: 'Error', message };
	}
	return { status: 'OK', message: 'Connection successful!' };
}

/** The value at a dotted path, where n8n's rules look. */
function memberAt(body: unknown, path: string): unknown {
	return path.split('.').reduce<unknown>((value, key) => {
		const members = z.record(z.unknown()).safeParse(value);
		return members.success ? members.data[key] : undefined;
	}, body);
}

const failureSchema = z.object({
	cause: z
		.object({
			code: z.string().optional(),
			response: z.object({ status: z.number(), statusText: z.string().optional() }).optional(),
		})
		.optional(),
});

function messageForFailure({ rules = [] }: ICredentialTestRequest, error: unknown): string {
	const { data } = failureSchema.safeParse(error);
	const { response, code } = data?.cause ?? {};
	if (response !== undefined) {
		for (const rule of rules) {
			if (rule.type === 'responseCode' && rule.properties.value === response.status) {
				return rule.properties.message;
			}
		}
		if (response.status < 199 || response.status > 299) {
			return response.statusText || `Received HTTP status code: ${response.status}`;
		}
	} else if (code !== undefined) {
		return code;
	}
	return messageOf(error);
}

function messageOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}
