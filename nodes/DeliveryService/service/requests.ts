import type { ServiceRequest } from './client';
import type { CreationBody, UpdateBody } from './schemas';

/** A URL subscribed to an event of a company (API document, section 2.7). */
export interface Subscription {
	url: string;
	/** The event's code. */
	action: number;
}

/** Creates deliveries (section 4.1). */
export function creationRequest(body: CreationBody): ServiceRequest {
	return { method: 'POST', path: '/v1/deliveries', json: body };
}

/** Updates deliveries (section 4.2). */
export function updateRequest(body: UpdateBody): ServiceRequest {
	return { method: 'PATCH', path: '/v1/deliveries/dropoff', json: body };
}

/** Subscribes a URL to an event (section 4.3). */
export function subscribeRequest(companyId: number, { url, action }: Subscription): ServiceRequest {
	return { method: 'POST', path: hooksPath(companyId), form: { url, action: String(action) } };
}

/** Lists a company's subscriptions (section 4.4). */
export function listWebhooksRequest(companyId: number): ServiceRequest {
	return { method: 'GET', path: hooksPath(companyId) };
}

/** Unsubscribes a URL from an event (section 4.5). */
export function unsubscribeRequest(
	companyId: number,
	{ url, action }: Subscription,
): ServiceRequest {
	return { method: 'DELETE', path: hooksPath(companyId), form: { url, action: String(action) } };
}

function hooksPath(companyId: number): string {
	return `/hooks/companies/${companyId}`;
}
