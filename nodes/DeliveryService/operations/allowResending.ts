/** The operation Allow Resending: its fields, and which references it frees. */
import { z } from 'zod/v4';

import { chunk } from '../common/data';
import {
	childCompanyField,
	childCompanyLabel,
	optionsField,
	referenceIdsField,
	textField,
} from '../common/fields';
import { collectionParameter, omitBlank, parameterReader, toList } from '../common/parameters';
import { unwrap } from '../common/result';
import { lowerFirst } from '../common/text';
import { clearLedger, openLedger } from '../ledger/ledger';
import type { ResendState } from '../ledger/resending';
import { allFreed, resendMessage } from '../messages/resending';
import { readCompanyOption } from '../service/credential';
import { companyIdSchema, targetSchemas } from '../service/schemas';
import { serviceLabels, validate } from '../service/validation';
import { outputItem, ownCompany, runPerItem } from './items';
import { showFor, type Operation } from './resource';

const parametersSchema = z.object({
	referenceIds: targetSchemas.referenceIds,
	companyId: companyIdSchema.optional(),
	orderReferenceId: targetSchemas.referenceIds.element.optional(),
});

const orderReferenceLabel = "Order's Reference ID";
const labels = { ...serviceLabels, orderReferenceId: lowerFirst(orderReferenceLabel) };

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
					childCompanyField(
						'The child company that the deliveries were created for, if Create has this option too',
					),
					textField(
						orderReferenceLabel,
						'orderReferenceId',
						'e.g. #1001',
						'The reference ID of the order, if the deliveries are of its fulfillment orders. Defaults to the text before the last hyphen of each reference ID, e.g. #1001 for #1001-6789.',
					),
				],
			},
		]),
	],
	async run(context) {
		const parameters = parameterReader(context);
		const node = context.getNode();
		/** A fixed list names the same references in every item, but only the first frees them. */
		const states = new Map<string, ResendState>();
		return await runPerItem(context, async (item) => {
			if (parameters.get('references', item) === 'all') {
				await clearLedger(context);
				return [outputItem({ references: 'all', allowed: true, message: allFreed }, item)];
			}
			const options = collectionParameter(parameters, 'options', item);
			const input = {
				referenceIds: toList(parameters.get('referenceIds', item)),
				companyId: unwrap(node, readCompanyOption(options, childCompanyLabel)),
				...omitBlank({ orderReferenceId: options.orderReferenceId }),
			};
			const checked = validate(parametersSchema, input, 'References', labels);
			const { companyId: company, referenceIds, orderReferenceId } = unwrap(node, checked);
			const isOwn = company !== undefined && company === (await ownCompany(context));
			const companyId = isOwn ? undefined : company;
			const keyOf = (reference: string) => JSON.stringify([companyId, reference]);
			const others = referenceIds.filter((reference) => states.get(keyOf(reference)) !== 'freed');
			const ledger = openLedger(context);
			// n8n's store stands still while it looks for them.
			for (const some of chunk(others, 50)) {
				const found = await ledger.allowResending(companyId, some, orderReferenceId);
				for (const [reference, state] of found) states.set(keyOf(reference), state);
			}
			return referenceIds.map((referenceId) => {
				const state = states.get(keyOf(referenceId)) ?? 'notRemembered';
				const message = resendMessage(referenceId, state);
				return outputItem({ referenceId, allowed: state === 'freed', message }, item);
			});
		});
	},
};
