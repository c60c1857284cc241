import { z } from 'zod/v4';

import { chunk } from '../common/data';
import { collectionParameter, parameterReader, toList } from '../common/parameters';
import { companyIdField, optionsField, referenceIdsField } from '../common/fields';
import { unwrap } from '../common/result';
import { openLedger } from '../ledger/ledger';
import { clearStore } from '../ledger/store';
import { readCompanyOption } from '../service/credential';
import { serviceLabels, validate } from '../service/validation';
import { companyIdSchema, targetSchemas } from '../service/schemas';
import { outputItem, runPerItem } from './items';
import { showFor, type Operation } from './resource';

const parametersSchema = z.object({
	referenceIds: targetSchemas.referenceIds,
	companyId: companyIdSchema.optional(),
});

const childCompanyLabel = 'Child Company ID';

/** Lets deliveries that the workflow remembers be sent again. */
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
						'Clear everything this workflow remembers, for all companies, including entries of Remove Duplicates nodes with the Workflow scope. Orders that come in again, e.g. at night, are then sent again.',
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
		...showFor({ references: ['specific'] }, [
			referenceIdsField,
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
		]),
	],
	async run(context) {
		const parameters = parameterReader(context);
		const node = context.getNode();
		/** A fixed list names the same references in every item, but only the first frees them. */
		const allowed = new Set<string>();
		return await runPerItem(context, async (item) => {
			if (parameters.get('references', item) === 'all') {
				await clearStore(context);
				const message = 'Every delivery of this workflow may be sent again if it comes in again.';
				return [outputItem({ references: 'all', allowed: true, message }, item)];
			}
			const options = collectionParameter(parameters, 'options', item);
			const input = {
				referenceIds: toList(parameters.get('referenceIds', item)),
				companyId: unwrap(node, readCompanyOption(options, childCompanyLabel)),
			};
			const checked = validate(parametersSchema, input, 'References', serviceLabels);
			const { companyId, referenceIds } = unwrap(node, checked);
			const keyOf = (reference: string) => JSON.stringify([companyId, reference]);
			const others = referenceIds.filter((reference) => !allowed.has(keyOf(reference)));
			// n8n's store stands still while it looks for them.
			for (const some of chunk(others, 50))
				for (const freed of await openLedger(context).allowResending(companyId, some))
					allowed.add(keyOf(freed));
			return referenceIds.map((referenceId) => {
				const isAllowed = allowed.has(keyOf(referenceId));
				const message = isAllowed
					? `${referenceId} is sent when it comes in again, from any shop in this workflow. For a whole order, its fulfillment orders are too.`
					: `This workflow doesn't remember this reference ID. Check the spelling (including a leading #) and the option ${childCompanyLabel}.`;
				return outputItem({ referenceId, allowed: isAllowed, message }, item);
			});
		});
	},
};
