import type { Result } from '../common/result';
import { isBlank } from '../common/text';
import { resolveCompanyId, type Credential } from './credential';

/**
 * The company in a node's options; undefined when the option was not added. An empty one is a problem:
 * the company in the credential would otherwise take the place of a company that an expression missed.
 *
 * @param options the options that the user added
 * @param label the option's label in the editor
 */
export function readCompanyOption(
	options: Readonly<Record<string, unknown>>,
	label = 'Company ID',
): Result<unknown> {
	const { companyId } = options;
	if (!('companyId' in options) || !isBlank(companyId)) return { ok: true, value: companyId };
	return {
		ok: false,
		problem: {
			message: `Delivery Service: the option ${label} is empty`,
			description:
				'Enter a company ID; if it is an expression, it returned nothing. Remove the option only if all deliveries are for the company in the credential.',
		},
	};
}

/** The company in a node's options, or else in the credential (API document, section 4.3). */
export function selectedCompany(
	credential: Pick<Credential, 'companyId' | 'hasInvalidCompanyId'>,
	options: Readonly<Record<string, unknown>>,
): Result<number> {
	const given = readCompanyOption(options);
	return given.ok ? resolveCompanyId(credential, given.value) : given;
}
