/** What an operation is, and the fields by which the panel selects one. */
import type {
	IDisplayOptions,
	IExecuteFunctions,
	INodeExecutionData,
	INodeProperties,
	INodePropertyOptions,
} from 'n8n-workflow';

/** An operation: its entry in the picker, its fields and its run over all input items. */
export interface Operation {
	option: INodePropertyOptions & { value: string; action: string };
	fields: INodeProperties[];
	/** Processes all input items of the context and returns the output items. */
	run(context: IExecuteFunctions): Promise<INodeExecutionData[]>;
}

/** What operations act on, e.g. deliveries. */
export interface Resource {
	option: INodePropertyOptions & { value: string };
	operations: readonly Operation[];
	/** The value of the operation that is preselected in a new node. */
	defaultOperation: string;
}

/** The picker of a resource's operations, followed by each operation's fields. */
export function resourceProperties({
	option,
	operations,
	defaultOperation,
}: Resource): INodeProperties[] {
	const resourceCondition = { resource: [option.value] };
	return [
		{
			displayName: 'Operation',
			name: 'operation',
			type: 'options',
			noDataExpression: true,
			displayOptions: { show: resourceCondition },
			options: operations.map((operation) => operation.option),
			default: defaultOperation,
		},
		...operations.flatMap((operation) =>
			showFor({ ...resourceCondition, operation: [operation.option.value] }, operation.fields),
		),
	];
}

/**
 * Copies of the fields that are shown only when these parameters also have these values. If a field
 * has its own condition on one of the parameters, that condition wins.
 */
export function showFor(
	show: NonNullable<IDisplayOptions['show']>,
	fields: readonly INodeProperties[],
): INodeProperties[] {
	return fields.map((field) => ({
		...field,
		displayOptions: {
			...field.displayOptions,
			show: { ...show, ...field.displayOptions?.show },
		},
	}));
}
