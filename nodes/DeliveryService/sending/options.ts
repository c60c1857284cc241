import type { Ledger } from '../ledger/ledger';
import type { Creation, CreationResult } from './outcomes';
import type { WaitTimes } from './rateLimit';
import type { RequestOptions } from './request';

/** The options and dependencies of a run that creates deliveries. */
export interface SendingOptions extends RequestOptions {
	/** Opens the ledger of a company's sent references; undefined when duplicates are allowed. */
	ledgerFor?: (companyId: Creation['companyId']) => Ledger;
	/** The company of deliveries that name none, if known. */
	ownCompanyId?: number;
	/** The maximum number of deliveries per request; undefined for the automatic choice. */
	batchSize?: number;
	/** How many requests may be in flight; undefined for the automatic choice. */
	maxInFlight?: number;
	/** Whether the user states that a rejected request creates nothing. */
	retryRejectedBatches?: boolean;
	/** Whether to continue after a failed delivery. */
	continueOnFail: boolean;
}

/** The result of a run. */
export interface Report {
	/** The result of each creation, in order. */
	results: readonly CreationResult[];
	requests: number;
	waited: WaitTimes;
	/** Whether created references could not be recorded: the next run reports them as unknown. */
	ledgerFailed: boolean;
	/** The maximum size of the requests after a rejected batch, if there were any. */
	reducedSize?: number;
}
