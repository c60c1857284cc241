/*
 * API variants: interpretations of what the API document leaves open ("not shown",
 * contradictory or not mentioned). The local service simulates one at a time
 * (`npm run service -- --variant <name>`, or its control API), or else does what openapi.yaml says.
 */
import { z } from 'zod';

import { createVariants } from './create';
import { eventVariants } from './events';
import { updateVariants } from './update';
import type { ServiceVariant } from './variant';
import { emptyResponse, messageResponse, onEveryEndpoint } from './variant';
import { webhookVariants } from './webhooks';

/** Variants of every endpoint (sections 5 and 7). */
const generalVariants: Readonly<Record<string, ServiceVariant>> = {
	'all-401': {
		description: 'Responds 401 to every request.',
		...onEveryEndpoint(messageResponse(401, 'UNAUTHORIZED', 'The key was revoked')),
	},
	'all-403': {
		description: 'Responds 403 to every request.',
		...onEveryEndpoint(messageResponse(403, 'FORBIDDEN', 'The account is suspended')),
	},
	'all-404': {
		description: 'Responds 404 to every request.',
		...onEveryEndpoint(messageResponse(404, 'NOT_FOUND', 'The company is not known')),
	},
	'all-404-page': {
		description: 'Responds 404 with an HTML page to every request, as with a wrong Base URL.',
		...onEveryEndpoint({
			status: 404,
			body: '<!doctype html><title>Not Found</title>',
			headers: { 'Content-Type': 'text/html; charset=utf-8' },
		}),
	},
	'all-308': {
		description: 'Redirects every request to another URL with 308.',
		...onEveryEndpoint(emptyResponse(308, { Location: 'https://new.delivery-service.example/' })),
	},
	'all-500': {
		description: 'Responds 500 to every request.',
		...onEveryEndpoint(messageResponse(500, 'INTERNAL', 'The database is locked')),
	},
	'all-503': {
		description: 'Responds 503 with a Retry-After of 3,000 seconds to every request.',
		...onEveryEndpoint({
			...messageResponse(503, 'MAINTENANCE', 'Back in an hour'),
			headers: { 'Retry-After': '3000' },
		}),
	},
	'all-html': {
		description: 'Responds 200 with an HTML page to every request, as behind a login page.',
		...onEveryEndpoint({
			status: 200,
			body: '<!doctype html><title>Log in</title>',
			headers: { 'Content-Type': 'text/html; charset=utf-8' },
		}),
	},
};

/** Every API variant by its name. */
export const variants: Readonly<Record<string, ServiceVariant>> = {
	...createVariants,
	...updateVariants,
	...webhookVariants,
	...eventVariants,
	...generalVariants,
};

/** The name of an API variant, or null for what openapi.yaml says. */
export const variantNameSchema = z
	.string()
	.refine(
		(name) => Object.hasOwn(variants, name),
		(name) => ({
			message: `Unknown API variant "${name}". Known variants: ${Object.keys(variants).join(', ')}`,
		}),
	)
	.nullable();

/** The variant that the service simulates, with the requests that it has received meanwhile. */
export interface ActiveVariant extends Partial<ServiceVariant> {
	/** Whether the same request was received before. Calling it marks the request as received. */
	readonly isRepeated: (request: unknown) => boolean;
}

/** Starts a variant, or with null what openapi.yaml says. */
export function activateVariant(name: string | null): ActiveVariant {
	const received = new Set<string>();
	return {
		...(name === null ? {} : variants[name]),
		isRepeated: (request) => {
			const key = JSON.stringify(request);
			const isRepeated = received.has(key);
			received.add(key);
			return isRepeated;
		},
	};
}
