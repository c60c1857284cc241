import { z } from 'zod/v4';

import { realClock } from '../common/clock';
import { chunk } from '../common/data';
import { collectionParameter, parameterReader, toList } from '../common/parameters';
import { companyIdField, optionsField, referenceIdsField } from '../common/fields';
import { type Problem, operationError, unwrap } from '../common/result';
import { Ledger } from '../ledger/ledger';
import { clearStore, openWorkflowStore } from '../ledger/store';
import { readCompanyOption } from '../service/credential';
import { serviceLabels, validate } from '../service/validation';
import { companyIdSchema } from '../service/schemas';
import { text } from '../service/values';
import { outputItem, runPerItem } from './items';
import { showFor, type Operation } from './resource';

const parametersSchema = z.object({
	referenceIds: z.array(text).min(1),
	companyId: companyIdSchema.optional(),
});

const childCompanyLabel = 'Child Company ID';

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
				"Which deliveries can be sent again. An order's reference ID stands for all of its deliveries, whole or by fulfillment order, from every shop in this workflow.",
		},
		...showFor({ references: ['specific'] }, [referenceIdsField]),
		{
			...optionsField,
			options: [
				{
					...companyIdField,
					displayName: childCompanyLabel,
					description:
						'The child company that the deliveries were created for, if Create has this option too',
				},
			],
		},
	],
	async run(context) {
		const parameters = parameterReader(context);
		const node = context.getNode();
		/** By company. A fixed list names the same references in every item, but only the first frees them. */
		const allowedByCompany = new Map<number | undefined, Set<string>>();
		return await runPerItem(context, async (item) => {
			const options = collectionParameter(parameters, 'options', item);
			const given = unwrap(node, readCompanyOption(options, childCompanyLabel));
			if (parameters.get('references', item) === 'all') {
				if (given !== undefined) throw operationError(node, allWithCompanyProblem);
				await clearStore(context);
				return [outputItem({ references: 'all', allowed: true, message: allMessage }, item)];
			}
			const referenceIds = toList(parameters.get('referenceIds', item));
			const input = { referenceIds, companyId: given };
			const { companyId, referenceIds: references } = unwrap(
				node,
				validate(parametersSchema, input, 'References', serviceLabels),
			);
			const allowed = allowedByCompany.get(companyId) ?? new Set<string>();
			allowedByCompany.set(companyId, allowed);
			const others = references.filter((reference) => !allowed.has(reference));
			for (const some of chunk(others, maxReferencesPerAccess))
				for (const one of await new Ledger(openWorkflowStore(context), realClock).allowResending(
					companyId,
					some,
				))
					allowed.add(one);
			return references.map((referenceId) => {
				const isAllowed = allowed.has(referenceId);
				const message = isAllowed ? allowedMessage(referenceId) : notRememberedMessage;
				return outputItem({ referenceId, allowed: isAllowed, message }, item);
			});
		});
	},
};

/** Each is looked for in n8n's store, which stands still meanwhile. */
const maxReferencesPerAccess = 50;

const allMessage = 'Every delivery of this workflow may be sent again if its order comes in again.';

function allowedMessage(reference: string): string {
	return `${reference} may be sent again, from every shop in this workflow; for a whole order, this includes its fulfillment orders. It is sent when it comes in again.`;
}

const notRememberedMessage = `This workflow doesn't remember this reference ID. Check the spelling (including a leading #) and the option ${childCompanyLabel}.`;

const allWithCompanyProblem: Problem = {
	message: "All Deliveries applies to every company, so it can't be combined with Child Company ID",
	description:
		'Choose Specific Reference IDs, or remove the option Child Company ID to allow resending for all companies. Nothing was cleared.',
};
