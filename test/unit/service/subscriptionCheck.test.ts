import { listAfterSubscribing } from '../../../nodes/DeliveryService/service/subscriptionCheck';
import type { Subscription } from '../../../nodes/DeliveryService/service/requests';
import type { Webhook, WebhookList } from '../../../nodes/DeliveryService/service/webhooks';

const url = 'https://n8n.shop.example/webhook/a/webhook?event=updateTask&signature=0f';
const subscription: Subscription = { url, action: 3 };

const hook = (listedUrl: string, action = 3): Webhook => ({
	url: listedUrl,
	action,
	status: 'active',
	raw: {},
});

const others = (count: number) =>
	Array.from({ length: count }, (_, number) => hook(`https://shop.example/${number}`));

const listOf = (...webhooks: Webhook[]): WebhookList => ({ webhooks, unreadable: [] });

/** Checks the subscription against one list after another; an error is a list that can't be read. */
async function check(...lists: Array<WebhookList | Error>) {
	const waits: number[] = [];
	let requests = 0;
	const list = () => {
		const next = lists[Math.min(requests, lists.length - 1)] ?? listOf();
		requests += 1;
		return next instanceof Error ? Promise.reject(next) : Promise.resolve(next);
	};
	const wait = (ms: number) => Promise.resolve(void waits.push(ms));
	const result = await listAfterSubscribing({ list }, [subscription], { now: () => 0, wait });
	return { ...result, requests, waits };
}

test('a subscription in the first list is listed after one request', async () => {
	expect(await check(listOf(hook(url)))).toEqual({
		webhooks: [hook(url)],
		unlisted: [],
		requests: 1,
		waits: [],
	});
});

test('a subscription that no list shows is unlisted', async () => {
	const { unlisted, requests } = await check(listOf(hook('https://shop.example/hook')));
	expect({ unlisted, requests }).toEqual({ unlisted: [subscription], requests: 4 });
});

test.each([1, 2, 3])(
	'a subscription that appears in the list after %d others is listed',
	async (late) => {
		const early = Array.from({ length: late }, () => listOf());
		const { unlisted, requests } = await check(...early, listOf(hook(url)));
		expect({ unlisted, requests }).toEqual({ unlisted: [], requests: late + 1 });
	},
);

test.each([
	['the same URL with reordered parameters', url.replace(/\?(.*)&(.*)/, '?$2&$1')],
	['the URL without its query', 'https://n8n.shop.example/webhook/a/webhook'],
	['the URL with a slash at its end', 'https://n8n.shop.example/webhook/a/webhook/'],
	['the URL in capitals', url.toUpperCase()],
	['the URL escaped for HTML', url.replaceAll('&', '&amp;')],
	['the encoded URL', encodeURIComponent(url)],
	['the URL encoded twice', encodeURIComponent(encodeURIComponent(url))],
	[
		'the URL with an encoded path',
		url.replace('a/webhook?', `${encodeURIComponent('a/webhook')}?`),
	],
	[
		'the URL with an encoded query',
		url.replace(/\?(.*)/, (_, query: string) => `?${encodeURIComponent(query)}`),
	],
	['the URL with its default port', url.replace('.example/', '.example:443/')],
	['the URL with another protocol', url.replace('https:', 'http:')],
])('a listed webhook with %s is the subscription', async (_what, listedUrl) => {
	expect((await check(listOf(hook(listedUrl)))).unlisted).toEqual([]);
});

test.each([
	['another event', hook(url, 1)],
	['another signature', hook(url.replace('0f', '0e'))],
	['another path', hook(url.replace('/a/', '/b/'))],
	['a longer path', hook(url.replace('/a/webhook', '/a/webhook/c'))],
	['another host', hook(url.replace('n8n.', 'n9n.'))],
])('a listed webhook with %s is not the subscription', async (_what, webhook) => {
	expect((await check(listOf(webhook))).unlisted).toEqual([subscription]);
});

test('an unreadable entry that contains the URL is the subscription', async () => {
	const entry = { target: 'https://n8n.shop.example/webhook/a/webhook', events: ['task'] };
	expect((await check({ webhooks: [], unreadable: [entry] })).unlisted).toEqual([]);
	const foreign = { target: 'https://shop.example/hook' };
	expect((await check({ webhooks: [], unreadable: [foreign] })).unlisted).toHaveLength(1);
});

test.each<[string, WebhookList | Error]>([
	['can not be read', new Error('Status 503')],
	['is a 404', { webhooks: [], unreadable: [], notFoundDetail: 'No webhooks' }],
	['contains no list', { webhooks: [], unreadable: [], isInferred: true }],
	['may be the first of several pages', listOf(...others(10))],
	['may be a long page', listOf(...others(25))],
])('the confirmation suffices if the list %s', async (_what, list) => {
	expect((await check(list)).unlisted).toEqual([]);
});

test.each([9, 11])('a list of %d webhooks is complete', async (count) => {
	expect((await check(listOf(...others(count)))).unlisted).toEqual([subscription]);
});

test('the confirmation suffices if the list can not be read again', async () => {
	const { unlisted, webhooks } = await check(listOf(...others(1)), new Error('Status 429'));
	expect({ unlisted, webhooks }).toEqual({ unlisted: [], webhooks: [] });
});
