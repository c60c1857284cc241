/** A value of any kind with its members open for changes. */
export type Loose = Record<string, unknown>;

/** A contact with everything that section 2.3 names. */
export function contact(changes: Loose = {}): Loose {
	return { name: 'Ana Torres', email: 'ana@mail.example', phonenumber: '+1 555 0100', ...changes };
}

/** A place at a full address, with another location when one is given. */
export function place(location: Loose = { address: '48 Oak Avenue' }): Loose {
	return { contact: contact(), location };
}

/** A package with everything that section 2.5 requires. */
export function pack(changes: Loose = {}): Loose {
	return { name: 'Box', qty: 1, size: 's', ...changes };
}

/** A delivery with everything that section 2.1 requires. */
export function delivery(changes: Loose = {}): Loose {
	return { pickup: place(), dropoff: place(), packages: [pack()], ...changes };
}
