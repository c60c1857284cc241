import type { IExecuteFunctions, IHttpRequestMethods } from 'n8n-workflow';
import { z } from 'zod/v4';

import { toResponse, type ServiceResponse } from '../../service/client';
import type { Subscription } from '../../service/requests';

/** n8n's type lacks this method, which n8n's HTTP helper sends like any other. */
const optionsMethod = z
	.custom<IHttpRequestMethods>((method) => method === 'OPTIONS')
	.parse('OPTIONS');

/** n8n responds at once; a longer wait would delay every run where n8n can't reach its own URL. */
const ownUrlTimeoutMs = 5_000;

/**
 * The webhooks whose URLs n8n itself reports as unused: no published workflow receives their events.
 * If n8n can't reach its own URL, or another program responds, the webhook counts as used.
 *
 * Asks with OPTIONS, which starts no workflow, and without the query, which may contain a signature.
 */
export async function findUnserved<Webhook extends Subscription>(
	context: IExecuteFunctions,
	webhooks: readonly Webhook[],
): Promise<Webhook[]> {
	const pages = new Map<string, Promise<boolean>>();
	const isUnserved = async ({ url }: Subscription) => {
		const { origin, pathname } = new URL(url);
		const page = origin + pathname;
		const response = pages.get(page) ?? askN8n(context, origin, page);
		pages.set(page, response);
		return await response;
	};
	const results = await Promise.all(webhooks.map(isUnserved));
	return webhooks.filter((_, index) => results[index]);
}

async function askN8n(context: IExecuteFunctions, origin: string, page: string): Promise<boolean> {
	try {
		const response: unknown = await context.helpers.httpRequest({
			method: optionsMethod,
			url: page,
			// Without it, n8n does not list the methods.
			headers: { Origin: origin },
			timeout: ownUrlTimeoutMs,
			encoding: 'text',
			returnFullResponse: true,
			ignoreHttpStatusErrors: true,
			disableFollowRedirect: true,
		});
		return isUnusedUrl(toResponse(response));
	} catch {
		return false;
	}
}

const notRegisteredSchema = z.object({
	message: z.string().regex(/^The requested webhook .* is not registered/),
});

/**
 * How n8n responds to OPTIONS for an unused URL: with the methods of the webhook after OPTIONS, which
 * do not include POST; for a test URL, with 404 and its own message.
 */
function isUnusedUrl({ status, headers, body }: ServiceResponse): boolean {
	if (status === 404) return notRegisteredSchema.safeParse(body).success;
	const [first, ...methods] = (headers['access-control-allow-methods'] ?? '').split(', ');
	return status === 204 && first === 'OPTIONS' && !methods.includes('POST');
}
