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
