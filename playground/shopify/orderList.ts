import { z } from 'zod';

import type { Order } from './shapes';

const defaultLimit = 50;
const maxLimit = 250;

const queryShape = z.object({
	status: z.string().default('open'),
	fulfillment_status: z.string().default('any'),
	created_at_min: z.string().optional(),
	updated_at_min: z.string().optional(),
	/** A comma-separated list of order IDs. */
	ids: z.string().optional(),
	since_id: z.coerce.number().optional(),
	limit: z.coerce.number().int().min(1).max(maxLimit).default(defaultLimit),
	page_info: z.string().optional(),
});

/** The filters of a list, and where its page starts. */
const pageShape = queryShape
	.omit({ limit: true, page_info: true })
	.extend({ after: z.number().default(0) });

/**
 * Returns the orders that a query of Shopify's REST API asks for, and the queries of the pages before
 * and after it: https://shopify.dev/docs/api/admin-rest/latest/resources/order. They start with the
 * newest order, or after `since_id` with the oldest.
 */
export function findOrders(
	all: readonly Order[],
	query: unknown,
): { orders: Order[]; previous?: URLSearchParams; next?: URLSearchParams } {
	const { limit, page_info: page, ...filters } = queryShape.parse(query);
	const { after, ...wanted } = pageShape.parse(page ? JSON.parse(atob(page)) : filters);
	const matching = all.filter((order) => isWanted(order, wanted));
	const found = wanted.since_id === undefined ? matching.reverse() : matching;
	const end = after + limit;
	const pageFrom = (start: number) => {
		const pageInfo = btoa(JSON.stringify({ ...wanted, after: start }));
		return new URLSearchParams({ limit: String(limit), page_info: pageInfo });
	};
	return {
		orders: found.slice(after, end),
		previous: after > 0 ? pageFrom(Math.max(0, after - limit)) : undefined,
		next: end < found.length ? pageFrom(end) : undefined,
	};
}

function isWanted(order: Order, filters: Omit<z.infer<typeof pageShape>, 'after'>): boolean {
	const { status, fulfillment_status: fulfillment, since_id: sinceId = 0, ids } = filters;
	const { created_at_min: createdSince, updated_at_min: updatedSince } = filters;
	const isOpen = order.closed_at === null && order.cancelled_at === null;
	return (
		(status === 'any' || (status === 'open') === isOpen) &&
		(fulfillment !== 'unfulfilled' || order.fulfillment_status !== 'fulfilled') &&
		order.id > sinceId &&
		(ids === undefined || ids.split(',').includes(String(order.id))) &&
		isSince(order.created_at, createdSince) &&
		isSince(order.updated_at, updatedSince)
	);
}

function isSince(time: string, earliest?: string): boolean {
	return earliest === undefined || Date.parse(time) >= Date.parse(earliest);
}
