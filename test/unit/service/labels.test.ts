import {
	fieldLabel,
	serviceLabels,
	type Labels,
} from '../../../nodes/DeliveryService/service/validation';
import { valueAt } from '../../../nodes/DeliveryService/common/json';

const labelAt = (path: Array<string | number>, root?: unknown) =>
	fieldLabel(path, serviceLabels, root);

describe('the label of a field', () => {
	test.each<[Array<string | number>, string]>([
		[['pickup', 'contact', 'name'], 'Pickup name'],
		[['dropoff', 'contact', 'phonenumber'], 'Recipient phone'],
		[['pickup', 'location', 'warehouse'], 'Pickup warehouse ID'],
		[['dropoff', 'location', 'address', 'zipcode'], 'Delivery ZIP code'],
		[['packages', 0, 'id'], 'Package ID'],
		[['tags', 0], 'Tag'],
		[['extraData', 0, 'value'], 'Extra data value'],
		[['deliveryChanges', 'cod'], 'Cash on delivery'],
	])('labels %j as %s, like the editor', (path, label) => {
		expect(labelAt(path)).toBe(label);
	});

	test('labels an unknown field with the name that the user wrote', () => {
		expect(labelAt(['status'])).toBe('Status');
		expect(labelAt(['constructor'])).toBe('Constructor');
	});

	test('numbers a list entry only when the list has several', () => {
		const path = ['packages', 0, 'size'];
		expect(labelAt(path, { packages: [{}] })).toBe('Package size');
		expect(labelAt(path, { packages: [{}, {}] })).toBe('Package 1 size');
		expect(labelAt(['tags', 1], { tags: ['a', 'b'] })).toBe('Tag 2');
		expect(labelAt(path, { packages: 'none' })).toBe('Package size');
	});

	test('labels a grouping field that is missing or has the wrong type', () => {
		expect(labelAt(['pickup', 'contact'], { pickup: {} })).toBe('Pickup contact');
		expect(labelAt(['dropoff', 'location'], { dropoff: { location: 'x' } })).toBe(
			'Delivery location',
		);
		expect(labelAt(['location'])).toBe('Location');
	});

	test('omits a grouping field that is present from a label', () => {
		const root = { pickup: { contact: {}, location: { address: {} } } };
		expect(labelAt(['pickup', 'contact'], root)).toBe('Pickup');
		expect(labelAt(['pickup', 'location', 'address'], root)).toBe('Pickup address');
		expect(labelAt(['location'], { location: {} })).toBe('');
	});

	test('returns an empty label for an empty path', () => {
		expect(labelAt([])).toBe('');
	});
});

test('rejects missing labels at compile time', () => {
	type Parcel = { size: string; places?: Array<{ city: string }> };
	const complete: Labels<Parcel> = { size: 'size', places: 'place', city: 'city' };
	// @ts-expect-error: a field of a list entry has no label
	const incomplete: Labels<Parcel> = { size: 'size', places: 'place' };
	expect(Object.keys(complete)).toEqual([...Object.keys(incomplete), 'city']);
});

describe('the value at a path', () => {
	test('finds the value at a path in nested objects and lists', () => {
		expect(valueAt({ packages: [{ size: 's' }] }, ['packages', 0, 'size'])).toBe('s');
		expect(valueAt('x', [])).toBe('x');
	});

	test('finds no value at a path that does not exist', () => {
		expect(valueAt({ packages: null }, ['packages', 0])).toBeUndefined();
		expect(valueAt('text', ['length'])).toBeUndefined();
		expect(valueAt(undefined, ['a', 'b'])).toBeUndefined();
	});

	test('never finds an inherited field at a path', () => {
		expect(valueAt({}, ['constructor'])).toBeUndefined();
	});
});
