/**
 * Why an order can't be read, sent or updated, as codes with values. Each module exports its own codes;
 * messages/problems.ts words them.
 */
import type { CashProblem } from './cash';
import type { DecisionProblem } from './decide';
import type { ItemProblem } from './item';
import type { ReadProblem } from './order';
import type { RecipientProblem } from './recipient';
import type { UnitsProblem } from './units';

/** The fields of a problem are named as in the API that the order is from. */
export type OrderProblem =
	ItemProblem | ReadProblem | RecipientProblem | DecisionProblem | UnitsProblem | CashProblem;
