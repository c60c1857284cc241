import type { CreatePlan } from './parts/create';
import type { LimitPlan } from './parts/limit';
import type { MemoryPlan } from './parts/memory';
import type { TriggerPlan } from './parts/trigger';

/** All that is measured, with the sizes. */
export interface Plan {
	/** How many rounds there are where a goal is judged. */
	rounds: number;
	/** The number of deliveries at which the goals are judged. */
	most: number;
	create: readonly CreatePlan[];
	limit: LimitPlan;
	mapping: { counts: readonly number[]; rounds: number };
	trigger: { SQLite: TriggerPlan; PostgreSQL: TriggerPlan };
	memory: MemoryPlan;
	weight: number;
}

const rounds = 5;

/** As the goals are judged. Where none is judged, there are fewer rounds. */
export const fullPlan: Plan = {
	rounds,
	most: 10_000,
	create: [
		{ count: 100, latencyMs: 20, rounds, contenders: ['idle', 'ownJson', 'single', 'expert'] },
		{ count: 100, latencyMs: 20, rounds, contenders: ['idle', 'ownShopify'], shopify: true },
		{ count: 1000, latencyMs: 20, rounds, contenders: ['idle', 'ownJson', 'single', 'expert'] },
		{ count: 1000, latencyMs: 20, rounds, contenders: ['idle', 'ownShopify'], shopify: true },
		{ count: 1000, latencyMs: 20, rounds: 1, contenders: ['batching'] },
		{ count: 1000, latencyMs: 1000, rounds: 3, contenders: ['ownJson', 'single', 'expert'] },
		{ count: 10_000, latencyMs: 20, rounds, contenders: ['idle', 'ownJson', 'single', 'expert'] },
		{ count: 10_000, latencyMs: 20, rounds, contenders: ['idle', 'ownShopify'], shopify: true },
		{ count: 10_000, latencyMs: 1000, rounds: 1, contenders: ['ownJson', 'single', 'expert'] },
		{ count: 10_000, latencyMs: 1000, rounds: 1, contenders: ['ownShopify'], shopify: true },
	],
	limit: {
		latenciesMs: [20, 2000],
		rounds,
		requests: 150,
		single: 1000,
		expert: 20_000,
		batching: true,
		realLatencyMs: 2000,
	},
	mapping: { counts: [1000, 10_000, 100_000], rounds },
	trigger: {
		SQLite: { connections: [1, 10, 50], rounds, seconds: 2 },
		PostgreSQL: { connections: [1, 10, 50], rounds, seconds: 2 },
	},
	memory: { count: 10_000, remembered: 50_000, rounds, workerRounds: 2 },
	weight: 9,
};

/** The same code in under three minutes. */
export const quickPlan: Plan = {
	rounds: 1,
	most: 500,
	create: [
		{
			count: 500,
			latencyMs: 20,
			rounds: 1,
			contenders: ['idle', 'ownJson', 'single', 'expert'],
		},
		{ count: 500, latencyMs: 20, rounds: 1, contenders: ['idle', 'ownShopify'], shopify: true },
	],
	limit: {
		latenciesMs: [20, 2000],
		rounds: 1,
		requests: 120,
		single: 150,
		expert: 10_500,
		batching: false,
	},
	mapping: { counts: [1000, 10_000], rounds: 1 },
	trigger: {
		SQLite: { connections: [1, 10], rounds: 1, seconds: 1 },
		PostgreSQL: { connections: [10], rounds: 1, seconds: 1 },
	},
	memory: { count: 500, remembered: 1000, rounds: 1, workerRounds: 0 },
	weight: 3,
};
