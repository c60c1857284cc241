/** A valid pickup in the service's format. */
export const pickup = {
	contact: { name: 'Main Street Store', email: 'store@example.com', phonenumber: '+1 555 0100' },
	location: {
		address: {
			streetName: '12 Main Street',
			city: 'Springfield',
			state: 'Illinois',
			zipcode: '62701',
			country: 'United States',
		},
		instructions: 'Ring at the back door',
	},
};

/** The node's parameters for `pickup`. */
export const pickupFields = {
	pickupName: 'Main Street Store',
	pickupEmail: 'store@example.com',
	pickupPhone: '+1 555 0100',
	pickupLocationType: 'components',
	pickupStreetName: '12 Main Street',
	pickupCity: 'Springfield',
	pickupState: 'Illinois',
	pickupZipcode: '62701',
	pickupCountry: 'United States',
	pickupDetails: { instructions: 'Ring at the back door' },
};

/** A valid dropoff in the service's format. */
export const dropoff = {
	contact: { name: 'Ana Torres', email: 'ana@example.com' },
	location: { address: '48 Oak Avenue, Springfield, IL 62704, United States' },
};

export const packages = [{ name: 'Box', qty: 1, size: 's' }];

/** The node's parameters that create deliveries from Shopify orders with `pickup`. */
export const shopifyFields = {
	operation: 'createFromOrders',
	...pickupFields,
	fallbackEmail: 'orders@example.com',
};
