/** The values of the credential: their rules, and the company that they or an option name. */
import { z } from 'zod/v4';

import { failure, type Result } from '../common/result';
import { isBlank } from '../common/text';
import { companyIdSchema } from './schemas';

/** Paths of the endpoints (docs/api.md, section 4), which the nodes append to the Base URL. */
const endpointPath = /\/(v1(\/deliveries(\/dropoff)?)?|hooks(\/companies(\/[^/]*)?)?)$/i;

/** What is wrong with a Base URL, as the end of a sentence; undefined when it is valid. */
function baseUrlProblem(url: string): string | undefined {
	if (!/^https?:(\/\/|$)/i.test(url)) return 'must start with https://';
	if (!URL.canParse(url)) return 'is not a valid URL';
	const { username, password } = new URL(url);
	if (username !== '' || password !== '')
		return 'must not contain a user name or password: remove everything between // and the host';
	if (url.includes('?'))
		return 'must not contain a query: remove the question mark and everything after it';
	if (url.includes('#'))
		return 'must not contain a fragment: remove the number sign (#) and everything after it';
	const [path] = endpointPath.exec(new URL(url).pathname) ?? [];
	return path && `must not end with ${path}: the nodes add this path`;
}

/** The fields of the credential. */
export const credentialSchema = z.object({
	baseUrl: z
		.string()
		.trim()
		.min(1, { abort: true })
		.transform((url) => url.replace(/\/+$/, ''))
		.superRefine((url, context) => {
			const message = baseUrlProblem(url);
			if (message) context.addIssue({ code: 'custom', message });
		}),
	// Basic authentication (docs/api.md, section 5) ends the user name at the first colon.
	apiKeyId: z
		.string()
		.trim()
		.min(1)
		.refine((id) => !id.includes(':'), { message: 'must not contain a colon (:)' }),
	apiSecret: z.string().min(1),
	companyId: companyIdSchema.optional().catch(undefined),
});

export type Credential = z.infer<typeof credentialSchema>;

/**
 * Reads the credential. The message of a problem does not contain the Base URL or the key, which may
 * contain secrets.
 */
export function readCredential(data: unknown): Result<Credential> {
	const parsed = credentialSchema.safeParse(data);
	if (parsed.success) return { ok: true, value: parsed.data };
	const issue = parsed.error.issues.find(({ code }) => code === 'custom');
	if (!issue)
		return failure({
			message: 'The Delivery Service credential is incomplete',
			description: 'Open the credential and fill in Base URL, API Key ID and API Secret.',
		});
	const isKey = issue.path[0] === 'apiKeyId';
	return failure({
		message: `The ${isKey ? 'API Key ID' : 'Base URL'} in the Delivery Service credential ${issue.message}`,
		description: isKey
			? 'Open the credential and enter the API Key ID alone. The API Secret has its own field.'
			: 'Open the credential and enter only the URL of the Delivery Service, e.g. https://api.delivery-service.example.',
	});
}

/**
 * The company in a node's options; undefined when the option was not added. An empty one is a problem:
 * the company in the credential would otherwise take the place of a company that an expression missed.
 *
 * @param options the options that the user added
 * @param label the option's label in the editor
 */
export function readCompanyOption(
	options: Readonly<Record<string, unknown>>,
	label = 'Company ID',
): Result<unknown> {
	const { companyId } = options;
	if (!('companyId' in options) || !isBlank(companyId)) return { ok: true, value: companyId };
	return failure({
		message: `Delivery Service: the option ${label} is empty`,
		description:
			'Enter a company ID; if it is an expression, it returned nothing. Remove the option to use your own company.',
	});
}

/** The company in a node's options, or else in the credential (docs/api.md, section 4.3). */
export function selectedCompany(
	{ companyId }: Pick<Credential, 'companyId'>,
	options: Readonly<Record<string, unknown>>,
): Result<number> {
	const option = readCompanyOption(options);
	if (!option.ok) return option;
	const isOwn = option.value === undefined;
	const company = isOwn ? companyId : companyIdSchema.safeParse(option.value).data;
	if (company !== undefined) return { ok: true, value: company };
	return failure({
		message: `The Delivery Service Company ID is ${isOwn ? 'missing or ' : ''}not a positive whole number`,
		description: `Enter your company's ID in ${isOwn ? 'the credential' : 'the option Company ID'}, e.g. 1001.`,
	});
}

const loopbackHost = /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[::1?\])$/;

/** Whether a URL can be reached on the same machine only. */
export function isLoopback(url: string): boolean {
	return loopbackHost.test(new URL(url).hostname);
}

/** Addresses of private networks, names without a dot, as in Docker, and names that no public host has. */
const privateHost =
	/^((10|192\.168|169\.254|172\.(1[6-9]|2\d|3[01]))\.[\d.]+|\[(f[cd]|fe80).*\]|[^.:]+|.+\.(local|internal|lan|home\.arpa))$/;

/** Whether key and secret cross a network that others share, without encryption. */
export function travelsUnencrypted({ baseUrl }: Pick<Credential, 'baseUrl'>): boolean {
	const { protocol, hostname } = new URL(baseUrl);
	return protocol === 'http:' && !isLoopback(baseUrl) && !privateHost.test(hostname);
}
