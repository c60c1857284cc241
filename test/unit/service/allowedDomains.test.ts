import fc from 'fast-check';
import { isDomainAllowed } from 'n8n-workflow';

import { disallowedDomain } from '../../../nodes/DeliveryService/service/credential';

const url = 'https://api.shop.example:8443/path';
const only = (allowedDomains: unknown) => ({
	allowedHttpRequestDomains: 'domains',
	allowedDomains,
});

test.each([
	['without the setting', {}],
	['with the setting All', { allowedHttpRequestDomains: 'all', allowedDomains: 'other.example' }],
	['with the setting None', { allowedHttpRequestDomains: 'none', allowedDomains: 'other.example' }],
	['with its host in the list', only('other.example, API.Shop.Example. ')],
	['with its domain as a wildcard', only('*.shop.example')],
])('allows a URL %s', (_, data) => {
	expect(disallowedDomain(data, url)).toBeUndefined();
});

test.each([
	['an empty list', only('')],
	['a list without text', only(5)],
	['a bare wildcard', only('*')],
	['a wildcard without a domain', only('*.')],
])('names the setting when it has %s', (_, data) => {
	expect(disallowedDomain(data, url)).toBe(
		'api.shop.example is not among the Allowed HTTP Request Domains of the credential',
	);
});

test('allows the same hosts as n8n', () => {
	const label = fc.constantFrom('a', 'B', 'shop', 'example', '*', '', ' ');
	const domain = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join('.'));
	const list = fc
		.array(domain, { minLength: 1, maxLength: 3 })
		.map((domains) => domains.join(','))
		.filter((domains) => domains.trim() !== '');
	const host = fc.constantFrom('a.shop.example', 'shop.example', 'B.example', 'b.a.example.', 'a');
	fc.assert(
		fc.property(host, list, (name, allowedDomains) => {
			const requested = `https://${name}/hooks`;
			const isAllowed = disallowedDomain(only(allowedDomains), requested) === undefined;
			expect(isAllowed).toBe(isDomainAllowed({ url: requested, allowedDomains }));
		}),
		{ numRuns: 2000 },
	);
});
