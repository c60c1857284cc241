import { fieldLabel, valueAt } from '../../../nodes/DeliveryService/service/labels';

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
		[['url'], 'URL'],
		[['deliveryChanges', 'cod'], 'Cash on delivery'],
	])('of %j is in the words of the editor: %s', (path, label) => {
		expect(fieldLabel(path)).toBe(label);
	});

	test('keeps the name of a member that has no other word', () => {
		expect(fieldLabel(['status'])).toBe('Status');
		expect(fieldLabel(['constructor'])).toBe('Constructor');
	});

	test('numbers the entries of a list only when there are several', () => {
		const path = ['packages', 0, 'size'];
		expect(fieldLabel(path, { packages: [{}] })).toBe('Package size');
		expect(fieldLabel(path, { packages: [{}, {}] })).toBe('Package 1 size');
		expect(fieldLabel(['tags', 1], { tags: ['a', 'b'] })).toBe('Tag 2');
		expect(fieldLabel(path, { packages: 'none' })).toBe('Package size');
	});

	test('names what only holds others when it is missing or of another kind', () => {
		expect(fieldLabel(['pickup', 'contact'], { pickup: {} })).toBe('Pickup contact');
		expect(fieldLabel(['dropoff', 'location'], { dropoff: { location: 'x' } })).toBe(
			'Dropoff location',
		);
		expect(fieldLabel(['location'])).toBe('Location');
	});

	test('leaves out what only holds others when it does', () => {
		const root = { pickup: { contact: {}, location: { address: {} } } };
		expect(fieldLabel(['pickup', 'contact'], root)).toBe('Pickup');
		expect(fieldLabel(['pickup', 'location', 'address'], root)).toBe('Pickup address');
		expect(fieldLabel(['location'], { location: {} })).toBe('');
	});

	test('of no field is nothing', () => {
		expect(fieldLabel([])).toBe('');
	});
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
