/**
 * Which functions of the nodes are entered, in order. Importing this compiles the nodes so that each of
 * their named functions reports when it is entered, so this comes before what loads the nodes.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import ts from 'typescript';

import { projectFolder } from '../../playground/n8n/folders';

export const nodesFolder = join(projectFolder, 'nodes', 'DeliveryService');

/** A named function that was entered. */
export interface Entry {
	file: string;
	name: string;
}

const recorded: Entry[] = [];
const recorderName = '__recordEntry';

/** Runs a function, and returns the entries into the nodes meanwhile. */
export async function recordEntries(run: () => Promise<void>): Promise<Entry[]> {
	recorded.length = 0;
	await run();
	return [...recorded];
}

/** The name of a function that is declared with one; undefined for callbacks, which are part of it. */
export function nameOf(node: ts.Node): string | undefined {
	if (!ts.isFunctionLike(node)) return undefined;
	if (ts.isConstructorDeclaration(node)) return 'constructor';
	const name = node.name ?? (ts.isVariableDeclaration(node.parent) ? node.parent.name : undefined);
	return name && (ts.isIdentifier(name) || ts.isPrivateIdentifier(name)) ? name.text : undefined;
}

const { factory } = ts;

/** Adds a call of the recorder to the start of each named function. */
function withRecorder(file: string): ts.TransformerFactory<ts.SourceFile> {
	const recording = (name: string) =>
		factory.createExpressionStatement(
			factory.createCallExpression(factory.createIdentifier(recorderName), undefined, [
				factory.createStringLiteral(file),
				factory.createStringLiteral(name),
			]),
		);
	return (context) => {
		const visit = (node: ts.Node): ts.Node => {
			const name = nameOf(node);
			const visited = ts.visitEachChild(node, visit, context);
			if (name === undefined) return visited;
			if (ts.isArrowFunction(visited)) {
				const { body } = visited;
				const statements = ts.isBlock(body)
					? body.statements
					: [factory.createReturnStatement(body)];
				return factory.updateArrowFunction(
					visited,
					visited.modifiers,
					visited.typeParameters,
					visited.parameters,
					visited.type,
					visited.equalsGreaterThanToken,
					factory.createBlock([recording(name), ...statements]),
				);
			}
			return ts.visitEachChild(
				visited,
				(child) =>
					ts.isBlock(child)
						? factory.updateBlock(child, [recording(name), ...child.statements])
						: child,
				context,
			);
		};
		return (source) => ts.visitEachChild(source, visit, context);
	};
}

Object.defineProperty(globalThis, recorderName, {
	value: (file: string, name: string) => void recorded.push({ file, name }),
});
const { extensions } = require;
const compile = extensions['.ts'];
extensions['.ts'] = (module, file) => {
	if (!file.startsWith(nodesFolder)) {
		compile?.(module, file);
		return;
	}
	const { outputText } = ts.transpileModule(readFileSync(file, 'utf8'), {
		fileName: file,
		compilerOptions: {
			target: ts.ScriptTarget.ES2022,
			module: ts.ModuleKind.CommonJS,
			esModuleInterop: true,
		},
		transformers: { before: [withRecorder(file)] },
	});
	const compileJavascript: unknown = Reflect.get(module, '_compile');
	if (typeof compileJavascript !== 'function')
		throw new Error('This Node.js compiles differently.');
	Reflect.apply(compileJavascript, module, [outputText, file]);
};
