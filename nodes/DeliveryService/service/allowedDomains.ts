import { z } from 'zod/v4';

/** Settings that n8n adds to the credential. */
const settingsSchema = z.object({
	allowedHttpRequestDomains: z.unknown().optional(),
	allowedDomains: z.string().catch(''),
});

/**
 * Why the credential's setting Allowed HTTP Request Domains forbids a URL; undefined if it allows it.
 * n8n applies it to the HTTP Request and GraphQL nodes only, and its value None is about these alone.
 *
 * @param credentialData the credential as n8n provides it
 */
export function disallowedDomain(credentialData: unknown, url: string): string | undefined {
	const { allowedHttpRequestDomains, allowedDomains } = settingsSchema.parse(credentialData);
	if (allowedHttpRequestDomains !== 'domains') return undefined;
	const host = plainHost(new URL(url).hostname);
	if (allowedDomains.split(',').some((domain) => includesHost(plainHost(domain), host)))
		return undefined;
	return `${host} is not among the Allowed HTTP Request Domains of the credential`;
}

/** `*.example.com` stands for the subdomains of example.com, without itself. */
function includesHost(domain: string, host: string): boolean {
	return /^\*\../.test(domain) ? host.endsWith(domain.slice(1)) : host === domain;
}

function plainHost(host: string): string {
	return host.trim().toLowerCase().replace(/\.$/, '');
}
