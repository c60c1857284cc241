/** The sentences about orders that can't be read, sent or updated. */
import type { Problem } from '../common/result';
import { describeValue, isBlank, joinSentences, lowerFirst, excerpt } from '../common/text';
import type { OrderProblem } from '../shopify/problems';
import { pages } from './help';
import { quoted } from './lists';

/**
 * Words the problems of an order: the first becomes the message, the others its description.
 *
 * @param label the order's name, e.g. "Order #1001"; undefined if the item has no order
 */
export function orderProblem(
	label: string | undefined,
	problems: readonly OrderProblem[],
): Problem {
	const [first, ...others] = problems.map((problem) => problemOf(label ?? 'The order', problem));
	const { message = 'This is not a Shopify order', description } = first ?? {};
	const rest = others.flatMap((problem) => [problem.message, problem.description]);
	const more = joinSentences([description, ...rest]);
	return { message, ...(more !== '' && { description: more }) };
}

function problemOf(label: string, problem: OrderProblem): Problem {
	switch (problem.code) {
		case 'partWithoutOrder':
			return {
				message:
					'This is a fulfillment order without its order. Put it in the field "fulfillmentOrder" of the item, and its order in the field "order".',
			};
		case 'partList':
			return {
				message: `The fulfillment orders of this order are in a list. Add a Split Out node before this node: Fields to Split Out "${problem.field}", Include "All Other Fields", Destination Field Name "fulfillmentOrder".`,
			};
		case 'noPart':
			return {
				message:
					'This order has a field for its fulfillment order, but there is none in it. Check the Split Out node before this node: its Destination Field Name should be "fulfillmentOrder".',
			};
		case 'graphqlError':
			return {
				message: `Shopify's GraphQL API returned an error instead of an order: ${excerpt(problem.text, 200)}`,
			};
		case 'notFound':
			return {
				message: `Shopify's GraphQL API found no order: "${problem.field}" is empty. Check ${problem.isById ? 'the ID in the query' : 'the filter of the query'}, and whether the app may read orders.`,
			};
		case 'orderList':
			return {
				message: `This is a list of Shopify orders, not a single order. Add a Split Out node for the field "${problem.field}" before this node, so that each order becomes a separate item.`,
			};
		case 'noObject':
			return {
				message: `This is not a Shopify order: expected an object, but the value is ${describeValue(problem.value)}. ${howToGetAnOrder}`,
			};
		case 'webhookWithoutOrder':
			return {
				message:
					'This webhook call has no order in its body. Create the webhook in Shopify in JSON, for Order creation or Order payment; if Raw Body is on in the Webhook node, add an Extract From File node.',
			};
		case 'otherResource':
			return {
				message: `This is a Shopify ${problem.type}, not an order. Query orders instead.`,
			};
		case 'otherRecord':
			return {
				message: `This is not a Shopify order, but ${recordNames[problem.record]}: it has "${problem.field}", which orders don't have. In the Shopify Trigger, set Trigger On to Order Created or Order Paid.`,
			};
		case 'noLines':
			return {
				message:
					problem.name === undefined
						? `This is not a Shopify order: it has no "line_items". ${howToGetAnOrder} If the Shopify node limits the fields that it returns, add line_items.`
						: `Order ${problem.name} has no "line_items", so it is unclear what to send. If the Shopify node limits the fields that it returns, add line_items.`,
			};
		case 'missingInQuery':
			return {
				message: `${label} lacks ${quoted(problem.fields)}. Copy the GraphQL query from ${queriesPage}, which names the fields as the REST API does.`,
			};
		case 'incompleteLists':
			return {
				message: `${label} has more ${quoted(problem.lists)} than the GraphQL query returned. Raise "first" in the query, up to 250. If it has even more, create its delivery with the operation Create.`,
			};
		case 'invalidField':
			return { message: invalidFieldText(label, problem) };
		case 'partOfOtherOrder':
			return {
				message: `Fulfillment order ${problem.partId} belongs to another order (ID ${problem.orderId}) than ${problem.own.label} (ID ${problem.own.id}). Combine each order with its own fulfillment orders, by the order ID.`,
			};
		case 'noPersonalData':
			return {
				message: `${label} contains no name, email, phone or street. If Shopify shows them, your app lacks access to protected customer data.`,
				description: `If Shopify shows none, add a customer with an address to the order. ${problem.hasDetails ? 'If it shows them only under Additional details, set up your order form to fill in the shipping address. ' : ''}If it shows them, an app from the Dev Dashboard needs Custom distribution; one made in the admin needs a plan that includes it, and in its settings "Protected customer data access" with all four fields.`,
			};
		case 'hidden':
			return {
				message: `${label} has "${problem.value}" in its address: the sales channel${problem.channel === undefined ? '' : ` (${problem.channel})`} hides it. Enter the name and the address in Shopify, without such signs. If the channel ships the order itself, fulfill it there.`,
			};
		case 'noStreet':
			return {
				message: `${label} has no street ("address1") in its shipping address. Add it to the order in Shopify.`,
			};
		case 'noAddress':
			return {
				message: `${label} has items to ship, but no shipping address. Add one to the order in Shopify. If the customer picks it up, fulfill it there.`,
			};
		case 'noRecipientName':
			return {
				message: `${label} has no recipient name in its shipping address, customer or billing address. Add one to the order in Shopify.`,
			};
		case 'invalidEmail':
			return {
				message: `${label} has the email address "${problem.email}", which is not valid. Correct it in Shopify, or set Fallback Email.`,
			};
		case 'noEmail':
			return {
				message: `${label} has no email address, which the Delivery Service requires. Set Fallback Email.`,
			};
		case 'noReference':
			return {
				message:
					problem.field === undefined
						? `${label} has no reference ID: Custom Reference ID under Order Options is empty. If it is an expression, it returned nothing for this order. To use the order's name, remove the option.`
						: `${label} has no "${problem.field}" to use as the reference ID. ${howToRequest('this field')}.`,
			};
		case 'unknownPayment': {
			const { status } = problem;
			const [has, needed] =
				status === undefined
					? ['no "financial_status"', 'this field']
					: [`the unknown "financial_status" "${status}"`, '"total_outstanding"'];
			return {
				message: `${label} has ${has}, so it's unclear whether it is paid. ${howToRequest(needed)}.`,
			};
		}
		case 'unclearDate':
			return {
				message: `${label} has the delivery date "${problem.text}", which is not clear. Write it in Shopify with the year first, e.g. 2026-12-24. If dates in your shop look like 05/06/2026, set Delivery Date Format under Filters.`,
			};
		case 'unknownPartItem':
			return {
				message: `${label} doesn't contain the item with the ID ${problem.lineId} of its fulfillment order. If the order was edited, fetch it again. ${howToRequest('all "line_items" with their IDs')}.`,
			};
		case 'unknownUnitsLeft':
			return {
				message: `${label} doesn't say how many units of the partly fulfilled item "${problem.item}" are left to ship. ${howToRequest(`"${problem.field}"`)}, or fulfill the rest manually.`,
			};
		case 'unknownUnpaid': {
			const status = problem.status === undefined ? 'missing' : `"${problem.status}"`;
			return {
				message: `${label} doesn't say how much is unpaid: it has no "total_outstanding", and its "financial_status" is ${status}. ${howToRequest('total_outstanding')}, ${orNever}.`,
			};
		}
		case 'unknownPrice':
			return {
				message: `${label} doesn't say what the item "${problem.item}" costs. ${howToRequest(`"${problem.field}"`)}, ${orNever}.`,
			};
	}
}

