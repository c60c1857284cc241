/** Create From Shopify Orders with "Update the Delivery": sent deliveries follow their orders. */
import type { IExecuteFunctions } from 'n8n-workflow';

import type { ParameterReader } from '../../common/parameters';
import type { Job, RememberedJob } from '../../sending/job';
import { sendUpdates, type Update } from '../../sending/updates';
import type { ServiceClient } from '../../service/client';
import type { DeliveryChanges } from '../../service/schemas';
import { updatingOptions } from '../update';
import { changesFromOrder, defaultFlags } from '../update/readUpdate';

/** What of a change goes to the delivery. The rest of it is told, as with "Tell Me". */
interface OrderUpdate extends Update {
	job: Job;
	/** What is still to be told about the order if the service accepts the update. */
	untold: NonNullable<Job['change']>;
}

/**
 * Updates the deliveries of orders that have changed since they were sent (docs/api.md, section 4.2), and
 * sets the outcome of each. What could not be updated is told.
 *
 * @param jobs those whose change only this execution reports
 */
export async function updateChanged(
	context: IExecuteFunctions,
	client: ServiceClient,
	parameters: ParameterReader,
	jobs: readonly RememberedJob[],
): Promise<void> {
	const updates = jobs.flatMap((job) => updateFor(parameters, job) ?? []);
	for await (const batch of sendUpdates(updates, updatingOptions(context, client)))
		for (const { update, id, outcome } of batch) {
			const { job, changes, untold, targetKind } = update;
			if (outcome.kind === 'updated') {
				job.outcome = { kind: 'updated', changes };
				job.change = untold;
			} else job.failedUpdate = { id, targetKind, outcome };
		}
}

/** The update that a changed order needs; undefined if a person has to see to it. */
function updateFor(parameters: ParameterReader, job: RememberedJob): OrderUpdate | undefined {
	const { item, change, order, claim } = job;
	// Whether the delivery can still be stopped, or has already come, is not known.
	if (!change || !order || order.stop || claim.sentAs?.rest === undefined) return undefined;
	const read = changesFromOrder(parameters, item);
	if (!read.ok) return undefined;
	const { changes: all, isSettled, targetKind, ids } = read.value;
	// The new amount needs nobody, e.g. because the driver has the cash already.
	const isCashSilent = order.laterChanges?.cash.length === 0;
	const isCashSent =
		change.cash && !isCashSilent && isCashKnown(all.cod, isSettled, claim.part !== undefined);
	const cod = isCashSent ? all.cod : undefined;
	const rest: DeliveryChanges = change.rest ? all : {};
	const { contact, location, packages } = rest;
	if (!contact && !location && cod === undefined) return undefined;
	const changes: DeliveryChanges = { contact, location, packages, cod };
	const isComplete = contact && location && packages && !order.hasDayToTell;
	const untold = {
		...change,
		cash: change.cash && cod === undefined,
		rest: change.rest && !isComplete,
	};
	return { job, item, targetKind, ids, changes, flags: defaultFlags, untold };
}

/**
 * Whether the new cash of a delivery is certain: nothing, if the order is settled; an amount, if the
 * delivery is for the whole order.
 */
function isCashKnown(cod: number | undefined, isSettled: boolean, isPart: boolean): boolean {
	return cod === 0 ? isSettled : cod !== undefined && !isPart;
}
