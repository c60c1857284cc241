/** Which section of the docs says what to do about a row: the page "An email arrived". */
import { isNotFoundPage } from '../sending/classify';
import type { Failure, Invalid, NotSentReason } from '../sending/job';
import { isAboutAllRequests } from '../service/errors';
import type { Action } from '../shopify/decide';

/** The URL of this project's pages, for people who have only n8n. */
export const pages =
	'https://github.com/delivery-service-integrations/n8n-nodes-delivery-service/blob/main';

/** The sections of the page, by their anchors. */
export const helpTopics = [
	'cash-to-check',
	'changed-order',
	'delivery-date',
	'delivery-to-stop',
	'dry-run-is-on',
	'incomplete-order',
	'missing-fields',
	'older-order',
	'order-on-hold',
	'other-shipping-method',
	'pending-review',
	'pickup-missing',
	'rejected-delivery',
	'same-order-twice',
	'service-unavailable',
	'unknown-delivery',
	'unpaid-order',
	'wrong-credential',
] as const;

type HelpTopic = (typeof helpTopics)[number];

/** What a person must do, and where the docs say more. */
export interface Need {
	text: string;
	help: HelpTopic;
}

/** The URL of a section of the docs. */
export function helpUrl(topic: HelpTopic): string {
	return `${pages}/docs/email.md#${topic}`;
}

export const helpWithAction: Readonly<Record<Action['code'], HelpTopic>> = {
	cashNotCollected: 'cash-to-check',
	cashReduced: 'cash-to-check',
	openReturn: 'cash-to-check',
	otherCurrency: 'cash-to-check',
	owedChanged: 'cash-to-check',
	excludedMethod: 'other-shipping-method',
	typeUnclear: 'other-shipping-method',
	futureDate: 'delivery-date',
	unclearDate: 'delivery-date',
	missingFields: 'missing-fields',
	held: 'order-on-hold',
	stopDelivery: 'delivery-to-stop',
	orderChanged: 'changed-order',
	notUpdated: 'changed-order',
	noCoordinates: 'changed-order',
};

/** About an item that can't be read or sent. */
export function helpWithInvalid({ cause }: Invalid): HelpTopic {
	switch (cause) {
		case undefined:
		case 'hidden':
		case 'invalidEmail':
		case 'noAddress':
		case 'noEmail':
		case 'noPersonalData':
		case 'noRecipientName':
		case 'noStreet':
			return 'incomplete-order';
		case 'noPickup':
			return 'pickup-missing';
		case 'unclearDate':
			return 'delivery-date';
		default:
			return 'missing-fields';
	}
}

/** About a delivery that was not created, or may not have been. */
export function helpWithFailure({ kind, why }: Failure): HelpTopic {
	switch (kind) {
		case 'rejected':
			return 'rejected-delivery';
		case 'unknown':
			return 'unknown-delivery';
		case 'notSent':
			return helpWithUnsent(why);
	}
}

function helpWithUnsent(why: NotSentReason): HelpTopic {
	switch (why.code) {
		case 'anotherOrder':
		case 'anotherDelivery':
		case 'firstFailed':
		case 'inParts':
		case 'unitsPartlySent':
			return 'same-order-twice';
		case 'dryRun':
			return 'dry-run-is-on';
		case 'exchange':
			return isAboutAllRequests(why.exchange) || isNotFoundPage(why.exchange)
				? 'wrong-credential'
				: 'service-unavailable';
		case 'notStarted':
		case 'stopped':
		case 'earlierFailure':
		case 'store':
		case 'unexpected':
			return 'service-unavailable';
	}
}