/** Without a period. */
function howToRequest(field: string): string {
	return `Request ${field} in the Shopify node or the query`;
}

const orNever = 'or set Cash on Delivery to Never if drivers never collect cash';

const howToGetAnOrder =
	"Connect a Shopify node, or set the field Order to an order in the format of Shopify's REST or GraphQL API.";

const queriesPage = `${pages}/examples/queries.md`;

/** Other outputs of the Shopify Trigger that resemble orders. */
const recordNames = {
	draftOrder: 'a draft order',
	checkout: 'a checkout that the customer may still abandon',
	ofOrder: 'a record that belongs to an order, such as a fulfillment or a refund',
} as const;

/** What is wrong with a field. */
function invalidFieldText(
	label: string,
	{ field, rule, value, isInPart }: Extract<OrderProblem, { code: 'invalidField' }>,
): string {
	const named = field === '' ? '' : `"${field}"`;
	const ofPart = named === '' ? 'its fulfillment order' : `${named} of its fulfillment order`;
	const subject = isInPart ? `${label}: ${ofPart}` : `${label}'s ${named}`;
	return isBlank(value)
		? `${subject} ${rule}.`
		: `${subject} ${rule}, but is ${describeValue(value)}.`;
}

/** A violated rule of the service, in the delivery of an order. */
export function ruleProblem(reference: string, { message, description }: Problem): Problem {
	return {
		message: `Order ${reference}: ${lowerFirst(message)}`,
		description: joinSentences([
			description,
			'Fix pickup fields and values of options in this node, everything else in Shopify.',
		]),
	};
}
