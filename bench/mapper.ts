/** A process of its own that maps orders, so that no run profits from another: see parts/mapping.ts. */
import { mapOrders } from './parts/mapping';

mapOrders(Number(process.argv[2])).then(
	(run) => process.send?.(run, () => process.disconnect()),
	(error: unknown) => {
		console.error(error);
		process.exitCode = 1;
	},
);
