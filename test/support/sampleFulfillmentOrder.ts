type Fields = Record<string, unknown>;

/** A line of a fulfillment order: two units of the sample order's line. */
export function samplePartLine(changes: Fields = {}): Fields {
	return { id: 9001, line_item_id: 7001, quantity: 2, fulfillable_quantity: 2, ...changes };
}

/** An open fulfillment order of the sample order, as Shopify's REST API returns it. */
export function samplePart(changes: Fields = {}): Fields {
	return {
		id: 6700000001001,
		order_id: 820982911946154,
		status: 'open',
		request_status: 'unsubmitted',
		fulfill_at: null,
		fulfillment_holds: [],
		assigned_location_id: 61000000002,
		assigned_location: { location_id: 61000000002, name: 'Harbor Warehouse' },
		delivery_method: { id: 1, method_type: 'shipping', additional_information: null },
		destination: {
			first_name: 'Ana',
			last_name: 'Lopez',
			company: null,
			phone: '+52 55 1000 2000',
			email: 'ana@example.com',
			address1: 'Calle Luna 12',
			address2: '',
			city: 'Puebla',
			province: 'Puebla',
			zip: '72000',
			country: 'Mexico',
		},
		line_items: [samplePartLine()],
		...changes,
	};
}

function fieldsOf(value: unknown): Fields {
	return typeof value === 'object' && value !== null ? { ...value } : {};
}

const upperCase = (value: unknown) => (typeof value === 'string' ? value.toUpperCase() : value);

/** The same fulfillment order as Shopify's GraphQL API returns it. */
export function toGraphqlPart(part: Fields, form: 'nodes' | 'edges' = 'nodes'): Fields {
	const { id, order_id: orderId, assigned_location: location, destination } = part;
	const lines = (Array.isArray(part.line_items) ? part.line_items : []).map((line) => {
		const { line_item_id: lineId, quantity, fulfillable_quantity: left } = fieldsOf(line);
		const lineItem = { id: `gid://shopify/LineItem/${String(lineId)}` };
		return { lineItem, totalQuantity: quantity, remainingQuantity: left };
	});
	const items = form === 'nodes' ? { nodes: lines } : { edges: lines.map((node) => ({ node })) };
	const { location_id: locationId, name } = fieldsOf(location);
	const method = fieldsOf(part.delivery_method);
	const { first_name, last_name, ...address } = fieldsOf(destination);
	return {
		id: `gid://shopify/FulfillmentOrder/${String(id)}`,
		orderId: `gid://shopify/Order/${String(orderId)}`,
		status: upperCase(part.status),
		requestStatus: upperCase(part.request_status),
		fulfillAt: part.fulfill_at,
		fulfillmentHolds: (Array.isArray(part.fulfillment_holds) ? part.fulfillment_holds : []).map(
			(hold) => {
				const { reason, reason_notes: reasonNotes } = fieldsOf(hold);
				return { reason: upperCase(reason), reasonNotes };
			},
		),
		assignedLocation: { name, location: { id: `gid://shopify/Location/${String(locationId)}` } },
		deliveryMethod: part.delivery_method && {
			methodType: upperCase(method.method_type),
			presentedName: method.presented_name,
			serviceCode: method.service_code,
			minDeliveryDateTime: method.min_delivery_date_time,
			maxDeliveryDateTime: method.max_delivery_date_time,
			additionalInformation: method.additional_information,
		},
		destination: destination && {
			...address,
			firstName: first_name,
			lastName: last_name,
			countryCode: 'MX',
		},
		lineItems: { ...items, pageInfo: { hasNextPage: false } },
	};
}
