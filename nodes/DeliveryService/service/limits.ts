/** The limits of the service (API document, sections 2.1 and 8). */
export const limits = {
	/** Deliveries in one creation request. */
	deliveriesPerRequest: 100,
	/** Creation requests per API key in any window of `creationWindowMs`. */
	creationRequestsPerWindow: 100,
	creationWindowMs: 60_000,
	/** Delivery or reference IDs in one update request. */
	deliveriesPerUpdate: 10,
	/** Characters of a reference ID. */
	referenceIdLength: 40,
	/** Characters of a tag's name. */
	tagLength: 50,
} as const;
