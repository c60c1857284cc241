/** What the tests of the example "Repair blacklisted webhooks" do to n8n and to the service. */
import axios from 'axios';

import type { Credentials } from '../../../playground/examples';
import type { Email } from '../../../playground/mailbox/mailbox';
import { waitFor } from '../../../playground/n8n/progress';
import { eventCodes } from './events';
import type { ShopEnvironment } from './shop';
import { changeNode } from './storedWorkflows';
import { triggerWorkflow } from './workflows';

/** The nodes of the example that the tests change. */
export const repairNodes = {
	schedule: 'Every 15 Minutes',
	list: 'Get Published Workflows',
	onceADay: 'Once a Day',
	reactivate: 'Reactivate Webhooks',
} as const;

/** Stores the example with the credential of {@link publishTrigger}. */
export async function storeRepair(env: ShopEnvironment, others: Credentials = {}): Promise<string> {
	return await env.store('repair', {}, { ...env.installation.credentials, ...others });
}

/** Publishes a workflow with a trigger for updates. */
export async function publishTrigger(
	{ installation }: ShopEnvironment,
	name: string,
	options: object = {},
): Promise<string> {
	const { client } = installation;
	const file = triggerWorkflow(installation, { events: ['updateTask'], options });
	const id = await client.createWorkflow({ ...file, name });
	await client.publish(id);
	return id;
}

/** Gives subscriptions another URL at the service, or removes those without one. */
export async function replaceWebhooks(
	{ installation: { service } }: ShopEnvironment,
	newUrl: (url: string) => string | undefined,
): Promise<void> {
	const { baseUrl, apiKeyId: username, apiSecret: password } = service.credential;
	const request = { auth: { username, password }, proxy: false } as const;
	for (const { companyId, url, action } of service.control.webhooks()) {
		const path = `${baseUrl}/hooks/companies/${companyId}`;
		const form = (value: string) => new URLSearchParams({ url: value, action: String(action) });
		const changed = newUrl(url);
		await axios.delete(path, { ...request, data: form(url) });
		if (changed !== undefined) await axios.post(path, form(changed), request);
	}
}

/** Blacklists the webhooks of a workflow. */
export function blacklist({ installation }: ShopEnvironment, workflowId: string): void {
	const { control } = installation.service;
	for (const { url } of control.webhooks().filter((one) => one.url.includes(workflowId)))
		control.blacklist(url, eventCodes.updateTask);
}

/** A day on which something happens to webhooks. */
interface Day {
	cause: string;
	happen: () => Promise<void> | void;
	/** What the owner does after an email. */
	solve?: () => Promise<void>;
	/** The company whose event is sent. */
	companyId?: number;
}

/** What a day brought. */
interface DayReport {
	cause: string;
	/** The subjects of the emails. */
	emails: string[];
	/** The events that started no workflow, of one after the cause, one after the check, and one at the end. */
	lost: number;
}

/**
 * Lives through days: on each, the cause happens, and the repair runs twice. Since n8n's clock goes on, the
 * number of the day replaces the date by which the example sends an email only once.
 */
export async function liveThrough(
	env: ShopEnvironment,
	repair: string,
	days: readonly Day[],
): Promise<{ reports: DayReport[]; emails: Email[] }> {
	const { client, service } = env.installation;
	const before = env.emails('').length;
	const eventsLost = async (companyId?: number) => {
		const payload = { id: 'D-1', status: 'assigned', company_id: '1001', city_id: '7' };
		const { updateTask } = eventCodes;
		const postings = await service.control.fireEvent(updateTask, payload, { companyId });
		return postings.some(({ status }) => status === 200) ? 0 : 1;
	};
	const reports: DayReport[] = [];
	for (const { cause, happen, solve, companyId } of days) {
		await changeNode(env, repair, repairNodes.onceADay, ({ parameters }) => ({
			parameters: {
				...parameters,
				dedupeValue: String(parameters.dedupeValue).replace(
					/\$today.toISODate\(\)|'day \d+'/,
					`'day ${reports.length + 1}'`,
				),
			},
		}));
		const known = env.emails('').length;
		await happen();
		let lost = await eventsLost(companyId);
		for (let times = 0; times < 2; times += 1) await client.run(repair, repairNodes.schedule);
		lost += await eventsLost(companyId);
		await solve?.();
		lost += await eventsLost(companyId);
		const emails = env.emails('').slice(known);
		reports.push({ cause, emails: emails.map(({ subject }) => subject), lost });
	}
	return { reports, emails: env.emails('').slice(before) };
}

/** Archives a workflow while the service can't delete its webhooks. */
export async function archiveWithLeftovers(env: ShopEnvironment, id: string): Promise<void> {
	const { client, service } = env.installation;
	const { control } = service;
	const path = '/hooks/';
	control.addFault({ kind: 'status', status: 500, method: 'DELETE', path });
	await client.archive(id);
	await waitFor('the failed deletion', () =>
		control.requests().some(({ method, status }) => method === 'DELETE' && status === 500),
	);
}
