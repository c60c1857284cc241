import { rm } from 'node:fs/promises';
import { join } from 'node:path';

import { owner, readRows, runDemo, type DemoServers } from './demo';
import { checkExpectations } from './expectations';
import { N8nClient } from '../n8n/client';
import { requireFreePort } from '../n8n/checks';
import { lastLines } from '../n8n/childProcess';
import { SetupError } from '../n8n/errors';
import { cacheFolder } from '../n8n/folders';
import { interruption } from '../n8n/interruption';
import { findHost, startN8n, waitForN8n, type N8n } from '../n8n/n8n';
import { buildAndPack, installPackage } from '../n8n/package';
import { describeResult, describeExpectations } from './report';
import { readSaved, restore, saver } from './saved';
import { startMailbox, type Email } from '../mailbox/mailbox';
import { startService } from '../service/server';
import { startShopify, type Shopify } from '../shopify/server';
import type { Notification } from '../shopify/shop';

/** How often the pages show what n8n has done. */
const refreshMs = 2_000;

const interruptedExitCode = 130;

/** The command-line options, see start.mjs. */
interface Options {
	once: boolean;
	/** Whether to forget the last demo. */
	startsOver: boolean;
	port: number;
	/** The URL of an n8n that is started elsewhere. */
	n8n?: string;
	servicePort: number;
	shopifyPort: number;
	mailboxPort: number;
	smtpPort: number;
}

/** Functions that stop the running programs, in the order in which these were started. */
type Closers = Array<() => Promise<void>>;

interface Running extends DemoServers {
	/** The n8n that was started here. */
	n8n?: N8n;
	/** Whether all expectations are met. */
	passed: boolean;
}

/**
 * Starts n8n with this package and the stand-ins, and does the demo run, or goes on with the demo that
 * was stopped last. Then, without `--once`, waits for Ctrl-C. Stops everything in any case.
 *
 * @param options the command-line options
 * @returns the exit code, 0 if all expectations are met
 * @throws errors that the user cannot fix
 */
export async function start(options: Options): Promise<number> {
	const closers: Closers = [];
	const interrupted = interruption();
	try {
		const running = await Promise.race([setUpAndRun(options, closers), interrupted]);
		if (running === undefined) return interruptedExitCode;
		const exitCode = running.passed ? 0 : 1;
		if (options.once) return exitCode;
		console.log(`\n${instructions(running)}`);
		const { n8n } = running;
		const n8nExit = await (n8n ? Promise.race([n8n.child.ended, interrupted]) : interrupted);
		if (n8n === undefined || n8nExit === undefined) return exitCode;
		throw new SetupError(
			`n8n exited (${n8nExit}). Its log ends with:\n${await lastLines(n8n.child.logFile)}`,
		);
	} catch (error) {
		if (!(error instanceof SetupError)) throw error;
		console.error(`\n${error.message}`);
		return 1;
	} finally {
		for (const close of closers.reverse()) await close();
	}
}

async function setUpAndRun(options: Options, closers: Closers): Promise<Running> {
	const ports = [
		...(options.n8n === undefined ? [['port', options.port] as const] : []),
		['service-port', options.servicePort],
		['shopify-port', options.shopifyPort],
		['mailbox-port', options.mailboxPort],
		['smtp-port', options.smtpPort],
	] as const;
	for (const [option, port] of ports) {
		await requireFreePort(port, `Choose another port: npm start -- --${option} <number>`);
	}
	const n8nUrl = options.n8n ?? `http://127.0.0.1:${options.port}`;
	const [n8nLink, serviceLink, shopLink, mailLink] = [
		{ name: 'n8n', url: workflowsPage(n8nUrl) },
		{ name: 'Delivery Service', url: `http://127.0.0.1:${options.servicePort}` },
		{ name: 'Shop', url: `http://127.0.0.1:${options.shopifyPort}` },
		{ name: 'Mailbox', url: `http://127.0.0.1:${options.mailboxPort}` },
	];
	const service = await startService({
		port: options.servicePort,
		links: [shopLink, mailLink, n8nLink],
	});
	closers.push(async () => await service.close());
	const shopify = await startShopify({
		port: options.shopifyPort,
		service,
		links: [serviceLink, mailLink, n8nLink],
	});
	closers.push(async () => await shopify.close());
	const mailbox = await startMailbox({
		port: options.mailboxPort,
		smtpPort: options.smtpPort,
		links: [shopLink, serviceLink, n8nLink],
		shopEmails: () => shopify.shop.notifications().map(customerEmail),
	});
	closers.push(async () => await mailbox.close());
	const servers = { n8nUrl, service, shopify, mailbox };
	if (options.n8n !== undefined) {
		await waitForOtherN8n(n8nUrl, shopify);
		const { client, passed } = await runAndCheck(servers);
		closers.push(refreshing(client, servers));
		return { ...servers, passed };
	}

	// n8n's credentials name the ports, so other ports are another demo.
	const folder = join(cacheFolder, 'demo', ports.map(([, port]) => port).join('-'));
	const saved = options.startsOver ? undefined : await readSaved(folder);
	if (saved) restore(servers, saved);
	else await rm(folder, { recursive: true, force: true });
	const n8n = await startOwnN8n(options.port, folder, shopify);
	closers.push(async () => await n8n.stop());
	const { client, passed } = saved
		? { client: await N8nClient.signIn(n8nUrl, owner, saved.apiKey), passed: true }
		: await runAndCheck(servers);
	const save = saver(servers, folder, client.apiCredential.apiKey);
	await save();
	// After n8n has stopped, nothing changes any more.
	closers.splice(closers.length - 1, 0, save);
	closers.push(refreshing(client, servers, save));
	if (saved) await goOn(servers);
	return { ...servers, n8n, passed };
}

