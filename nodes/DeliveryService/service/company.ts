import type { Result } from '../common/result';
import type { Credential } from './credential';
import { companyIdSchema } from './schemas';

/** The company to work for: the given one, or the credential's when none is given. */
export function resolveCompanyId(
	{ companyId }: Pick<Credential, 'companyId'>,
	given: unknown,
): Result<number> {
	const isGiven = given !== undefined && given !== null && given !== '';
	const company = isGiven ? companyIdSchema.safeParse(given).data : companyId;
	if (company !== undefined) return { ok: true, value: company };
	return {
		ok: false,
		problem: {
			message: isGiven
				? 'The Company ID for the Delivery Service is not a whole number of 1 or more'
				: 'The Company ID for the Delivery Service is missing',
			description:
				'Enter the Company ID, a whole number of 1 or more, in the credential or in the options of the node.',
		},
	};
}
