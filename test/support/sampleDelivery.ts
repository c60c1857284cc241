/** Valid parts of requests from the API document, which tests can change. */
import type { IDataObject } from 'n8n-workflow';

/** A contact with all fields of docs/api.md, section 2.3. */
export function contact(changes: object = {}): IDataObject {
	return { name: 'Ana Torres', email: 'ana@mail.example', phonenumber: '+1 555 0100', ...changes };
}

/** A pickup or dropoff. The location defaults to a full address. */
export function place(location: object = { address: '48 Oak Avenue, Springfield' }): IDataObject {
	return { contact: contact(), location };
}

/** A package with the required fields of docs/api.md, section 2.5. */
export function pack(changes: object = {}): IDataObject {
	return { name: 'Box', qty: 1, size: 's', ...changes };
}

/** The pickup of the sample delivery. */
export const pickup = {
	contact: { name: 'Main Street Store', email: 'store@shop.example' },
	location: { address: '12 Main Street, Springfield' },
};

/** The dropoff of the sample delivery. */
const dropoff = {
	contact: { name: 'Ana Torres', email: 'ana@mail.example' },
	location: { address: '48 Oak Avenue, Springfield' },
};

/** A delivery with the required fields of docs/api.md, section 2.1. */
export function delivery(changes: object = {}): IDataObject {
	return { pickup, dropoff, packages: [pack()], ...changes };
}

/** A number of deliveries with the references R0, R1, ... */
export function deliveries(count: number): IDataObject[] {
	return Array.from({ length: count }, (_, number) => delivery({ referenceId: `R${number}` }));
}
