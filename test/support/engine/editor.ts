import { CredentialTestContext, LoadOptionsContext } from 'n8n-core';
import type {
	INode,
	INodeCredentialTestResult,
	INodeListSearchResult,
	INodeParameters,
} from 'n8n-workflow';
import { createAdditionalData } from './additionalData';
import { EngineCredentials, withDefaults, type CredentialData } from './credentials';
import { HostProcess } from './hostProcess';
import { registry } from './registry';
import { credentialsFor, createWorkflow } from './run';

/** A list that the editor requests from a node. */
export interface LoadListOptions {
	node: string;
	/** The name of one of the node's list searches. */
	method: string;
	/** The current parameters in the panel. */
	parameters?: INodeParameters;
	credential?: CredentialData;
	/** The text in the search field of the list. */
	filter?: string;
}

/**
 * Fills a drop-down list as the editor does: runs a list search of the node in n8n's real context.
 *
 * @throws the error of the list search, which the editor shows; Error if there is no such list search
 */
export async function loadList(options: LoadListOptions): Promise<INodeListSearchResult> {
	const { method, parameters = {}, credential, filter } = options;
	const type = registry.fullName(options.node);
	const { description, methods } = registry.getByName(type);
	const credentials = credentialsFor(description, credential);
	const node: INode = {
		id: 'list',
		name: 'Temp-Node',
		type,
		typeVersion: 1,
		position: [0, 0],
		parameters,
	};
	const workflow = createWorkflow({ nodes: [node], connections: {} }, credentials, false);
	const [nodeInWorkflow = node] = Object.values(workflow.nodes);
	const additionalData = createAdditionalData({
		credentials: new EngineCredentials(credentials, new HostProcess()),
		workflowId: workflow.id,
		currentNodeParameters: nodeInWorkflow.parameters,
	});
	const search = methods?.listSearch?.[method];
	if (!search) throw new Error(`The node ${description.name} has no list search "${method}".`);
	return await search.call(
		new LoadOptionsContext(workflow, nodeInWorkflow, additionalData, ''),
		filter,
	);
}

/**
 * Tests a credential as n8n's "Test" button does: with the `testedBy` function of a node that uses it.
 *
 * @returns the result with the message that the user sees
 */
export async function testCredential(
	credential: CredentialData,
	type = 'deliveryServiceApi',
): Promise<INodeCredentialTestResult> {
	const credentials = new EngineCredentials({ [type]: credential }, new HostProcess());
	const additionalData = createAdditionalData({ credentials, workflowId: 'credential' });
	const data = withDefaults(type, credential);
	return await connectionTest(type).call(new CredentialTestContext(additionalData), {
		id: 'credential',
		name: 'Credential',
		type,
		data,
	});
}

function connectionTest(type: string) {
	for (const { description, methods } of registry.allNodes()) {
		const { testedBy } = description.credentials?.find(({ name }) => name === type) ?? {};
		const test = typeof testedBy === 'string' ? methods?.credentialTest?.[testedBy] : undefined;
		if (test) return test;
	}
	throw new Error(`No node has a test function for the credential type "${type}".`);
}
