import { createHash } from 'crypto';

import type { Subscription } from '../../service/requests';

/*
 * While a webhook is deleted and created again, a placeholder webhook at the service remembers it: if
 * n8n is killed in between, the next run finds it there. n8n has no such memory, since it saves what
 * nodes store only when an execution ends.
 *
 * The URL is on the same host and leads nowhere, so the placeholder starts no workflow. It contains
 * path and query as they are, which is short and is spelled as the service spells URLs.
 */

const placeholderPath = '/n8n/reactivating/';
const placeholderPattern = new RegExp(
	`^(https?://[^/?#]+)${placeholderPath}([0-9a-f]{8})(.*)$`,
	'i',
);
const urlPattern = /^(https?:\/\/[^/?#]+)(.*)$/i;

/** A service may reject or cut off a longer URL. */
const maxUrlLength = 255;

/**
 * The placeholder for a webhook: a URL that contains the webhook's, for the same event.
 *
 * @returns undefined when only the placeholder's URL would be too long
 */
export function placeholderFor(webhook: Subscription): Subscription | undefined {
	const [, , rest = ''] = urlPattern.exec(webhook.url) ?? [];
	const probe = probeFor(webhook);
	const url = probe.url + rest;
	if (url.length > maxUrlLength && webhook.url.length <= maxUrlLength) return undefined;
	return { ...probe, url };
}

/** The start of a webhook's placeholder: shows whether the service creates webhooks on its host. */
export function probeFor({ url, action }: Subscription): Subscription {
	const [, host = new URL(url).origin] = urlPattern.exec(url) ?? [];
	return { url: host + placeholderPath + digestOfUrl(url), action };
}

/** The webhook that a placeholder stands for; undefined for any other webhook, or one cut off. */
export function webhookBehind({ url, action }: Subscription): Subscription | undefined {
	for (const spelling of [url, decodeUrl(url), url.replaceAll('&amp;', '&')]) {
		const [, host = '', digest = '', rest = ''] = placeholderPattern.exec(spelling) ?? [];
		const target = host + rest;
		if (digest === digestOfUrl(target) && URL.canParse(target)) return { url: target, action };
	}
	return undefined;
}

/** Whether a webhook is a placeholder, also one that the service has cut off. */
export function isPlaceholder({ url }: Subscription): boolean {
	return placeholderPattern.test(url) || placeholderPattern.test(decodeUrl(url));
}

function digestOfUrl(url: string): string {
	return createHash('sha256').update(url).digest('hex').slice(0, 8);
}

/** The service may list URLs encoded. */
function decodeUrl(url: string): string {
	try {
		return decodeURIComponent(url);
	} catch {
		return url;
	}
}
