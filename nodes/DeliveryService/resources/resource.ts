import type {
	IDisplayOptions,
	IExecuteFunctions,
	INodeExecutionData,
	INodeProperties,
	INodePropertyOptions,
} from 'n8n-workflow';

/** One thing that a user can do: what the picker shows, its fields, and its run over all items. */
export interface Operation {
	option: INodePropertyOptions & { value: string; action: string };
	fields: INodeProperties[];
	/** Takes all input items of the context and gives the output items. */
	run(context: IExecuteFunctions): Promise<INodeExecutionData[]>;
}

/** What the operations are for, such as deliveries. */
export interface Resource {
	option: INodePropertyOptions & { value: string };
	operations: readonly Operation[];
	/** The value of the operation that a new node has. */
	defaultOperation: string;
}

const operationPicker: INodeProperties = {
	displayName: 'Operation',
	name: 'operation',
	type: 'options',
	noDataExpression: true,
	default: '',
};

/** The picker of a resource's operations, followed by each operation's fields. */
export function resourceProperties({
	option,
	operations,
	defaultOperation,
}: Resource): INodeProperties[] {
	const shownFor = { resource: [option.value] };
	return [
		{
			...operationPicker,
			displayOptions: { show: shownFor },
			options: operations.map((operation) => operation.option),
			default: defaultOperation,
		},
		...operations.flatMap((operation) =>
			showFor({ ...shownFor, operation: [operation.option.value] }, operation.fields),
		),
	];
}

/** The fields, each shown only when these parameters have these values too. */
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
