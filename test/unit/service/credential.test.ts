import { readCredential } from '../../../nodes/DeliveryService/service/credential';

const data = { baseUrl: 'https://a.example', apiKeyId: 'id', apiSecret: 'secret', companyId: 42 };

const credentialOf = (changes: object) => {
	const read = readCredential({ ...data, ...changes });
	if (!read.ok) throw new Error(read.problem.message);
	return read.value;
};

const problemOf = (changes: object) => {
	const read = readCredential({ ...data, ...changes });
	return read.ok ? undefined : read.problem;
};

test.each([' https://a.example/ ', 'https://a.example///', 'https://a.example'])(
	'the base URL %j is taken, with or without slashes and spaces',
	(baseUrl) => {
		expect(credentialOf({ baseUrl })).toEqual(data);
	},
);

test.each(['https://a.example/api', 'http://127.0.0.1:8080', 'https://a.example/v1beta'])(
	'the base URL %j is taken as it is',
	(baseUrl) => {
		expect(credentialOf({ baseUrl: `${baseUrl}/` }).baseUrl).toBe(baseUrl);
	},
);

test.each([
	['a.example', 'must start with https:// or http://'],
	['ftp://a.example', 'must start with https:// or http://'],
	['https:a.example', 'must start with https:// or http://'],
	['https://', 'must start with https:// or http://'],
	['https://a b.example', 'is not a web address'],
	['https://a.example/api?key=s3cret', 'has a query: a question mark and what follows it'],
	['https://a.example?', 'has a query: a question mark and what follows it'],
	['https://a.example/#deliveries', 'has a fragment: a number sign (#) and what follows it'],
	...['/v1', '/v1/deliveries', '/v1/deliveries/dropoff', '/hooks', '/hooks/companies'].map(
		(path) => [
			`https://a.example/api${path}/`,
			`ends with ${path}, the path of an endpoint, which the nodes add themselves`,
		],
	),
	[
		'https://a.example/hooks/companies/1001',
		'ends with /hooks/companies/1001, the path of an endpoint, which the nodes add themselves',
	],
])('the base URL %j is refused: it %s', (baseUrl, why) => {
	expect(problemOf({ baseUrl })).toEqual({
		message: `The Base URL in the Delivery Service credential ${why}`,
		description: expect.stringContaining('such as https://api.delivery-service.example'),
	});
});

test.each([{ baseUrl: '' }, { baseUrl: ' ' }, { apiKeyId: ' ' }, { apiSecret: '' }])(
	'the credential is not complete with %j',
	(changes) => {
		expect(problemOf(changes)).toEqual({
			message: 'The Delivery Service credential is incomplete',
			description:
				'Open the credential and fill in Base URL (it starts with https:// or http://), API Key ID and API Secret.',
		});
	},
);

test('there is no company when it is not a whole number of 1 or more', () => {
	for (const companyId of ['', 0, 'shop', null, undefined])
		expect(credentialOf({ companyId }).companyId).toBeUndefined();
	expect(credentialOf({ companyId: '42' }).companyId).toBe(42);
});

test('the API secret is kept as it is, with spaces', () => {
	expect(credentialOf({ apiSecret: ' s ', apiKeyId: ' id ' })).toMatchObject({
		apiSecret: ' s ',
		apiKeyId: 'id',
	});
});
