/**
 * Watches an n8n from its own process: the response time of its health check, and its memory with that
 * of its child processes. In the process of the benchmark, the local service would delay it. Started
 * by watch.ts.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

import { watchedSchema, type Sample, type Watched } from './watch';

const pollEveryMs = 20;
const memoryEveryMs = 20;
const familyEveryMs = 1000;
const agent = new Agent({ keepAlive: true });

async function main({ url, pid }: Watched): Promise<void> {
	const responses: Sample[] = [];
	const memory: Sample[] = [];
	process.on('message', () =>
		process.send?.({ responses: responses.splice(0), memory: memory.splice(0) }),
	);
	process.on('disconnect', () => process.exit());
	await Promise.all([pollHealth(url, responses), readMemory(pid, memory)]);
}

async function pollHealth(url: string, responses: Sample[]): Promise<void> {
	for (;;) {
		const at = Date.now();
		const from = performance.now();
		await responseOf(`${url}/healthz`);
		responses.push([at, performance.now() - from]);
		await sleep(pollEveryMs);
	}
}

async function responseOf(url: string): Promise<void> {
	await new Promise<void>((resolve) => {
		const request = get(url, { agent }, (response) => {
			response.resume().once('close', resolve);
		});
		request.once('error', () => resolve());
	});
}

async function readMemory(pid: number, memory: Sample[]): Promise<void> {
	let family = [pid];
	let readAt = 0;
	for (;;) {
		const at = Date.now();
		if (at - readAt > familyEveryMs) {
			family = withDescendants(pid);
			readAt = at;
		}
		memory.push([at, family.reduce((sum, one) => sum + residentKilobytes(one), 0)]);
		await sleep(memoryEveryMs);
	}
}

function withDescendants(pid: number): number[] {
	const parents = readdirSync('/proc')
		.filter((name) => /^\d+$/.test(name))
		.map((name) => [Number(name), parentOf(name)] as const);
	const family = [pid];
	for (const one of family) {
		family.push(...parents.filter(([, parent]) => parent === one).map(([child]) => child));
	}
	return family;
}

function parentOf(pid: string): number | undefined {
	const [, parent] = /^PPid:\s+(\d+)/m.exec(statusOf(pid)) ?? [];
	return parent === undefined ? undefined : Number(parent);
}

function residentKilobytes(pid: number): number {
	const [, kilobytes = 0] = /^VmRSS:\s+(\d+) kB/m.exec(statusOf(pid)) ?? [];
	return Number(kilobytes);
}

function statusOf(pid: number | string): string {
	try {
		return readFileSync(`/proc/${pid}/status`, 'utf8');
	} catch {
		// The process has ended in the meantime.
		return '';
	}
}

void main(watchedSchema.parse(JSON.parse(process.argv[2] ?? '')));
