import { resolveCompanyId } from '../../../nodes/DeliveryService/service/credential';

const credential = { companyId: 42 };

test.each<[string, unknown, number]>([
	['the given company', 7, 7],
	['the given company as text', '7', 7],
	["the credential's company when none is given", undefined, 42],
	["the credential's company for null", null, 42],
	["the credential's company for an empty field", '', 42],
])('resolves to %s', (_, given, companyId) => {
	expect(resolveCompanyId(credential, given)).toEqual({ ok: true, value: companyId });
});

test.each(['shop', 0, -1, 1.5, true])('rejects %j', (given) => {
	expect(resolveCompanyId(credential, given)).toMatchObject({
		ok: false,
		problem: {
			message: 'The Delivery Service Company ID is not a positive whole number',
		},
	});
});

test('requires a company when the credential has none', () => {
	expect(resolveCompanyId({}, '')).toMatchObject({
		problem: { message: 'The Delivery Service Company ID is missing' },
	});
	expect(resolveCompanyId({}, 7)).toEqual({ ok: true, value: 7 });
});
