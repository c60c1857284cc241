import { z } from 'zod';

import { ShopRejection, type Order } from './shapes';

const defaultLimit = 50;
const maxLimit = 250;

type Query = Readonly<Record<string, string>>;

/** The content of page_info: the offset of a page and the filters of the list. */
const pageInfoShape = z.object({ filters: z.record(z.string()), offset: z.number().int().min(0) });

/** Parameters that are allowed together with page_info. */
const allowedWithPageInfo = ['limit', 'fields', 'page_info'];

/**
 * Returns one page of a list of orders.
 *
 * @param query the query parameters of the request
 * @param baseUrl the URL of the API, for the Link header
 * @param find returns the whole list for the filters
 * @returns the orders of the page, and the Link header to the previous and next page
 * @throws ShopRejection (400) if page_info is invalid or used together with a filter
 */
export function paginateOrders(
	query: Query,
	baseUrl: string,
	find: (filters: Query) => Order[],
): { orders: Order[]; link: string | undefined } {
	const { limit: limitText, fields, page_info: pageInfo, ...rest } = query;
	const limit = Math.min(Number(limitText ?? defaultLimit), maxLimit);
	const { filters, offset } =
		pageInfo === undefined ? { filters: rest, offset: 0 } : decodePageInfo(query);
	const found = find(filters);
	const linkTo = (rel: string, pageOffset: number) => {
		const info = Buffer.from(JSON.stringify({ filters, offset: pageOffset })).toString('base64url');
		const search = new URLSearchParams({ limit: String(limit), page_info: info });
		if (fields !== undefined) search.set('fields', fields);
		return `<${baseUrl}/orders.json?${search.toString()}>; rel="${rel}"`;
	};
	const links = [
		...(offset > 0 ? [linkTo('previous', Math.max(0, offset - limit))] : []),
		...(offset + limit < found.length ? [linkTo('next', offset + limit)] : []),
	];
	return {
		orders: found.slice(offset, offset + limit),
		link: links.length > 0 ? links.join(', ') : undefined,
	};
}

function decodePageInfo(query: Query): z.infer<typeof pageInfoShape> {
	const extra = Object.keys(query).find((name) => !allowedWithPageInfo.includes(name));
	if (extra !== undefined) {
		throw new ShopRejection(400, {
			[extra]: `${extra} cannot be passed when page_info is present.`,
		});
	}
	try {
		const text = Buffer.from(query.page_info ?? '', 'base64url').toString();
		return pageInfoShape.parse(JSON.parse(text));
	} catch {
		throw new ShopRejection(400, { page_info: 'Invalid value.' });
	}
}

/** Returns the orders that match the filters, newest first, or with `since_id` oldest first. */
export function findOrders(orders: readonly Order[], filters: Query): Order[] {
	const matching = orders.filter((order) =>
		Object.entries(filters).every(
			([name, value]) => value === '' || matchesFilter(name, value, order),
		),
	);
	const { status = 'open', since_id: sinceId } = filters;
	const found = matching.filter((order) => matchesFilter('status', status, order));
	return sinceId === undefined ? found.reverse() : found;
}

const timeField = z.enum(['created_at', 'updated_at', 'processed_at']);

/** Whether an order matches a filter. Unknown filters match every order. */
function matchesFilter(name: string, value: string, order: Order): boolean {
	const [, timeName, end] = /^(.+)_(min|max)$/.exec(name) ?? [];
	const time = timeField.safeParse(timeName);
	if (time.success) {
		const difference = Date.parse(order[time.data]) - Date.parse(value);
		return end === 'min' ? difference >= 0 : difference <= 0;
	}
	switch (name) {
		case 'ids':
			return value.split(',').map(Number).includes(order.id);
		case 'since_id':
			return order.id > Number(value);
		case 'status':
			return hasStatus(order, value);
		case 'financial_status':
			return hasFinancialStatus(order, value);
		case 'fulfillment_status':
			return hasFulfillmentStatus(order, value);
		default:
			return true;
	}
}

function hasStatus({ closed_at: closed, cancelled_at: cancelled }: Order, status: string): boolean {
	switch (status) {
		case 'open':
			return closed === null && cancelled === null;
		case 'closed':
			return closed !== null;
		case 'cancelled':
			return cancelled !== null;
		default:
			return status === 'any';
	}
}

function hasFinancialStatus({ financial_status: actual }: Order, status: string): boolean {
	if (status === 'unpaid') return ['authorized', 'pending', 'partially_paid'].includes(actual);
	return status === 'any' || status === actual;
}

function hasFulfillmentStatus({ fulfillment_status: actual }: Order, status: string): boolean {
	switch (status) {
		case 'shipped':
			return actual === 'fulfilled';
		case 'unshipped':
			return actual === null;
		case 'unfulfilled':
			return actual === null || actual === 'partial';
		default:
			return status === 'any' || status === actual;
	}
}

/** Returns the properties of an order in the comma-separated list `fields`; all if it is empty. */
export function pickFields(order: Order, fields: string | undefined): Record<string, unknown> {
	if (fields === undefined || fields === '') return order;
	const names = fields.split(',').map((name) => name.trim());
	return Object.fromEntries(Object.entries(order).filter(([name]) => names.includes(name)));
}
