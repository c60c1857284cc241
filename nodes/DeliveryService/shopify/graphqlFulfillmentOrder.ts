import { valueAt } from '../common/json';
import { enumInRest, gidNumber, lineItemId, type GraphqlFields } from './graphql';

/** The fields of a fulfillment order, see {@link GraphqlFields}. */
export const graphqlFulfillmentOrderFields: GraphqlFields = {
	id: { name: 'id', read: gidNumber },
	order_id: { name: 'orderId', read: gidNumber },
	status: { name: 'status', read: enumInRest },
	fulfill_at: { name: 'fulfillAt' },
	fulfillment_holds: {
		name: 'fulfillmentHolds',
		isList: true,
		fields: {
			reason: { name: 'reason', read: enumInRest },
			reason_notes: { name: 'reasonNotes' },
		},
	},
	assigned_location: {
		name: 'assignedLocation',
		fields: {
			location_id: { name: 'location', read: (value) => gidNumber(valueAt(value, ['id'])) },
			name: { name: 'name' },
		},
	},
	delivery_method: {
		name: 'deliveryMethod',
		fields: {
			method_type: { name: 'methodType', read: enumInRest },
			additional_information: { name: 'additionalInformation' },
		},
	},
	destination: {
		name: 'destination',
		fields: {
			first_name: { name: 'firstName' },
			last_name: { name: 'lastName' },
			company: { name: 'company' },
			phone: { name: 'phone' },
			email: { name: 'email' },
			address1: { name: 'address1' },
			address2: { name: 'address2' },
			city: { name: 'city' },
			province: { name: 'province' },
			zip: { name: 'zip' },
			country_code: { name: 'countryCode' },
		},
	},
	line_items: {
		name: 'lineItems',
		isList: true,
		fields: {
			line_item_id: lineItemId,
			quantity: { name: 'totalQuantity' },
			fulfillable_quantity: { name: 'remainingQuantity' },
		},
	},
};
