import { readdir, readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import axios from 'axios';

import { freePort } from '../../../playground/n8n/checks';
import { samples } from '../../../playground/shopify/samples';
import { credentialType, type Installation } from './installation';
import { shopifyFields } from './sampleDelivery';
import { actionWorkflow, nodes, triggerWorkflow } from './workflows';

/*
 * What a service, a gateway or a proxy can do to n8n with its answers. The engine tests have more of them
 * (test/engine/attacks.test.ts); here are the worst ones, with the time in which n8n answers nobody.
 */

type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void;

const respond =
	(status: number, type: string, body: string): Answer =>
	(_, response) => {
		response.writeHead(status, { 'Content-Type': type }).end(body);
	};

const json = 'application/json';
const bytes = 2_000_000;
const levels = 10_000;
const ids = Array.from({ length: 100_000 }, (_, index) => index);

const answers: Record<string, Answer> = {
	'2 MB of letters': respond(422, 'text/plain', 'a'.repeat(bytes)),
	'a page with 2 MB of blanks': respond(404, 'text/html', `<title>${' '.repeat(bytes)}x`),
	'10,000 levels': respond(200, json, '['.repeat(levels) + ']'.repeat(levels)),
	'100,000 records': respond(
		200,
		json,
		JSON.stringify({ code: 'OK', payload: ids.map((index) => ({ index, id: `d${index}` })) }),
	),
	'100,000 webhooks': respond(
		200,
		json,
		JSON.stringify(ids.map((index) => ({ url: `https://a.example/${index}`, action: 3 }))),
	),
	'a body that never ends': (_, response) => {
		const write = () => {
			while (!response.destroyed && response.write('a'.repeat(100_000)));
		};
		response.writeHead(422, { 'Content-Type': json }).on('drain', write);
		write();
	},
};

/** Of these, publishing meets all kinds of reading: text, a list, and no end. n8n 2 tries it for 20 s each. */
const worstAnswers = ['2 MB of letters', '100,000 webhooks', 'a body that never ends'];

/** Far longer than n8n needs on a slow machine (2 s were seen), and shorter than what grows with the square. */
const maxSilenceMs = 15_000;

/** The longest time in which n8n answered nobody while a function ran. */
async function longestSilence(url: string, run: () => Promise<unknown>): Promise<number> {
	const answered: number[] = [Date.now()];
	const ended = new AbortController();
	const polling = (async () => {
		while (!ended.signal.aborted) {
			await axios.get(`${url}/healthz`, { proxy: false }).catch(() => undefined);
			answered.push(Date.now());
			await sleep(20);
		}
	})();
	await run();
	ended.abort();
	await polling;
	return Math.max(...answered.slice(1).map((at, index) => at - (answered[index] ?? at)));
}

const apiKeyId = 'key_4f2a';
const apiSecret = 'tV9qZr3xWm7Kc5Yd2Hs8';
const encoded = Buffer.from(`${apiKeyId}:${apiSecret}`).toString('base64');

const quote: Answer = ({ headers: { authorization = '' } }, response, body) => {
	const message = `${authorization} ${apiKeyId}:${apiSecret} ${encodeURIComponent(body)}`;
	response
		.writeHead(422, { 'Content-Type': json })
		.end(JSON.stringify({ code: apiSecret, message }));
};

export function testAttacks(installation: () => Installation): void {
	describe('answers that attack n8n', () => {
		let answer: Answer = quote;
		const server = createServer((request, response) => {
			const chunks: Buffer[] = [];
			request.on('data', (chunk: Buffer) => chunks.push(chunk));
			request.on('end', () => answer(request, response, Buffer.concat(chunks).toString()));
		});
		let data = { baseUrl: '', apiKeyId, apiSecret, companyId: 1001 };
		let credentials: Installation['credentials'];

		beforeAll(async () => {
			const port = await freePort();
			await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
			data = { ...data, baseUrl: `http://127.0.0.1:${port}` };
			const name = 'Hostile service';
			const id = await installation().client.createCredential(name, credentialType, data);
			credentials = { [credentialType]: { id, name } };
		});
		afterAll(() => {
			server.closeAllConnections();
			server.close();
		});

		/** What users start that reads an answer. */
		const readers = (): Record<string, () => Promise<unknown>> => {
			const { client } = installation();
			const run = async (items: object[], parameters: Record<string, unknown>) => {
				const file = actionWorkflow(installation(), { items, parameters, credentials });
				return await client.run(await client.createWorkflow(file), nodes.start);
			};
			const { id, name } = credentials[credentialType];
			return {
				'Create From Shopify Orders': async () =>
					await run([samples[0]!], { resource: 'delivery', ...shopifyFields }),
				'Get Many': async () => await run([{}], { resource: 'webhook', operation: 'getAll' }),
				'the connection test': async () =>
					await client.testCredential(id, name, credentialType, data),
				publishing: async () => {
					const parameters = { events: ['updateTask'] };
					const file = triggerWorkflow(installation(), parameters, credentials);
					const workflowId = await client.createWorkflow(file);
					const failure = await client.publish(workflowId).catch(String);
					await client.unpublish(workflowId).catch(() => undefined);
					return [failure, await client.workflow(workflowId)];
				},
			};
		};

		test('lets n8n answer others while it reads large and odd answers', async () => {
			const rows: Array<Record<string, unknown>> = [];
			for (const [name, read] of Object.entries(readers()))
				for (const [kind, body] of Object.entries(answers)) {
					if (name === 'publishing' && !worstAnswers.includes(kind)) continue;
					answer = body;
					const start = Date.now();
					const silence = await longestSilence(installation().n8n.url, read);
					rows.push({ name, kind, silence, total: Date.now() - start });
				}
			console.table(rows);
			for (const row of rows) expect(row.silence).toBeLessThan(maxSilenceMs);
		});

		test('stores and shows no secret that a server quotes', async () => {
			const { userFolder } = installation();
			answer = quote;
			const seen: unknown[] = [];
			for (const read of Object.values(readers())) seen.push(await read());
			for (const one of seen) expect(JSON.stringify(one)).toContain('***');
			const folder = join(userFolder, '.n8n');
			const databases = (await readdir(folder)).filter((name) =>
				name.startsWith('database.sqlite'),
			);
			const texts = await Promise.all(
				['n8n.log', ...databases.map((name) => join('.n8n', name))].map(
					async (path) => await readFile(join(userFolder, path), 'latin1'),
				),
			);
			const found = [JSON.stringify(seen), ...texts].map((text) =>
				[apiSecret.slice(0, 10), encoded.slice(16, 30)].filter((piece) => text.includes(piece)),
			);
			expect(found.flat()).toEqual([]);
		});
	});
}