/** Does the demo run, and shows the result. */
async function runAndCheck(servers: DemoServers) {
	const result = await runDemo(servers);
	const expectations = checkExpectations(result, servers);
	console.log(`\n${describeResult(result, servers)}\n\n${describeExpectations(expectations)}`);
	const passed = expectations.every(({ actual }) => actual === undefined);
	return { client: result.client, passed };
}

/** Goes on with the last demo: the shop repeats its calls that n8n missed, as Shopify does. */
async function goOn({ service, shopify, mailbox }: DemoServers): Promise<void> {
	const [orders, deliveries] = [shopify.shop.orders(), service.control.deliveries()];
	console.log(
		`\nEverything is as you left it: ${orders.length} orders, ${deliveries.length} deliveries, ${mailbox.emails().length} emails to the owner. To start over: npm start -- --new`,
	);
	await shopify.webhooks.resend();
}

/** Shows on the pages what n8n has done, and saves it. Returns a function that ends this. */
function refreshing(
	client: N8nClient,
	{ shopify, mailbox }: DemoServers,
	save = async () => await Promise.resolve(),
): () => Promise<void> {
	const timer = setInterval(() => {
		mailbox.refresh();
		void explainMissing(client, shopify);
		void save();
	}, refreshMs);
	return async () => await Promise.resolve(clearInterval(timer));
}

/** The email that Shopify sends to a customer when a part of an order is under way. */
function customerEmail({ to, at, orderName, trackingUrl }: Notification): Email {
	return {
		to: [to ?? ''],
		at,
		subject: `A shipment from order ${orderName} is on the way`,
		text: `Track your shipment: ${trackingUrl ?? ''}`,
	};
}

/** Shows on the shop's page why n8n created no delivery, as its table says. */
async function explainMissing(client: N8nClient, shopify: Shopify): Promise<void> {
	const rows = await readRows(client).catch(() => []);
	const missing = rows.filter(({ deliveryId, message }) => deliveryId === '' && message !== '');
	const reasonOf = (message: string) =>
		message.replace(/^(Order )?#\S+ (\(.*?\) )?/, '').split('. ')[0] ?? '';
	shopify.explain(new Map(missing.map((row) => [row.fulfillmentOrderId, reasonOf(row.message)])));
}

/** Starts n8n with this package in its current version. */
async function startOwnN8n(port: number, userFolder: string, { env }: Shopify): Promise<N8n> {
	const host = await findHost('newest');
	const tarball = await buildAndPack();
	await installPackage(tarball, userFolder);
	return await startN8n({ host, userFolder, port, env });
}

/** Shows which settings an n8n needs that is started elsewhere, and waits for it. */
async function waitForOtherN8n(url: string, { env }: Shopify): Promise<void> {
	const settings = { N8N_WEBHOOK_URL: url, N8N_UNVERIFIED_PACKAGES_ENABLED: 'true', ...env };
	console.log(
		[
			`Start a new n8n with this package at ${url}, on this machine, with these environment variables.`,
			'A container needs the network of this machine (--network host) and the file named last.',
			...Object.entries(settings).map(([name, value]) => `  ${name}=${value}`),
		].join('\n'),
	);
	await waitForN8n(url);
}

/** n8n 2 opens its assistant first. */
const workflowsPage = (n8nUrl: string) => `${n8nUrl}/home/workflows`;

function instructions({ n8n, n8nUrl, service, shopify, mailbox }: Running): string {
	return [
		`n8n editor        ${workflowsPage(n8nUrl)} (published: Fulfillment orders to deliveries, Delivery updates to Shopify; unpublish both before you publish another setup)`,
		`  sign in with    ${owner.email}`,
		`  password        ${owner.password}`,
		`Shop              ${shopify.url} (press New orders)`,
		`Delivery Service  ${service.url} (press Next: once picked up, the shop shows the tracking link)`,
		`Mailbox           ${mailbox.url} (emails to the owner and to customers)`,
		...(n8n ? [`n8n log           ${n8n.child.logFile}`] : []),
		'Press Ctrl-C to stop. The next start continues where you stopped.',
	].join('\n');
}
