import type { Exchange } from '../service/client';
import { explain, notTheService } from '../service/errors';
import type { Problem } from '../service/problem';
import { creationAnswerSchema, type CreationBody, type Delivery } from '../service/schemas';
import { batchesOf } from './batches';
import { judge } from './judgement';
import { matchRecords } from './records';

/** A valid delivery that is to be created for an input item. */
export interface Creation {
	item: number;
	delivery: Delivery;
	companyId?: CreationBody['companyId'];
	type?: CreationBody['type'];
}

/** What became of a delivery. */
export type Outcome =
	| { kind: 'created'; id: string; record: Record<string, unknown> }
	| {
			kind: 'failed';
			/** Not created and final; perhaps created; or never given to the service. */
			fate: 'refused' | 'unknown' | 'notSent';
			problem: Problem;
	  };

export interface SendingOptions {
	batchSize: number;
	/** Whether the batches after a failed one are sent all the same. */
	goOn: boolean;
}

/**
 * Creates deliveries in as few requests as their companies and types allow (service document,
 * section 4.1). Every creation has exactly one outcome, under its item's number.
 */
export async function sendCreations(
	creations: readonly Creation[],
	send: (body: CreationBody) => Promise<Exchange>,
	{ batchSize, goOn }: SendingOptions,
): Promise<Map<number, Outcome>> {
	const outcomes = new Map<number, Outcome>();
	let stopped = false;
	for (const batch of batchesOf(creations, groupOf, batchSize)) {
		const results: Outcome[] = stopped
			? batch.map(() => notSent)
			: outcomesOf(batch, await send(bodyOf(batch)));
		for (const [position, { item }] of batch.entries())
			outcomes.set(item, results[position] ?? unmatched);
		stopped ||= !goOn && results.some(({ kind }) => kind === 'failed');
	}
	return outcomes;
}

const notSent: Outcome = {
	kind: 'failed',
	fate: 'notSent',
	problem: {
		message: 'This delivery was not sent, because one before it failed',
		description: 'Run the workflow again once the cause is mended.',
	},
};

/** A delivery that the service's answer says nothing of. */
export const unmatched: Extract<Outcome, { kind: 'failed' }> = {
	kind: 'failed',
	fate: 'unknown',
	problem: {
		message:
			'Whether this delivery was created is unknown: the answer of the service holds no record of it',
		description: 'Look it up on the Delivery Service before you send it again.',
	},
};

function groupOf({ companyId, type }: Creation): string {
	return `${companyId ?? ''}/${type ?? ''}`;
}

function bodyOf(batch: readonly Creation[]): CreationBody {
	const { companyId, type } = batch[0] ?? {};
	return {
		deliveries: batch.map(({ delivery }) => delivery),
		...(companyId !== undefined && { companyId }),
		...(type !== undefined && { type }),
	};
}

function outcomesOf(batch: readonly Creation[], exchange: Exchange): Outcome[] {
	const judgement = judge(exchange);
	if (judgement !== 'done' || exchange.kind === 'noAnswer')
		return batch.map(() => failure(judgement, explain(exchange)));
	const answer = creationAnswerSchema.safeParse(exchange.body);
	if (!answer.success) return batch.map(() => failure('unknown', notTheService));
	const { records } = matchRecords(
		batch.map(({ delivery }) => delivery),
		answer.data.payload,
	);
	return records.map((record) => (record ? { kind: 'created', ...record } : unmatched));
}

function failure(judgement: ReturnType<typeof judge>, problem: Problem): Outcome {
	switch (judgement) {
		case 'refused':
			return { kind: 'failed', fate: 'refused', problem };
		case 'notProcessed':
			return { kind: 'failed', fate: 'notSent', problem };
		default:
			return {
				kind: 'failed',
				fate: 'unknown',
				problem: {
					message: `Whether this delivery was created is unknown: ${lowerFirst(problem.message)}`,
					description:
						`Look it up on the Delivery Service before you send it again. ${problem.description ?? ''}`.trim(),
				},
			};
	}
}

function lowerFirst(sentence: string): string {
	return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}
