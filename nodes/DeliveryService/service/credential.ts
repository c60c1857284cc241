import { z } from 'zod/v4';

import type { Result } from '../common/result';
import { companyIdSchema } from './schemas';

/** Paths that the service document names (section 4): what the nodes add to the Base URL themselves. */
const endpointPath = /\/(v1(\/deliveries(\/dropoff)?)?|hooks(\/companies(\/[^/]*)?)?)$/i;

/** What is wrong with a Base URL, as the end of a sentence; undefined when nothing is. */
function baseUrlProblem(url: string): string | undefined {
	if (!/^https?:\/\//i.test(url)) return 'does not start with https:// or http://';
	if (!URL.canParse(url)) return 'is not a web address';
	if (url.includes('?')) return 'has a query: a question mark and what follows it';
	if (url.includes('#')) return 'has a fragment: a number sign (#) and what follows it';
	const [path] = endpointPath.exec(new URL(url).pathname) ?? [];
	return path && `ends with ${path}, the path of an endpoint, which the nodes add themselves`;
}

/** The data of the credential. */
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
	apiKeyId: z.string().trim().min(1),
	apiSecret: z.string().min(1),
	companyId: companyIdSchema.optional().catch(undefined),
});

export type Credential = z.infer<typeof credentialSchema>;

/**
 * The credential, or what is wrong with it. The Base URL is not in the message: it may hold what
 * is secret.
 */
export function readCredential(data: unknown): Result<Credential> {
	const parsed = credentialSchema.safeParse(data);
	if (parsed.success) return { ok: true, value: parsed.data };
	const wrong = parsed.error.issues.find(({ code }) => code === 'custom');
	return {
		ok: false,
		problem: {
			message: wrong
				? `The Base URL in the Delivery Service credential ${wrong.message}`
				: 'The Delivery Service credential is not complete',
			description: wrong
				? 'Open the credential and enter the address of the Delivery Service alone, such as https://api.delivery-service.example.'
				: 'Open the credential and fill in Base URL (it starts with https:// or http://), API Key ID and API Secret.',
		},
	};
}

/** The company to work for: the given one, or the credential's when none is given. */
export function resolveCompanyId(
	{ companyId }: Pick<Credential, 'companyId'>,
	given: unknown,
): Result<number> {
	const isGiven = given !== undefined && given !== null && given !== '';
	const company = isGiven ? companyIdSchema.safeParse(given).data : companyId;
	if (company !== undefined) return { ok: true, value: company };
	return {
		ok: false,
		problem: {
			message: isGiven
				? 'The Company ID for the Delivery Service is not a whole number of 1 or more'
				: 'The Company ID for the Delivery Service is missing',
			description:
				'Enter the Company ID, a whole number of 1 or more, in the credential or in the options of the node.',
		},
	};
}
