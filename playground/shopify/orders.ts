import { z } from 'zod';

import { ShopRefusal, type Order } from './shapes';

const defaultLimit = 50;
const maxLimit = 250;

type Query = Readonly<Record<string, string>>;

/** Where a page of a list begins, with the filters of its first page; what page_info stands for. */
const placeShape = z.object({ filters: z.record(z.string()), offset: z.number().int().min(0) });

/** What may stand beside page_info. */
const besidePageInfo = ['limit', 'fields', 'page_info'];

/**
 * Gives one page of a list, and the Link header to those beside it. `find` gives the whole list for
 * the filters. Throws a ShopRefusal (400) when page_info is wrong, or stands beside a filter.
 */
export function page(
	query: Query,
	baseUrl: string,
	find: (filters: Query) => Order[],
): { orders: Order[]; link: string | undefined } {
	const { limit: limitText, fields, page_info: pageInfo, ...rest } = query;
	const limit = Math.min(Number(limitText ?? defaultLimit), maxLimit);
	const { filters, offset } =
		pageInfo === undefined ? { filters: rest, offset: 0 } : placeOf(query);
	const all = find(filters);
	const linkTo = (rel: string, place: number) => {
		const info = Buffer.from(JSON.stringify({ filters, offset: place })).toString('base64url');
		const search = new URLSearchParams({ limit: String(limit), page_info: info });
		if (fields !== undefined) search.set('fields', fields);
		return `<${baseUrl}/orders.json?${search.toString()}>; rel="${rel}"`;
	};
	const links = [
		...(offset > 0 ? [linkTo('previous', Math.max(0, offset - limit))] : []),
		...(offset + limit < all.length ? [linkTo('next', offset + limit)] : []),
	];
	return {
		orders: all.slice(offset, offset + limit),
		link: links.length > 0 ? links.join(', ') : undefined,
	};
}

function placeOf(query: Query): z.infer<typeof placeShape> {
	const extra = Object.keys(query).find((name) => !besidePageInfo.includes(name));
	if (extra !== undefined) {
		throw new ShopRefusal(400, { [extra]: `${extra} cannot be passed when page_info is present.` });
	}
	try {
		const text = Buffer.from(query.page_info ?? '', 'base64url').toString();
		return placeShape.parse(JSON.parse(text));
	} catch {
		throw new ShopRefusal(400, { page_info: 'Invalid value.' });
	}
}

/** The orders that match the filters of a list, the newest first; after `since_id` the oldest. */
export function findOrders(orders: readonly Order[], filters: Query): Order[] {
	const matching = orders.filter((order) =>
		Object.entries(filters).every(([name, value]) => value === '' || holds(name, value, order)),
	);
	const { status = 'open', since_id: sinceId } = filters;
	const found = matching.filter((order) => holds('status', status, order));
	return sinceId === undefined ? found.reverse() : found;
}

const byTime = z.enum(['created_at', 'updated_at', 'processed_at']);

/** Whether an order passes one filter; one that is not known here passes every order. */
function holds(name: string, value: string, order: Order): boolean {
	const [, timeName, end] = /^(.+)_(min|max)$/.exec(name) ?? [];
	const time = byTime.safeParse(timeName);
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

/** The members of an order that `fields` names, separated by commas; all when it names none. */
export function pick(order: Order, fields: string | undefined): Record<string, unknown> {
	if (fields === undefined || fields === '') return order;
	const names = fields.split(',').map((name) => name.trim());
	return Object.fromEntries(Object.entries(order).filter(([name]) => names.includes(name)));
}
