import { CredentialTestContext } from 'n8n-core';
import type { INodeCredentialTestResult } from 'n8n-workflow';
import { createAdditionalData } from './additionalData';
import { EngineCredentials, withDefaults, type CredentialData } from './credentials';
import { HostProcess } from './hostProcess';
import { registry } from './registry';

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
