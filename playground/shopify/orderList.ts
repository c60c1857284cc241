import { z } from 'zod';

import type { Order } from './shapes';

const defaultLimit = 50;
const maxLimit = 250;

const queryShape = z.object({
	status: z.string().default('open'),
	fulfillment_status: z.string().default('any'),
	created_at_min: z.string().optional(),
	limit: z.coerce.number().int().min(1).max(maxLimit).default(defaultLimit),
	page_info: z.string().optional(),
});

/** The filters of a list, and where its page starts. */
const pageShape = queryShape
	.omit({ limit: true, page_info: true })
	.extend({ after: z.number().default(0) });

/**
 * Returns the orders that a query of Shopify's REST API asks for, newest first, and the query of the
 * next page: https://shopify.dev/docs/api/admin-rest/latest/resources/order.
 */
export function findOrders(
	all: readonly Order[],
	query: unknown,
): { orders: Order[]; next?: URLSearchParams } {
	const { limit, page_info: page, ...filters } = queryShape.parse(query);
	const { after, ...wanted } = pageShape.parse(page ? JSON.parse(atob(page)) : filters);
	const found = all.filter((order) => isWanted(order, wanted)).reverse();
	const orders = found.slice(after, after + limit);
	const end = after + orders.length;
	if (end === found.length) return { orders };
	const nextPage = btoa(JSON.stringify({ ...wanted, after: end }));
	return { orders, next: new URLSearchParams({ limit: String(limit), page_info: nextPage }) };
}

function isWanted(order: Order, filters: Omit<z.infer<typeof pageShape>, 'after'>): boolean {
	const { status, fulfillment_status: fulfillment, created_at_min: since } = filters;
	const isOpen = order.closed_at === null && order.cancelled_at === null;
	return (
		(status === 'any' || (status === 'open') === isOpen) &&
		(fulfillment !== 'unfulfilled' || order.fulfillment_status !== 'fulfilled') &&
		(since === undefined || Date.parse(order.created_at) >= Date.parse(since))
	);
}
