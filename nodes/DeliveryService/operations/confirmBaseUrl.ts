import { z } from 'zod/v4';

import { decideMemory, serviceOf, type Decision } from '../ledger/memory';
import { openWorkflowStore } from '../ledger/store';
import { openClient } from '../service/client';
import { selectedCompany } from '../service/companyOption';
import { credentialSchema } from '../service/credential';
import { operationError, unwrap } from '../service/nodeErrors';
import type { Problem } from '../common/result';
import { collectionParameter, parameterReader } from '../common/parameters';
import { companyIdField, optionsField } from '../common/fields';
import { outputItem, runPerItem } from './items';
import { showFor, type Operation } from './resource';

const choiceSchema = z.enum(['keep', 'startEmpty']);

/** Records whether a changed Base URL is the same service, so that nothing is created again. */
export const confirmBaseUrl: Operation = {
	option: {
		name: 'Confirm New Base URL',
		value: 'confirmBaseUrl',
		action: 'Confirm a new base URL',
		description:
			'After a change of the Base URL in the credential, say whether the deliveries sent before still count as sent',
	},
	fields: [
		{
			displayName: 'Deliveries Sent Before',
			name: 'sentBefore',
			type: 'options',
			noDataExpression: true,
			options: [
				{
					name: 'The Service Moved: Keep What Was Sent',
					value: 'keep',
					description: 'What was sent to the old Base URL is not sent again',
				},
				{
					name: 'It Is Another System: Start Empty',
					value: 'startEmpty',
					description:
						'Nothing was sent to the new Base URL yet. Orders that arrive again are delivered again.',
				},
			],
			default: 'keep',
			description: 'Whether the deliveries sent to the old Base URL also exist at the new one',
		},
		...showFor({ sentBefore: ['keep'] }, [
			{
				displayName: 'Old Base URL',
				name: 'oldBaseUrl',
				type: 'string',
				required: true,
				default: '',
				placeholder: 'e.g. https://old-api.delivery-service.example',
				description: 'The Base URL that the credential contained before',
			},
		]),
		{
			...optionsField,
			options: [
				{
					...companyIdField,
					description:
						'The company that the deliveries were created for. Defaults to the one in the credential.',
				},
			],
		},
	],
	async run(context) {
		const parameters = parameterReader(context);
		const { credential } = await openClient(context);
		const node = context.getNode();
		return await runPerItem(context, async (item) => {
			const options = collectionParameter(parameters, 'options', item);
			const companyId = unwrap(node, selectedCompany(credential, options));
			const choice = choiceSchema.safeParse(parameters.get('sentBefore', item)).data;
			if (!choice)
				throw operationError(node, { message: 'Choose a value under Deliveries Sent Before' });
			const decision: Decision =
				choice === 'startEmpty'
					? { kind: choice }
					: { kind: choice, oldBaseUrl: readOldBaseUrl(parameters.get('oldBaseUrl', item)) };
			const { baseUrl } = credential;
			const store = openWorkflowStore(context);
			const result = await decideMemory(store, baseUrl, companyId, decision);
			if (decision.kind === 'keep' && result === 'nothingToKeep')
				throw operationError(node, nothingToKeepProblem(decision.oldBaseUrl, companyId));
			return [
				outputItem(
					{
						baseUrl,
						companyId,
						confirmed: result === 'done',
						...(result !== 'done' && { message: alreadyUsedMessage(companyId) }),
					},
					item,
				),
			];

			function readOldBaseUrl(value: unknown): string {
				const { data } = credentialSchema.shape.baseUrl.safeParse(value);
				if (data === undefined) throw operationError(node, invalidUrlProblem);
				if (serviceOf(data) === serviceOf(credential.baseUrl))
					throw operationError(node, sameUrlProblem);
				return data;
			}
		});
	},
};

const invalidUrlProblem: Problem = {
	message: 'Old Base URL is not a valid URL',
	description: 'Enter the Base URL that the credential contained before, e.g. https://…',
};

const sameUrlProblem: Problem = {
	message: 'Old Base URL is the URL in the credential',
	description: 'Enter the Base URL that the credential contained before.',
};

function nothingToKeepProblem(oldBaseUrl: string, companyId: number): Problem {
	return {
		message: `This workflow remembers no delivery of company ${companyId} that was sent to ${oldBaseUrl}`,
		description:
			'Check Old Base URL and the Company ID option. Run this operation in the workflow that created the deliveries.',
	};
}

function alreadyUsedMessage(companyId: number): string {
	return `Nothing was changed: runs for company ${companyId} already work with this Base URL.`;
}
