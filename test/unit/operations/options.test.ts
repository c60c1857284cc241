import { optionFields } from '../../../nodes/DeliveryService/operations/create/options';

test('options of the whole run take no expression, of which only that of the first item would count', () => {
	const ofItems = ['companyId', 'type'];
	const options = [true, false].flatMap(optionFields).flatMap(({ options: some = [] }) => some);
	const others = options.filter(({ name }) => !ofItems.includes(name));
	expect(others).toHaveLength(7);
	for (const option of others) expect(option).toMatchObject({ noDataExpression: true });
});
