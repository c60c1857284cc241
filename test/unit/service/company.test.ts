import { resolveCompanyId } from '../../../nodes/DeliveryService/service/credential';

const credential = { companyId: 42 };

test.each<[string, unknown, number]>([
	['the given company ID', 7, 7],
	['the given company ID as text', '7', 7],
	["the credential's company ID when none is given", undefined, 42],
	["the credential's company ID for null", null, 42],
	["the credential's company ID for an empty field", '', 42],
])('resolves to %s', (_, given, companyId) => {
	expect(resolveCompanyId(credential, given)).toEqual({ ok: true, value: companyId });
});

test.each(['shop', 0, -1, 1.5, true])('rejects the company ID %j', (given) => {
	expect(resolveCompanyId(credential, given)).toMatchObject({
		ok: false,
		problem: {
			message: 'The Delivery Service Company ID is not a positive whole number',
		},
	});
});

test('requires a company ID when the credential has none', () => {
	expect(resolveCompanyId({}, '')).toMatchObject({
		problem: { message: 'The Delivery Service Company ID is missing' },
	});
	expect(resolveCompanyId({}, 7)).toEqual({ ok: true, value: 7 });
});
