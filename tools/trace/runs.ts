/** What the trace follows: one order, one publishing of the trigger, and one event, in n8n's engine. */
import { recordEntries, type Entry } from './recorder';
import { startService } from '../../playground/service/server';
import { fromOrders } from '../../test/support/actionNode';
import { closeEngine, openTrigger, runNode } from '../../test/support/engine/engine';
import { shopifyOrder } from '../../test/support/shopifyOrders';

/** The entries into the nodes of each run. */
export interface Runs {
	order: Entry[];
	publishing: Entry[];
	event: Entry[];
}

/** Runs each of them twice, because the first run also loads modules, and records the second. */
export async function recordRuns(): Promise<Runs> {
	const service = await startService();
	const { credential, control } = service;
	try {
		const create = async (name: string) => {
			const { items } = await runNode({
				node: 'deliveryService',
				credential,
				items: [shopifyOrder({ name })],
				parameters: { ...fromOrders, order: '={{ $json }}' },
			});
			if (items[0]?.json.id === undefined) throw new Error('No delivery was created.');
		};
		await create('#1');
		const order = await recordEntries(async () => await create('#2'));

		const trigger = await openTrigger({ credential, parameters: { events: ['updateTask'] } });
		await trigger.activate();
		await trigger.deactivate();
		const publishing = await recordEntries(async () => await trigger.activate());
		const [hook] = control.webhooks();
		const body = { id: '1', status: 'delivered', company_id: '1001', city_id: '7' };
		const receive = async () => {
			const { workflowData } = await trigger.receive({ url: hook?.url, body });
			if (workflowData === undefined) throw new Error('The event started no execution.');
		};
		await receive();
		const event = await recordEntries(receive);
		return { order, publishing, event };
	} finally {
		await service.close();
		await closeEngine();
	}
}
