import { z } from 'zod/v4';

import { forgetReferences } from '../ledger/references';
import { openClient } from '../service/client';
import { readCompanyOption } from '../service/companyOption';
import { resolveCompanyId } from '../service/credential';
import { serviceLabels } from '../service/labels';
import { operationError, unwrap } from '../service/nodeErrors';
import type { Problem } from '../common/result';
import { companyIdSchema } from '../service/schemas';
import { validate } from '../service/validation';
import { outputItem, runPerItem } from './items';
import { toList, collectionParameter, parameterReader } from '../common/parameters';
import { showFor, type Operation } from './resource';
import { companyIdField, optionsField } from '../common/fields';
import { stripInvisible } from '../common/text';
import { referenceIdsField } from './fields/fields';
import { findMemories } from './memories';
import { clearStore, openWorkflowStore } from '../ledger/store';

const allowResendingOptionsSchema = z.object({ companyId: companyIdSchema.optional() });

const referencesSchema = z.object({ referenceIds: z.array(z.coerce.string()).min(1) });

/** Removes references from the workflow's memory, so that their deliveries can be sent again. */
export const allowResending: Operation = {
	option: {
		name: 'Allow Resending',
		value: 'allowResending',
		action: 'Allow resending deliveries',
		description:
			'Allow deliveries that this workflow has already sent to be sent again, e.g. one with an unknown outcome',
	},
	fields: [
		{
			displayName: 'Allow For',
			name: 'references',
			type: 'options',
			noDataExpression: true,
			options: [
				{
					name: 'All Deliveries',
					value: 'all',
					description:
						'Clear everything this workflow remembers, including entries of Remove Duplicates nodes with the Workflow scope',
				},
				{
					name: 'Specific Reference IDs',
					value: 'specific',
					description: 'Clear only the deliveries with these reference IDs',
				},
			],
			default: 'specific',
			description:
				'Which deliveries can be sent again. If their orders arrive again, they are delivered again.',
		},
		...showFor({ references: ['specific'] }, [referenceIdsField]),
		{
			...optionsField,
			options: [
				{
					...companyIdField,
					description:
						'The company that the deliveries were created for. Remove this option to use the one in the credential.',
				},
			],
		},
	],
	async run(context) {
		const parameters = parameterReader(context);
		const client = await openClient(context);
		/** By company. A fixed list names the same references in every item, but only the first clears them. */
		const allowedByCompany = new Map<number, Set<string>>();
		return await runPerItem(context, async (item) => {
			const options = collectionParameter(parameters, 'options', item);
			const given = unwrap(context.getNode(), readCompanyOption(options));
			if (parameters.get('references', item) === 'all') {
				if (given !== undefined) throw operationError(context.getNode(), allWithCompanyProblem);
				await clearStore(context);
				return [outputItem({ references: 'all', allowed: true }, item)];
			}
			const { referenceIds } = unwrap(
				context.getNode(),
				validate(
					referencesSchema,
					{ referenceIds: toList(parameters.get('referenceIds', item)) },
					'References',
					serviceLabels,
				),
			);
			const { companyId } = unwrap(
				context.getNode(),
				validate(allowResendingOptionsSchema, { companyId: given }, 'Option', serviceLabels),
			);
			const company = unwrap(context.getNode(), resolveCompanyId(client.credential, companyId));
			const { baseUrl } = client.credential;
			const memory = (await findMemories(context, baseUrl, [company]))(company);
			if ('error' in memory) throw memory.error;
			const { scope } = memory;
			const references = referenceIds.map((reference) => stripInvisible(reference).trim());
			const allowed = allowedByCompany.get(company) ?? new Set<string>();
			allowedByCompany.set(company, allowed);
			const others = references.filter((reference) => !allowed.has(reference));
			for (const reference of await forgetReferences(openWorkflowStore(context), scope, others))
				allowed.add(reference);
			return references.map((referenceId) =>
				outputItem(
					allowed.has(referenceId)
						? { referenceId, allowed: true }
						: { referenceId, allowed: false, message: notRememberedMessage(company) },
					item,
				),
			);
		});
	},
};

const allWithCompanyProblem: Problem = {
	message: "All Deliveries applies to every company, so it can't be combined with Company ID",
	description:
		'Choose Specific Reference IDs, or remove the Company ID option to allow resending for all companies. Nothing was cleared.',
};

function notRememberedMessage(company: number): string {
	return `This workflow doesn't remember this reference ID for company ${company}. Check the spelling (including a leading #) and the Company ID option.`;
}
