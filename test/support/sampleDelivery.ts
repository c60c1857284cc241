/** Valid parts of requests as the service's document has them, for tests to change. */
import type { IDataObject } from 'n8n-workflow';

/** A contact with everything that section 2.3 names. */
export function contact(changes: object = {}): IDataObject {
	return { name: 'Ana Torres', email: 'ana@mail.example', phonenumber: '+1 555 0100', ...changes };
}

/** A place at a full address, with another location when one is given. */
export function place(location: object = { address: '48 Oak Avenue, Springfield' }): IDataObject {
	return { contact: contact(), location };
}

/** A package with everything that section 2.5 requires. */
export function pack(changes: object = {}): IDataObject {
	return { name: 'Box', qty: 1, size: 's', ...changes };
}

/** The place that packages are fetched from. */
export const pickup = {
	contact: { name: 'Main Street Store', email: 'store@shop.example' },
	location: { address: '12 Main Street, Springfield' },
};

/** The place that they are brought to. */
const dropoff = {
	contact: { name: 'Ana Torres', email: 'ana@mail.example' },
	location: { address: '48 Oak Avenue, Springfield' },
};

/** A delivery with everything that section 2.1 requires. */
export function delivery(changes: object = {}): IDataObject {
	return { pickup, dropoff, packages: [pack()], ...changes };
}

/** So many deliveries, with the references R0, R1, ... */
export function deliveries(count: number): IDataObject[] {
	return Array.from({ length: count }, (_, number) => delivery({ referenceId: `R${number}` }));
}
