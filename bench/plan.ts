import type { LimitPlan } from './parts/limit';
import type { TriggerPlan } from './parts/trigger';
import type { Database, Sizes } from './results';

/** What to measure. */
export interface Plan {
	/** The number of runs per figure. */
	rounds: number;
	sizes: Sizes;
	limit: LimitPlan;
	trigger: Readonly<Record<Database, TriggerPlan>>;
}

/** The sizes of the published figures. */
export const fullPlan: Plan = {
	rounds: 5,
	sizes: { deliveries: 10_000, remembered: 50_000, orders: 100_000 },
	limit: { requests: 150, inRealTime: true },
	trigger: {
		SQLite: { connections: [1, 10, 50], seconds: 2 },
		PostgreSQL: { connections: [1, 10, 50], seconds: 2 },
	},
};

/** The same code in less than three minutes. */
export const quickPlan: Plan = {
	rounds: 1,
	sizes: { deliveries: 500, remembered: 1000, orders: 10_000 },
	limit: { requests: 120, inRealTime: false },
	trigger: {
		SQLite: { connections: [1, 10], seconds: 1 },
		PostgreSQL: { connections: [10], seconds: 1 },
	},
};
