import { fieldOf } from '../common/json';

/** The names of all fields that a value of this type may have, at any depth. */
type FieldOf<Value> = Value extends readonly unknown[]
	? FieldOf<Value[number]>
	: Value extends object
		? { [Name in keyof Value & string]-?: Name | FieldOf<Value[Name]> }[keyof Value & string]
		: never;

/**
 * The label of each field of a value, as in the editor but in lowercase. Fields that only group other
 * fields ("contact", "location") have an empty label: messages name them only when they are missing
 * or have the wrong type.
 *
 * Missing labels are a compile error, so that no message shows a name like "qty".
 */
export type Labels<Value> = Readonly<Record<FieldOf<Value>, string>>;

/** The labels of the documented fields (API document, sections 2.1 to 2.5, 4.1 and 4.2). */
export const serviceLabels = {
	pickup: 'pickup',
	dropoff: 'dropoff',
	contact: '',
	location: '',
	name: 'name',
	email: 'email',
	phonenumber: 'phone',
	address: 'address',
	streetName: 'street',
	neighborhood: 'neighborhood',
	city: 'city',
	state: 'state',
	zipcode: 'ZIP code',
	country: 'country',
	instructions: 'instructions',
	lat: 'latitude',
	lng: 'longitude',
	warehouse: 'warehouse ID',
	packages: 'package',
	id: 'ID',
	qty: 'quantity',
	weight: 'weight',
	size: 'size',
	price: 'price',
	referenceId: 'reference ID',
	tags: 'tag',
	extraData: 'extra data',
	value: 'value',
	searchable: 'searchable',
	cod: 'cash on delivery',
	companyId: 'company ID',
	type: 'delivery type',
	deliveryIds: 'delivery ID',
	referenceIds: 'reference ID',
	deliveryChanges: '',
	addTags: 'tag to add',
	removeTags: 'tag to remove',
	recalculatePrice: 'recalculate price',
	reorderRoute: 'reorder route',
	recalculateCity: 'recalculate city',
} as const;

/**
 * The label of a field: `['packages', 0, 'size']` is `Package size`, and with several packages
 * `Package 1 size`.
 *
 * @param path the field names and list indexes that lead to the field
 * @param labels the labels of the fields
 * @param root the value at the start of the path, which shows how many entries a list has
 */
export function fieldLabel(
	path: readonly PropertyKey[],
	labels: Readonly<Record<string, string>>,
	root?: unknown,
): string {
	const parts: string[] = [];
	let value = root;
	for (const [position, step] of path.entries()) {
		const isLast = position === path.length - 1;
		const next = fieldOf(value, step);
		if (typeof step === 'number') {
			if (Array.isArray(value) && value.length > 1) parts.push(String(step + 1));
		} else if (isLast && typeof next !== 'object') {
			parts.push(labelForStep(step, labels) || String(step));
		} else if (isLast || step !== 'address') {
			const stepLabel = dropoffLabel(path, position) ?? labelForStep(step, labels);
			if (stepLabel) parts.push(stepLabel);
		}
		value = next;
	}
	const label = parts.join(' ');
	return label.charAt(0).toUpperCase() + label.slice(1);
}

/** The editor's words for the person and the place of what the service calls a dropoff. */
const dropoffLabels: Readonly<Record<PropertyKey, string>> = {
	contact: 'recipient',
	location: 'delivery',
};

function dropoffLabel(path: readonly PropertyKey[], position: number): string | undefined {
	return path[position] === 'dropoff' ? dropoffLabels[path[position + 1] ?? ''] : undefined;
}

/** A step without a label is not a field of the schema but a name that the user wrote. */
function labelForStep(step: PropertyKey, labels: Readonly<Record<string, string>>): string {
	const name = String(step);
	return Object.hasOwn(labels, name) ? (labels[name] ?? name) : name;
}
