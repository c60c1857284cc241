import { valueAt } from '../common/json';
import type { OrderMapping } from './mapping';

/** What an order does not tell, and how it is taken. */
export interface MissingField {
	/** The member that it lacks. */
	field: string;
	assumed: string;
}

/**
 * Members that Shopify gives every order, as null, false or an empty list where there is nothing to
 * tell, and that keep an order from being sent or have the driver collect cash. They are missing where
 * the Shopify node limits the fields that it returns.
 */
const expectedFields: ReadonlyArray<
	MissingField & {
		/** A member that tells the same. */
		formerly?: string;
		matters: (mapping: OrderMapping) => boolean;
	}
> = [
	{ field: 'cancelled_at', assumed: 'not cancelled', matters: () => true },
	{ field: 'test', assumed: 'no test order', matters: (mapping) => !mapping.includeTestOrders },
	{
		field: 'financial_status',
		assumed: 'not refunded',
		matters: (mapping) => !mapping.includeRefunded,
	},
	{
		field: 'payment_gateway_names',
		formerly: 'gateway',
		assumed: 'not paid at the door',
		matters: (mapping) => mapping.cod === 'whenCashOnDelivery',
	},
];

/** What an order does not tell that would matter by this mapping; undefined when it tells all. */
export function missingFields(order: unknown, mapping: OrderMapping): MissingField[] | undefined {
	const has = (member: string) => valueAt(order, [member]) !== undefined;
	const untold = expectedFields.filter(
		({ field: member, formerly, matters }) =>
			matters(mapping) && !has(member) && !(formerly !== undefined && has(formerly)),
	);
	return untold.length > 0 ? untold : undefined;
}
