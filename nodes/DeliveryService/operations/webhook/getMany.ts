import { z } from 'zod/v4';

import { asRecord, omitBlank } from '../../common/parameters';
import { eventNameSchema, eventOptions } from '../../service/events';
import { unwrap } from '../../common/result';
import { validate } from '../../service/validation';
import { identifier } from '../../service/values';
import { outputItem } from '../items';
import type { Operation } from '../resource';
import { runForWebhooks, webhookOptionsField } from './fields';

const filtersSchema = z.object({
	events: z.array(eventNameSchema).default([]),
	status: z.enum(['active', 'blacklisted']).optional(),
});

const filterLabels = { events: 'event', status: 'status' };

/** Lists a company's subscriptions (API document, section 4.4). */
export const getManyWebhooks: Operation = {
	option: {
		name: 'Get Many',
		value: 'getAll',
		action: 'Get many webhooks',
		description: 'List webhooks with their events and statuses',
	},
	fields: [
		{
			displayName: 'Return All',
			name: 'returnAll',
			type: 'boolean',
			default: false,
			description: 'Whether to return all results or only up to a given limit',
		},
		{
			displayName: 'Limit',
			name: 'limit',
			type: 'number',
			typeOptions: { minValue: 1 },
			displayOptions: { show: { returnAll: [false] } },
			default: 50,
			description: 'Max number of results to return',
		},
		{
			displayName: 'Filters',
			name: 'filters',
			type: 'collection',
			placeholder: 'Add Filter',
			default: {},
			options: [
				{
					displayName: 'Events',
					name: 'events',
					type: 'multiOptions',
					options: eventOptions,
					default: [],
					description: 'Only webhooks for these events',
				},
				{
					displayName: 'Status',
					name: 'status',
					type: 'options',
					options: [
						{ name: 'Active', value: 'active', description: 'The Delivery Service calls the URL' },
						{
							name: 'Blacklisted',
							value: 'blacklisted',
							description: 'The Delivery Service has stopped calling the URL',
						},
					],
					default: 'active',
					description: 'Only webhooks with this status',
				},
			],
		},
		webhookOptionsField,
	],
	async run(context) {
		return await runForWebhooks(context, async ({ item, webhooks, read }) => {
			const filters = unwrap(
				context.getNode(),
				validate(filtersSchema, omitBlank(asRecord(read('filters'))), 'Filters', filterLabels),
			);
			const limit = read('returnAll')
				? Infinity
				: unwrap(context.getNode(), validate(identifier.default(50), read('limit'), 'Limit', {}));
			const { webhooks: listed, unreadable } = await webhooks.list();
			const isFiltered = filters.events.length > 0 || filters.status !== undefined;
			const matching = listed
				.filter(({ event, status }) => {
					if (filters.status !== undefined && filters.status !== status) return false;
					return filters.events.length === 0 || filters.events.some((one) => one === event);
				})
				.map(({ raw, ...fields }) => ({ ...raw, ...fields }));
			return [...matching, ...(isFiltered ? [] : unreadable.map((entry) => ({ entry })))]
				.slice(0, limit)
				.map((json) => outputItem(json, item));
		});
	},
};
