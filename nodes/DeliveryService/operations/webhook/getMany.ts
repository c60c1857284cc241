/** The operation Webhook: Get Many. */
import { z } from 'zod/v4';

import { asRecord, omitBlank, toList } from '../../common/parameters';
import { unwrap } from '../../common/result';
import { eventNameSchema, eventOptions } from '../../service/events';
import { validate } from '../../service/validation';
import { flag, identifier } from '../../service/values';
import { outputItem } from '../items';
import type { Operation } from '../resource';
import { runForWebhooks, webhookOptionsField } from './fields';

const querySchema = z.object({
	returnAll: flag.default(false),
	limit: identifier.default(50),
	events: z.array(eventNameSchema).default([]),
	status: z.enum(['active', 'blacklisted']).optional(),
});

const labels = { returnAll: 'return all', limit: 'limit', events: 'event', status: 'status' };

/** Lists a company's subscriptions (docs/api.md, section 4.4). */
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
			const returnAll = read('returnAll');
			const limit = returnAll === true ? undefined : read('limit');
			const { events, ...filters } = asRecord(read('filters'));
			const added = omitBlank({ ...filters, events: toList(events), returnAll, limit });
			const query = unwrap(context.getNode(), validate(querySchema, added, 'Filters', labels));
			const { webhooks: listed, unreadable } = await webhooks.list();
			const isFiltered = query.events.length > 0 || query.status !== undefined;
			const matching = listed.filter(({ status, event }) => {
				if (query.status !== undefined && status !== query.status) return false;
				return query.events.length === 0 || query.events.some((one) => one === event);
			});
			const rows = matching.map(({ raw, ...fields }): object => ({ ...raw, ...fields }));
			// Whether an unreadable one matches a filter is not known.
			if (!isFiltered) rows.push(...unreadable.map((entry) => ({ entry })));
			const shown = query.returnAll ? rows : rows.slice(0, query.limit);
			return shown.map((json) => outputItem(json, item));
		});
	},
};
