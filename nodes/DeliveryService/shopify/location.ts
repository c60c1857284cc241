/** The location that Shopify assigned to a fulfillment order. */
export interface ShopifyLocation {
	id?: string;
	name?: string;
}
