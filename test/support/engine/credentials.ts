import {
	ICredentialsHelper,
	isExpression,
	NodeHelpers,
	type ICredentialDataDecryptedObject,
	type ICredentials,
	type IHttpRequestOptions,
	type INode,
	type INodeCredentialsDetails,
	type INodeProperties,
	type IRequestOptionsSimplified,
	type IWorkflowExecuteAdditionalData,
	type Workflow,
} from 'n8n-workflow';
import { z } from 'zod';
import { notSupported } from './additionalData';
import type { HostProcess } from './hostProcess';
import { registry } from './registry';

const credentialDataSchema = z.record(z.union([z.string(), z.number(), z.boolean()]));

/** Generic authentication: values per part of a request, which may be expressions. */
const rulesSchema = z.object({
	type: z.literal('generic'),
	properties: z.record(z.record(z.unknown())),
});

/** A credential's fields. */
export type CredentialData = z.infer<typeof credentialDataSchema>;

/** Credential data by credential type, as a user enters it. */
export type CredentialSet = Readonly<Record<string, CredentialData>>;

/** The fields of a credential, with the defaults of its type for empty ones. */
export function withDefaults(type: string, entered: CredentialData): CredentialData {
	const { properties } = registry.credential(type);
	return credentialDataSchema.parse({
		...NodeHelpers.getNodeParameters(properties, entered, true, false, null, null),
	});
}

/**
 * Provides credentials to an execution like n8n's own helper: fills in the defaults of the type, and
 * applies its `authenticate` rules, which may contain expressions, to each request. Each credential
 * type has at most one credential.
 */
export class EngineCredentials extends ICredentialsHelper {
	constructor(
		private readonly credentials: CredentialSet,
		private readonly hostProcess: HostProcess,
	) {
		super();
	}

	override async authenticate(
		credentials: ICredentialDataDecryptedObject,
		typeName: string,
		options: IHttpRequestOptions | IRequestOptionsSimplified,
		workflow?: Workflow,
		node?: INode,
	): Promise<IHttpRequestOptions> {
		await this.hostProcess.alive();
		if (!('url' in options) || workflow === undefined || node === undefined)
			return await notSupported('requests other than httpRequestWithAuthentication');
		const { properties } = rulesSchema.parse(registry.credential(typeName).authenticate);
		const resolve = (value: unknown) =>
			isExpression(value)
				? workflow.expression.getSimpleParameterValue(node, value, 'internal', {
						$credentials: credentials,
					})
				: value;
		for (const [part, rules] of Object.entries(properties)) {
			const values = Object.entries(rules).map(([key, value]) => [key, resolve(value)]);
			Reflect.set(options, part, Object.fromEntries(values));
		}
		return options;
	}

	override async getDecrypted(
		_additionalData: IWorkflowExecuteAdditionalData,
		_nodeCredentials: INodeCredentialsDetails,
		type: string,
	): Promise<ICredentialDataDecryptedObject> {
		await this.hostProcess.alive();
		const entered = this.credentials[type];
		if (entered === undefined) throw new Error(`There is no credential of type "${type}".`);
		return withDefaults(type, entered);
	}

	override async preAuthentication(): Promise<undefined> {
		return await Promise.resolve(undefined);
	}

	override async runPreAuthentication(): Promise<undefined> {
		return await Promise.resolve(undefined);
	}

	override getParentTypes(): string[] {
		return [];
	}

	override isCredentialUsableByNode(): boolean {
		return true;
	}

	override getCredentialsProperties(type: string): INodeProperties[] {
		return registry.credential(type).properties;
	}

	override async getCredentials(): Promise<ICredentials> {
		return await notSupported('encrypted credentials');
	}

	override async updateCredentials(): Promise<void> {
		await notSupported('encrypted credentials');
	}

	override async updateCredentialsOauthTokenData(): Promise<void> {
		await notSupported('encrypted credentials');
	}
}
