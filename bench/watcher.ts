/**
 * A process of its own that looks at an n8n from outside while it works: how long its health page
 * takes to answer, and how much memory it and what it has started hold. In the bench's own process
 * the local service would keep it waiting. Started by watch.ts.
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
	const answers: Sample[] = [];
	const memory: Sample[] = [];
	process.on('message', () =>
		process.send?.({ answers: answers.splice(0), memory: memory.splice(0) }),
	);
	process.on('disconnect', () => process.exit());
	await Promise.all([pollHealth(url, answers), readMemory(pid, memory)]);
}

async function pollHealth(url: string, answers: Sample[]): Promise<void> {
	for (;;) {
		const at = Date.now();
		const from = performance.now();
		await answerFrom(`${url}/healthz`);
		answers.push([at, performance.now() - from]);
		await sleep(pollEveryMs);
	}
}

async function answerFrom(url: string): Promise<void> {
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
		// It has ended meanwhile.
		return '';
	}
}

void main(watchedSchema.parse(JSON.parse(process.argv[2] ?? '')));
