/** The sentences about orders whose location has no pickup, or an invalid one. */
import type { Problem } from '../common/result';
import { lowerFirst } from '../common/text';

/** Why an order has no pickup, by the table Pickup by Location. */
export type PickupProblem =
	| { code: 'invalidLocation'; number: number; problem: Problem }
	| { code: 'invalidRow'; row: string; problem: Problem }
	/** A driver may be sent to the wrong place. */
	| { code: 'repeatedRow'; row: string }
	/** `location` is undefined for a whole order. */
	| { code: 'noRow'; location: string | undefined };

/** Words why an order has no pickup. */
export function pickupProblem(order: string, problem: PickupProblem): Problem {
	const orAddRow = 'or add the row All Other Locations to Pickup by Location.';
	switch (problem.code) {
		case 'invalidLocation':
			return inRow(`row ${problem.number}`, problem.problem);
		case 'invalidRow': {
			const { message, description } = problem.problem;
			return inRow(`"${problem.row}"`, { message: lowerFirst(message), description });
		}
		case 'repeatedRow':
			return {
				message: `Pickup by Location has several rows for "${problem.row}"`,
				description: 'Keep one of them. One may have its name, another its ID.',
			};
		case 'noRow':
			return problem.location === undefined
				? {
						message: `${order} has no location in Shopify, because it is a whole order`,
						description: `Send its fulfillment orders instead, as the workflow "Fulfillment orders to deliveries" does, ${orAddRow}`,
					}
				: {
						message: `${order} ships from "${problem.location}", which is not in Pickup by Location`,
						description: `Add this location, ${orAddRow}`,
					};
	}
}

function inRow(row: string, { message, description }: Problem): Problem {
	return { message: `Pickup by Location, ${row}: ${message}`, description };
}
