import { valueAt } from '../service/labels';
import type { OrderMapping } from './mapping';

/** What an order does not tell, and how it is taken. */
export interface Untold {
	/** The member that it lacks. */
	member: string;
	takenAs: string;
}

/**
 * Members that Shopify gives every order, as null, false or an empty list where there is nothing to
 * tell, and that keep an order from being sent or have the driver collect cash. They are missing where
 * the Shopify node limits the fields that it returns.
 */
const telling: ReadonlyArray<
	Untold & {
		/** A member that tells the same. */
		formerly?: string;
		matters: (mapping: OrderMapping) => boolean;
	}
> = [
	{ member: 'cancelled_at', takenAs: 'not cancelled', matters: () => true },
	{ member: 'test', takenAs: 'no test order', matters: (mapping) => !mapping.includeTestOrders },
	{
		member: 'financial_status',
		takenAs: 'not refunded',
		matters: (mapping) => !mapping.includeRefunded,
	},
	{
		member: 'payment_gateway_names',
		formerly: 'gateway',
		takenAs: 'not paid at the door',
		matters: (mapping) => mapping.cod === 'whenCashOnDelivery',
	},
];

/** What an order does not tell that would matter by this mapping; undefined when it tells all. */
export function untoldOf(order: unknown, mapping: OrderMapping): Untold[] | undefined {
	const has = (member: string) => valueAt(order, [member]) !== undefined;
	const untold = telling.filter(
		({ member, formerly, matters }) =>
			matters(mapping) && !has(member) && !(formerly !== undefined && has(formerly)),
	);
	return untold.length > 0 ? untold : undefined;
}
