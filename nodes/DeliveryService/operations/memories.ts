import type { IExecuteFunctions } from 'n8n-workflow';

import type { Ledger } from '../ledger/ledger';
import { findMemory, serviceOf, type Memory } from '../ledger/memory';
import { openWorkflowStore } from '../ledger/store';
import { operationError } from '../service/nodeErrors';
import type { Problem } from '../common/result';

/** A memory, or why n8n's store could not find it. */
export type FoundMemory = Memory | { error: unknown };

/**
 * Memories of services by workflow, company and service, since each search costs time. Not those of
 * moved services: Allow Resending may have cleared the move in another process.
 */
const foundMemories = new Map<string, Memory>();

/**
 * Finds what the workflow remembers of each company at the service.
 *
 * @returns the memory of one of these companies
 * @throws NodeOperationError when the workflow has so far used another Base URL for a company
 */
export async function findMemories(
	context: IExecuteFunctions,
	baseUrl: string,
	companyIds: readonly number[],
): Promise<(companyId: number) => FoundMemory> {
	const memories = new Map<number, FoundMemory>();
	for (const companyId of new Set(companyIds)) {
		const key = [context.getWorkflow().id, companyId, serviceOf(baseUrl)].join('\n');
		const found = foundMemories.get(key);
		if (found) memories.set(companyId, found);
		if (found) continue;
		const lookup = await findMemory(openWorkflowStore(context), baseUrl, companyId).catch(
			(error: unknown) => ({ kind: 'failure' as const, error }),
		);
		if (lookup.kind === 'failure') {
			memories.set(companyId, { error: lookup.error });
			continue;
		}
		if (lookup.kind === 'otherService')
			throw operationError(
				context.getNode(),
				otherServiceProblem(serviceOf(baseUrl), companyId, lookup.services),
			);
		memories.set(companyId, lookup.memory);
		if (lookup.origin === 'own') foundMemories.set(key, lookup.memory);
	}
	return (companyId) => {
		const memory = memories.get(companyId);
		if (!memory) throw new Error(`The memory of company ${companyId} was not looked up`);
		return memory;
	};
}

/** A ledger that can't be read: a run then sends nothing, and reports what earlier attempts sent. */
export function failedLedger(error: unknown): Ledger {
	const fail = async () => {
		await Promise.resolve();
		throw error;
	};
	return { lookUp: fail, proceed: fail, release: fail };
}

function otherServiceProblem(
	service: string,
	companyId: number,
	services: readonly string[],
): Problem {
	const others = services.length > 0 ? services.join(' and ') : 'another Base URL';
	return {
		message: `This workflow has sent deliveries of company ${companyId} to ${others}, but none to ${service} yet`,
		description:
			'Nothing was sent, because the same orders could be delivered twice. Run the operation "Confirm New Base URL" once in this workflow. There, choose whether the service has moved (sent orders stay sent) or this is another system (they are sent again).',
	};
}
