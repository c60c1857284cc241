import { z } from 'zod/v4';

import { forgetReferences } from '../../deduplication/ledger';
import { openClient } from '../../service/client';
import { resolveCompanyId } from '../../service/credential';
import { serviceLabels } from '../../service/labels';
import { operationError, unwrap } from '../../service/nodeErrors';
import type { Problem } from '../../common/result';
import { companyIdSchema } from '../../service/schemas';
import { validate } from '../../service/validation';
import { outputItem, runPerItem } from '../items';
import { omitBlank, toList, collectionParameter, parameterReader } from '../../common/parameters';
import { showFor, type Operation } from '../resource';
import { companyIdField } from '../../common/fields';
import { webhookOptionsField } from '../webhook/fields';
import { referenceIdsField } from './fields';
import { clearStore, referenceScope, openWorkflowStore } from '../../deduplication/store';

const allowResendingOptionsSchema = z.object({ companyId: companyIdSchema.optional() });

const referencesSchema = z.object({ referenceIds: z.array(z.coerce.string()).min(1) });

/** Forgets which references this workflow has sent, so that their deliveries can be sent again. */
export const allowResending: Operation = {
	option: {
		name: 'Allow Resending',
		value: 'allowResending',
		action: 'Allow resending',
		description:
			'Let deliveries be sent again that this workflow has sent before, such as one whose outcome was unknown',
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
						'Everything that this workflow remembers, also of Remove Duplicates nodes with the scope Workflow',
				},
				{
					name: 'Specific Reference IDs',
					value: 'specific',
					description: 'Only these deliveries',
				},
			],
			default: 'specific',
			description: 'Which deliveries may be sent again',
		},
		...showFor({ references: ['specific'] }, [referenceIdsField]),
		{
			...webhookOptionsField,
			options: [
				{
					...companyIdField,
					description:
						'The company that the deliveries were for. By default the one in the credential.',
				},
			],
		},
	],
	async run(context) {
		const parameters = parameterReader(context);
		const client = await openClient(context);
		/** By company: an item may name what one before it has forgotten, as a fixed list does. */
		const forgotten = new Map<number, Set<string>>();
		return await runPerItem(context, async (item) => {
			const options = omitBlank(collectionParameter(parameters, 'options', item));
			if (parameters.get('references', item) === 'all') {
				if (options.companyId !== undefined)
					throw operationError(context.getNode(), allOfOneCompany);
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
				validate(allowResendingOptionsSchema, options, 'Option', serviceLabels),
			);
			const company = unwrap(context.getNode(), resolveCompanyId(client.credential, companyId));
			const scope = referenceScope(client.credential.baseUrl, company);
			const references = referenceIds.map((reference) => reference.trim());
			const done = forgotten.get(company) ?? new Set<string>();
			forgotten.set(company, done);
			const others = references.filter((reference) => !done.has(reference));
			for (const reference of await forgetReferences(openWorkflowStore(context), scope, others))
				done.add(reference);
			return references.map((referenceId) =>
				outputItem(
					done.has(referenceId)
						? { referenceId, allowed: true }
						: { referenceId, allowed: false, message: notRemembered(company) },
					item,
				),
			);
		});
	},
};

const allOfOneCompany: Problem = {
	message: 'Everything is forgotten for all companies, not only for the one under Company ID',
	description:
		'Remove the option Company ID if that is meant, or choose Specific Reference IDs. Nothing was forgotten.',
};

/** What may have led past the reference that is meant. */
function notRemembered(company: number): string {
	return `This workflow remembers no such reference for company ${company}: check the spelling, also a leading #, and the option Company ID.`;
}
