import {
	isLoopback,
	readCredential,
	selectedCompany,
	travelsUnencrypted,
} from '../../../nodes/DeliveryService/service/credential';

const data = { baseUrl: 'https://a.example', apiKeyId: 'id', apiSecret: 'secret', companyId: 42 };

const credentialWith = (changes: object) => {
	const result = readCredential({ ...data, ...changes });
	if (!result.ok) throw new Error(result.problem.message);
	return result.value;
};

const problemWith = (changes: object) => {
	const result = readCredential({ ...data, ...changes });
	return result.ok ? undefined : result.problem;
};

test.each([' https://a.example/ ', 'https://a.example///', 'https://a.example'])(
	'removes trailing slashes and surrounding spaces from the Base URL %j',
	(baseUrl) => {
		expect(credentialWith({ baseUrl })).toEqual(data);
	},
);

test.each(['https://a.example/api', 'http://127.0.0.1:8080', 'https://a.example/v1beta'])(
	'accepts the Base URL %j unchanged',
	(baseUrl) => {
		expect(credentialWith({ baseUrl: `${baseUrl}/` }).baseUrl).toBe(baseUrl);
	},
);

test.each([
	['a.example', 'must start with https://'],
	['ftp://a.example', 'must start with https://'],
	['https:a.example', 'must start with https://'],
	['https://', 'is not a valid URL'],
	['https://a b.example', 'is not a valid URL'],
	[
		'https://a.example/api?key=s3cret',
		'must not contain a query: remove the question mark and everything after it',
	],
	[
		'https://a.example?',
		'must not contain a query: remove the question mark and everything after it',
	],
	[
		'https://a.example/#deliveries',
		'must not contain a fragment: remove the number sign (#) and everything after it',
	],
	...['/v1', '/v1/deliveries', '/v1/deliveries/dropoff', '/hooks', '/hooks/companies'].map(
		(path) => [
			`https://a.example/api${path}/`,
			`must not end with ${path}: the nodes add this path`,
		],
	),
	[
		'https://a.example/hooks/companies/1001',
		'must not end with /hooks/companies/1001: the nodes add this path',
	],
])('rejects the Base URL %j, which %s', (baseUrl, reason) => {
	expect(problemWith({ baseUrl })).toEqual({
		message: `The Base URL in the Delivery Service credential ${reason}`,
		description: expect.stringContaining('e.g. https://api.delivery-service.example'),
	});
});

test.each([{ baseUrl: '' }, { baseUrl: ' ' }, { apiKeyId: ' ' }, { apiSecret: '' }])(
	'rejects an incomplete credential with %j',
	(changes) => {
		expect(problemWith(changes)).toEqual({
			message: 'The Delivery Service credential is incomplete',
			description: 'Open the credential and fill in Base URL, API Key ID and API Secret.',
		});
	},
);

test('ignores a company ID that is not a positive whole number', () => {
	for (const companyId of ['', 0, 'shop', null, undefined])
		expect(credentialWith({ companyId }).companyId).toBeUndefined();
	expect(credentialWith({ companyId: '42' }).companyId).toBe(42);
});

test('keeps spaces in the API Secret and trims the API Key ID', () => {
	expect(credentialWith({ apiSecret: ' s ', apiKeyId: ' id ' })).toMatchObject({
		apiSecret: ' s ',
		apiKeyId: 'id',
	});
});

test.each([
	'https://user:s3cret@a.example',
	'https://user@a.example',
	'https://:s3cret@a.example',
	'HTTPS://user:s3%40cret@a.example:8443',
])('rejects the Base URL %j because of its user info, without repeating it', (baseUrl) => {
	const problem = problemWith({ baseUrl });
	expect(problem?.message).toBe(
		'The Base URL in the Delivery Service credential must not contain a user name or password: remove everything between // and the host',
	);
	expect(JSON.stringify(problem)).not.toMatch(/s3|user[@:]/);
});

test('rejects an API key ID with a colon, without repeating it', () => {
	const problem = problemWith({ apiKeyId: 'key_1:s3cret' });
	expect(problem).toEqual({
		message: 'The API Key ID in the Delivery Service credential must not contain a colon (:)',
		description: expect.stringContaining('enter the API Key ID alone'),
	});
	expect(JSON.stringify(problem)).not.toContain('s3cret');
});

test.each([
	[{ companyId: 7 }, 7],
	[{ companyId: '7' }, 7],
	[{}, 42],
	[{ companyId: '' }, undefined],
	[{ companyId: 0 }, undefined],
	[{ companyId: 'shop' }, undefined],
])('selects the company of the options %j with 42 in the credential: %p', (options, companyId) => {
	const result = selectedCompany({ companyId: 42 }, options);
	expect(result.ok ? result.value : undefined).toBe(companyId);
});

test.each([
	['http://api.example', true],
	['http://8.8.8.8:8080', true],
	['http://172.32.0.1', true],
	['http://10.example.com', true],
	['https://api.example', false],
	['http://localhost:4000', false],
	['http://127.0.0.1', false],
	['http://[::1]', false],
	['http://[fd00::1]', false],
	['http://10.0.0.7', false],
	['http://172.16.0.1', false],
	['http://172.20.1.1', false],
	['http://192.168.1.5', false],
	['http://delivery-service:4000', false],
	['http://service.local', false],
])('whether key and secret travel unencrypted to %s: %p', (baseUrl, expected) => {
	expect(travelsUnencrypted({ baseUrl })).toBe(expected);
});

test('only this machine reaches localhost, 127.x.x.x and the addresses that stand for itself', () => {
	for (const host of [
		'localhost',
		'n8n.shop.localhost',
		'127.10.20.30',
		'0.0.0.0',
		'[::1]',
		'[::]',
	])
		expect([host, isLoopback(`http://${host}:5678/a`)]).toEqual([host, true]);
	for (const host of ['localhost.example', 'no-localhost', '128.0.0.1', '127.example', '[fd00::1]'])
		expect([host, isLoopback(`http://${host}:5678/a`)]).toEqual([host, false]);
});
