/**
 * `npm run trace`: lists the files and the types of this package that one Shopify order crosses on its
 * way to a delivery. Runs the node in n8n's engine against the local service, and gets the entered
 * functions from V8. Run it before and after a refactoring.
 */
import { Session } from 'node:inspector/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

import ts from 'typescript';

import { projectFolder } from '../playground/n8n/folders';
import tsconfig from '../tsconfig.json';
import { startService } from '../playground/service/server';
import { closeEngine, runNode } from '../test/support/engine/engine';
import { sampleOrder } from '../test/support/sampleOrder';

const nodesFolder = join(projectFolder, 'nodes');

/** The names of the entered functions by file, as V8 reports them. */
type Entered = ReadonlyMap<string, ReadonlySet<string>>;

/** Creates a delivery from an order, and returns the entered functions of the nodes. */
async function enteredByOneOrder(): Promise<Entered> {
	const service = await startService();
	const session = new Session();
	session.connect();
	try {
		const create = async (name: string) =>
			await runNode({
				node: 'deliveryService',
				credential: service.credential,
				items: [{ ...sampleOrder({ name }) } as never],
				parameters: {
					resource: 'delivery',
					operation: 'createFromOrders',
					order: '={{ $json }}',
					skipAlreadySent: true,
					pickupName: 'Main Street Store',
					pickupEmail: 'store@example.com',
					pickupLocationType: 'address',
					pickupAddress: '12 Main Street, Springfield',
				},
			});
		await session.post('Profiler.enable');
		await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
		// The first run also loads modules.
		await create('#1');
		await session.post('Profiler.takePreciseCoverage');
		const { items } = await create('#2');
		if (items[0]?.json.id === undefined) throw new Error('No delivery was created.');
		const { result } = await session.post('Profiler.takePreciseCoverage');
		return new Map(
			result.flatMap(({ url, functions }) => {
				const file = url.startsWith('file:') ? fileURLToPath(url) : url;
				const names = functions
					.filter(({ ranges, functionName }) => {
						const { count = 0, startOffset = 0, endOffset = 0 } = ranges[0] ?? {};
						// The compiler adds a getter for each export: `name: () => name`.
						const isGetter = endOffset - startOffset <= functionName.length + '() => '.length;
						return count > 0 && !isGetter;
					})
					.map(({ functionName }) => functionName)
					.filter((name) => !['', 'get', '__name'].includes(name));
				const isOwn = file.startsWith(nodesFolder) && names.length > 0;
				return isOwn ? [[file, new Set(names)] as const] : [];
			}),
		);
	} finally {
		session.disconnect();
		await service.close();
		await closeEngine();
	}
}

/** A value with one of these fields contains an order, its delivery or the response to it. */
const orderFields = new Set(['referenceId', 'line_items', 'record', 'records', 'body', 'json']);

/** The types that the entered functions return and that contain an order in some form. */
function shapesOf(entered: Entered): string[] {
	const { options } = ts.parseJsonConfigFileContent(tsconfig, ts.sys, projectFolder);
	const program = ts.createProgram([...entered.keys()], options);
	const checker = program.getTypeChecker();
	const shapes = new Set<ts.Symbol>();

	function containsOrder(type: ts.Type, at: ts.Node, depth = 0): boolean {
		if (depth > 4) return false;
		if (type.isUnionOrIntersection())
			return type.types.some((part) => containsOrder(part, at, depth + 1));
		if (checker.isArrayType(type) || checker.isTupleType(type) || isMap(type))
			return argumentsOf(type).some((argument) => containsOrder(argument, at, depth + 1));
		if ((type.flags & ts.TypeFlags.Object) === 0 || type.getCallSignatures().length > 0)
			return false;
		return type
			.getProperties()
			.some(
				(property) =>
					orderFields.has(property.name) ||
					containsOrder(checker.getTypeOfSymbolAtLocation(property, at), at, depth + 1),
			);
	}
	const isMap = (type: ts.Type) => /Map$/.test(type.getSymbol()?.name ?? '');
	const argumentsOf = (type: ts.Type) => checker.getTypeArguments(type as ts.TypeReference);

	function add(type: ts.Type, at: ts.Node, depth = 0): void {
		if (depth > 3) return;
		const symbol = type.aliasSymbol ?? type.getSymbol();
		const declaration = symbol?.declarations?.[0];
		if (
			symbol &&
			declaration?.getSourceFile().fileName.startsWith(nodesFolder) &&
			!/\/(common|service)\/result\.ts$/.test(declaration.getSourceFile().fileName)
		) {
			const isNamed =
				ts.isInterfaceDeclaration(declaration) || ts.isTypeAliasDeclaration(declaration);
			// A type with methods is a tool, not a form of the order.
			const isData = type
				.getProperties()
				.every(
					(property) =>
						checker.getTypeOfSymbolAtLocation(property, at).getCallSignatures().length === 0,
				);
			if (isNamed && isData && containsOrder(type, at)) {
				shapes.add(symbol);
				return;
			}
		}
		if (type.isUnionOrIntersection()) for (const part of type.types) add(part, at, depth + 1);
		const isReference = 'target' in type;
		for (const argument of [
			...(type.aliasTypeArguments ?? []),
			...(isReference ? argumentsOf(type) : []),
		])
			add(argument, at, depth + 1);
	}

	for (const [file, names] of entered) {
		const source = program.getSourceFile(file);
		const visit = (node: ts.Node): void => {
			if (ts.isFunctionLike(node) && 'body' in node && names.has(nameOf(node))) {
				const signature = checker.getSignatureFromDeclaration(node);
				if (signature) add(checker.getReturnTypeOfSignature(signature), node);
			}
			ts.forEachChild(node, visit);
		};
		if (source) visit(source);
	}
	return [...shapes].map(({ name }) => name).sort();
}

function nameOf(node: ts.SignatureDeclaration): string {
	const named = node.name ?? (ts.isVariableDeclaration(node.parent) ? node.parent.name : undefined);
	return named && (ts.isIdentifier(named) || ts.isPrivateIdentifier(named)) ? named.text : '';
}

async function main(): Promise<void> {
	const entered = await enteredByOneOrder();
	const shapes = shapesOf(entered);
	for (const [file, names] of [...entered].sort())
		console.log(`${relative(nodesFolder, file)}: ${[...names].join(', ')}`);
	console.log(`\nTypes: ${shapes.join(', ')}`);
	console.log(`\n${entered.size} files, ${shapes.length} types.`);
}

void main();
