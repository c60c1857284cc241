/** The types of the nodes that contain an order in some form, between its parameters and its delivery. */
import ts from 'typescript';

import { projectFolder } from '../../playground/n8n/folders';
import tsconfig from '../../tsconfig.json';
import { nameOf, nodesFolder, type Entry } from './recorder';

/** A value with one of these fields contains an order, its delivery or the response to it. */
const orderFields = new Set(['referenceId', 'line_items', 'record', 'records', 'body', 'json']);

/** The names of the types that the entered functions return and that contain an order. */
export function orderTypes(entries: readonly Entry[]): string[] {
	const { options } = ts.parseJsonConfigFileContent(tsconfig, ts.sys, projectFolder);
	const files = [...new Set(entries.map(({ file }) => file))];
	const entered = new Set(entries.map(({ file, name }) => `${file} ${name}`));
	const program = ts.createProgram(files, options);
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

	for (const file of files) {
		const source = program.getSourceFile(file);
		const visit = (node: ts.Node): void => {
			if (ts.isFunctionLike(node) && 'body' in node && entered.has(`${file} ${nameOf(node)}`)) {
				const signature = checker.getSignatureFromDeclaration(node);
				if (signature) add(checker.getReturnTypeOfSignature(signature), node);
			}
			ts.forEachChild(node, visit);
		};
		if (source) visit(source);
	}
	return [...shapes].map(({ name }) => name).sort();
}
