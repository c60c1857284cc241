import {
	fieldLabel,
	serviceLabels,
	type Labels,
} from '../../../nodes/DeliveryService/service/labels';
import { valueAt } from '../../../nodes/DeliveryService/common/json';

const labelOf = (path: Array<string | number>, root?: unknown) =>
	fieldLabel(path, serviceLabels, root);

describe('the label of a field', () => {
	test.each<[Array<string | number>, string]>([
		[['pickup', 'contact', 'name'], 'Pickup name'],
		[['dropoff', 'contact', 'phonenumber'], 'Dropoff phone'],
		[['pickup', 'location', 'warehouse'], 'Pickup warehouse ID'],
		[['dropoff', 'location', 'address', 'zipcode'], 'Dropoff ZIP code'],
		[['dropoff', 'location', 'address', 'streetName'], 'Dropoff street'],
		[['dropoff', 'location', 'lat'], 'Dropoff latitude'],
		[['dropoff', 'location', 'lng'], 'Dropoff longitude'],
		[['packages', 0, 'id'], 'Package ID'],
		[['packages', 0, 'qty'], 'Package quantity'],
		[['referenceId'], 'Reference ID'],
		[['deliveryIds'], 'Delivery ID'],
		[['referenceIds'], 'Reference ID'],
		[['tags', 0], 'Tag'],
		[['addTags', 0], 'Tag to add'],
		[['removeTags', 0], 'Tag to remove'],
		[['extraData', 0, 'value'], 'Extra data value'],
		[['cod'], 'Cash on delivery'],
		[['companyId'], 'Company ID'],
		[['deliveryChanges', 'cod'], 'Cash on delivery'],
	])('of %j is in the words of the editor: %s', (path, label) => {
		expect(labelOf(path)).toBe(label);
	});

	test('is what the user wrote where the schema has no member', () => {
		expect(labelOf(['status'])).toBe('Status');
		expect(labelOf(['constructor'])).toBe('Constructor');
	});

	test('numbers the entries of a list only when there are several', () => {
		const path = ['packages', 0, 'size'];
		expect(labelOf(path, { packages: [{}] })).toBe('Package size');
		expect(labelOf(path, { packages: [{}, {}] })).toBe('Package 1 size');
		expect(labelOf(['tags', 1], { tags: ['a', 'b'] })).toBe('Tag 2');
		expect(labelOf(path, { packages: 'none' })).toBe('Package size');
	});

	test('names what only holds others when it is missing or of another kind', () => {
		expect(labelOf(['pickup', 'contact'], { pickup: {} })).toBe('Pickup contact');
		expect(labelOf(['dropoff', 'location'], { dropoff: { location: 'x' } })).toBe(
			'Dropoff location',
		);
		expect(labelOf(['location'])).toBe('Location');
	});

	test('leaves out what only holds others when it does', () => {
		const root = { pickup: { contact: {}, location: { address: {} } } };
		expect(labelOf(['pickup', 'contact'], root)).toBe('Pickup');
		expect(labelOf(['pickup', 'location', 'address'], root)).toBe('Pickup address');
		expect(labelOf(['location'], { location: {} })).toBe('');
	});

	test('of no field is nothing', () => {
		expect(labelOf([])).toBe('');
	});
});

test('labels that lack a member do not compile', () => {
	type Parcel = { size: string; places?: Array<{ city: string }> };
	const complete: Labels<Parcel> = { size: 'size', places: 'place', city: 'city' };
	// @ts-expect-error: the member of an entry in a list has no label
	const incomplete: Labels<Parcel> = { size: 'size', places: 'place' };
	expect(Object.keys(complete)).toEqual([...Object.keys(incomplete), 'city']);
});

describe('the value at a path', () => {
	test('is found through objects and lists', () => {
		expect(valueAt({ packages: [{ size: 's' }] }, ['packages', 0, 'size'])).toBe('s');
		expect(valueAt('x', [])).toBe('x');
	});

	test('is undefined where the path leads nowhere', () => {
		expect(valueAt({ packages: null }, ['packages', 0])).toBeUndefined();
		expect(valueAt('text', ['length'])).toBeUndefined();
		expect(valueAt(undefined, ['a', 'b'])).toBeUndefined();
	});

	test('is only what the value holds itself', () => {
		expect(valueAt({}, ['constructor'])).toBeUndefined();
	});
});
