/** How much code each folder has: files, lines, tokens, branches and types, now or at a commit. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import ts from 'typescript';

import { projectFolder } from '../../playground/n8n/folders';

export const measures = ['files', 'lines', 'tokens', 'branches', 'types'] as const;

/** The size of a folder. */
export type Size = Record<(typeof measures)[number], number>;

const nodes = 'nodes/DeliveryService';
const otherFolders = ['credentials', 'test', 'playground', 'bench', 'tools'];
const branchKinds = new Set([
	ts.SyntaxKind.IfStatement,
	ts.SyntaxKind.ConditionalExpression,
	ts.SyntaxKind.CaseClause,
	ts.SyntaxKind.CatchClause,
	ts.SyntaxKind.ForStatement,
	ts.SyntaxKind.ForInStatement,
	ts.SyntaxKind.ForOfStatement,
	ts.SyntaxKind.WhileStatement,
	ts.SyntaxKind.DoStatement,
	ts.SyntaxKind.AmpersandAmpersandToken,
	ts.SyntaxKind.BarBarToken,
	ts.SyntaxKind.QuestionQuestionToken,
	ts.SyntaxKind.QuestionDotToken,
]);

function git(...args: string[]): string {
	return execFileSync('git', args, { cwd: projectFolder, encoding: 'utf8', maxBuffer: 1e9 });
}

/** The last release; undefined before the first. */
export function lastRelease(): string | undefined {
	return git('tag', '--list', 'v*', '--sort=-version:refname').split('\n')[0] || undefined;
}

/**
 * The sizes by folder, those of the nodes by layer.
 *
 * @param commit a commit, or undefined for the files in the folder
 * @throws Error if there is no such commit
 */
export function sizes(commit?: string): Map<string, Size> {
	const listed =
		commit === undefined
			? git('ls-files', '--cached', '--others', '--exclude-standard')
			: git('ls-tree', '-r', '--name-only', commit);
	const found = new Map<string, Size>();
	const add = (folder: string, size: Size) => {
		const sum = found.get(folder);
		for (const measure of measures) size[measure] += sum?.[measure] ?? 0;
		found.set(folder, size);
	};
	for (const file of new Set(listed.split('\n'))) {
		const folder = folderOf(file);
		if (folder === undefined || !/\.[cm]?[jt]s$/.test(file)) continue;
		const path = join(projectFolder, file);
		if (commit === undefined && !existsSync(path)) continue;
		const text =
			commit === undefined ? readFileSync(path, 'utf8') : git('show', `${commit}:${file}`);
		const size = sizeOf(file, text);
		if (folder.startsWith(nodes)) add('nodes', { ...size });
		add(folder, size);
	}
	return new Map([...found].sort(([one], [other]) => one.localeCompare(other)));
}

function folderOf(file: string): string | undefined {
	if (!file.startsWith(`${nodes}/`))
		return otherFolders.find((name) => file.startsWith(`${name}/`));
	const [layer = '', inside] = file.slice(nodes.length + 1).split('/');
	return inside === undefined ? nodes : `${nodes}/${layer}`;
}

function sizeOf(file: string, text: string): Size {
	const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
	const size = { files: 1, lines: text.split('\n').length - 1, tokens: 0, branches: 0, types: 0 };
	const visit = (node: ts.Node): void => {
		if (ts.isJSDoc(node)) return;
		if (branchKinds.has(node.kind)) size.branches += 1;
		if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) size.types += 1;
		const children = node.getChildren(source);
		if (children.length === 0 && node.getWidth(source) > 0) size.tokens += 1;
		for (const child of children) visit(child);
	};
	visit(source);
	return size;
}
