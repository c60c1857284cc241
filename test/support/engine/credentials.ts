import { getAdditionalKeys } from 'n8n-core';
import {
	ICredentialsHelper,
	isExpression,
	NodeHelpers,
	Workflow,
	type ICredentialDataDecryptedObject,
	type ICredentials,
	type ICredentialsExpressionResolveValues,
	type IExecuteData,
	type IHttpRequestHelper,
	type IHttpRequestOptions,
	type INode,
	type INodeCredentialsDetails,
	type INodeProperties,
	type IRequestOptionsSimplified,
	type IWorkflowExecuteAdditionalData,
	type WorkflowExecuteMode,
} from 'n8n-workflow';
import { z } from 'zod';
import type { HostProcess } from './hostProcess';
import { manualTriggerType, registry } from './registry';

const credentialDataSchema = z.record(z.union([z.string(), z.number(), z.boolean()]));

/** Generic authentication: parts of a request, each with names and values that may be expressions. */
const rulesSchema = z.record(z.record(z.unknown()));

/** A credential's fields. */
export type CredentialData = z.infer<typeof credentialDataSchema>;

/** Credential data by credential type, as a user would have entered it. */
export type CredentialSet = Readonly<Record<string, CredentialData>>;

/**
 * Serves credentials to an execution as n8n's own helper does: the type's defaults filled in,
 * expressions resolved, and the type's `authenticate` applied to each request, as a function or as
 * generic rules with expressions. Each credential type has the one credential it was given.
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
		requestOptions: IHttpRequestOptions | IRequestOptionsSimplified,
		workflow?: Workflow,
		node?: INode,
	): Promise<IHttpRequestOptions> {
		await this.hostProcess.alive();
		const options = asHttpOptions(requestOptions);
		const { authenticate } = registry.credential(typeName);
		if (authenticate === undefined) return options;
		if (typeof authenticate === 'function') return await authenticate(credentials, options);
		if (workflow === undefined || node === undefined) {
			throw new Error('Generic authentication needs the workflow and its node.');
		}
		const resolve = (value: unknown) => resolveText(value, credentials, workflow, node);
		for (const [part, rules] of Object.entries(rulesSchema.parse(authenticate.properties))) {
			const values = Object.entries(rules).map(([key, value]) => [resolve(key), resolve(value)]);
			const present: unknown = Reflect.get(options, part);
			Reflect.set(options, part, { ...objectOrEmpty(present), ...Object.fromEntries(values) });
		}
		options.headers ??= {};
		return options;
	}

	override async preAuthentication(
		_helpers: IHttpRequestHelper,
		_credentials: ICredentialDataDecryptedObject,
		typeName: string,
	): Promise<ICredentialDataDecryptedObject | undefined> {
		if (registry.credential(typeName).preAuthentication !== undefined) {
			throw new Error(`This engine does not run the preAuthentication of "${typeName}".`);
		}
		return await Promise.resolve(undefined);
	}

	override async runPreAuthentication(
		helpers: IHttpRequestHelper,
		credentials: ICredentialDataDecryptedObject,
		typeName: string,
	): Promise<ICredentialDataDecryptedObject | undefined> {
		return await this.preAuthentication(helpers, credentials, typeName);
	}

	override getParentTypes(name: string): string[] {
		return registry.credential(name).extends ?? [];
	}

	override isCredentialUsableByNode(credentialType: string, nodeType: string): boolean {
		if (!registry.credential(credentialType).restrictToSupportedNodes) return true;
		const { credentials = [] } = registry.getByName(nodeType).description;
		return credentials.some(({ name }) => name === credentialType);
	}

	override getCredentialsProperties(type: string): INodeProperties[] {
		const { properties, extends: parents = [] } = registry.credential(type);
		const merged: INodeProperties[] = [];
		for (const parent of parents) {
			NodeHelpers.mergeNodeProperties(merged, this.getCredentialsProperties(parent));
		}
		NodeHelpers.mergeNodeProperties(merged, properties);
		return merged;
	}

	override async getDecrypted(
		additionalData: IWorkflowExecuteAdditionalData,
		_nodeCredentials: INodeCredentialsDetails,
		type: string,
		mode: WorkflowExecuteMode,
		executeData?: IExecuteData,
		raw?: boolean,
		expressionResolveValues?: ICredentialsExpressionResolveValues,
	): Promise<ICredentialDataDecryptedObject> {
		await this.hostProcess.alive();
		const entered = this.credentials[type];
		if (entered === undefined) throw new Error(`There is no credential of type "${type}".`);
		if (raw === true) return entered;
		return this.withDefaults(
			additionalData,
			entered,
			type,
			mode,
			executeData,
			expressionResolveValues,
		);
	}

	/**
	 * Fills the type's defaults into credential data and resolves its expressions, from the item that
	 * a node is at (`values`) or from nothing but themselves.
	 * @throws ExpressionError when an expression cannot be resolved
	 */
	withDefaults(
		additionalData: IWorkflowExecuteAdditionalData,
		entered: CredentialData,
		type: string,
		mode: WorkflowExecuteMode,
		executeData?: IExecuteData,
		values?: ICredentialsExpressionResolveValues,
	): CredentialData {
		const properties = this.getCredentialsProperties(type);
		const filled = credentialDataSchema.parse(
			NodeHelpers.getNodeParameters(properties, entered, true, false, null, null),
		);
		const keys = getAdditionalKeys(additionalData, mode, null, { isCredential: true });
		const resolved: unknown =
			values === undefined
				? bareWorkflow().expression.getComplexParameterValue(
						bareNode,
						filled,
						mode,
						keys,
						undefined,
						undefined,
						filled,
					)
				: values.workflow.expression.getParameterValue(
						filled,
						values.runExecutionData,
						values.runIndex,
						values.itemIndex,
						values.node.name,
						values.connectionInputData,
						mode,
						keys,
						executeData,
						false,
						filled,
					);
		return credentialDataSchema.parse(resolved);
	}

	override async getCredentials(): Promise<ICredentials> {
		return await Promise.reject(new Error('This engine does not keep encrypted credentials.'));
	}

	override async updateCredentials(): Promise<void> {
		await this.getCredentials();
	}

	override async updateCredentialsOauthTokenData(): Promise<void> {
		await this.getCredentials();
	}
}

const bareNode: INode = {
	id: 'credential',
	name: '',
	type: manualTriggerType,
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
};

/** A workflow without data, in which expressions of a credential are resolved outside a run. */
function bareWorkflow(): Workflow {
	return new Workflow({ nodes: [bareNode], connections: {}, active: false, nodeTypes: registry });
}

function resolveText(
	value: unknown,
	credentials: ICredentialDataDecryptedObject,
	workflow: Workflow,
	node: INode,
): unknown {
	if (!isExpression(value)) return value;
	const resolved = workflow.expression.getSimpleParameterValue(
		node,
		value,
		'internal',
		{ $credentials: credentials },
		undefined,
		'',
	);
	if (!resolved) return '';
	return typeof resolved === 'object' ? JSON.stringify(resolved) : String(resolved);
}

function asHttpOptions(
	options: IHttpRequestOptions | IRequestOptionsSimplified,
): IHttpRequestOptions {
	if ('url' in options) return options;
	throw new Error(
		'The deprecated request helper is not served: use httpRequestWithAuthentication.',
	);
}

function objectOrEmpty(value: unknown): object {
	return typeof value === 'object' && value !== null ? value : {};
}
