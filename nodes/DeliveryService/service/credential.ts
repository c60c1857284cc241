import { z } from 'zod/v4';

import type { Result } from '../common/result';
import { companyIdSchema } from './schemas';

/** Paths of the endpoints (API document, section 4), which the nodes append to the Base URL. */
const endpointPath = /\/(v1(\/deliveries(\/dropoff)?)?|hooks(\/companies(\/[^/]*)?)?)$/i;

/** What is wrong with a Base URL, as the end of a sentence; undefined when it is valid. */
function baseUrlProblem(url: string): string | undefined {
	if (!/^https?:\/\//i.test(url)) return 'must start with https:// or http://';
	if (!URL.canParse(url)) return 'is not a valid URL';
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
	apiKeyId: z.string().trim().min(1),
	apiSecret: z.string().min(1),
	companyId: companyIdSchema.optional().catch(undefined),
});

export type Credential = z.infer<typeof credentialSchema>;

/**
 * Reads the credential. The message of a problem does not contain the Base URL, which may contain
 * secrets.
 */
export function readCredential(data: unknown): Result<Credential> {
	const parsed = credentialSchema.safeParse(data);
	if (parsed.success) return { ok: true, value: parsed.data };
	const urlIssue = parsed.error.issues.find(({ code }) => code === 'custom');
	return {
		ok: false,
		problem: {
			message: urlIssue
				? `The Base URL in the Delivery Service credential ${urlIssue.message}`
				: 'The Delivery Service credential is incomplete',
			description: urlIssue
				? 'Open the credential and enter only the URL of the Delivery Service, e.g. https://api.delivery-service.example.'
				: 'Open the credential and fill in Base URL, API Key ID and API Secret.',
		},
	};
}

/** The given company; the credential's when none is given. */
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
				? 'The Delivery Service Company ID is not a positive whole number'
				: 'The Delivery Service Company ID is missing',
			description:
				'Enter the Company ID, a positive whole number, in the credential or in the options of the node.',
		},
	};
}
