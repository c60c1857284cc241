/** The texts in the code that users may read, to hold against them what pages quote. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import {
	createSourceFile,
	forEachChild,
	isStringLiteralLike,
	isTemplateExpression,
	ScriptTarget,
	type Node,
} from 'typescript';

import { projectFolder } from '../playground/n8n/folders';

/** What stands in a quotation for what differs. */
const anything = '…';

/** With fewer letters beside what is filled in, a text would fit nearly every quotation. */
const fewestLetters = 8;

/** Every text in the code of the nodes and the credential, as an expression that fits it. */
export function textsInCode(): RegExp[] {
	const files = ['nodes', 'credentials'].flatMap((folder) =>
		readdirSync(join(projectFolder, folder), { recursive: true, encoding: 'utf8' })
			.filter((file) => file.endsWith('.ts'))
			.map((file) => join(projectFolder, folder, file)),
	);
	return files.flatMap((file) => {
		const texts: RegExp[] = [];
		const visit = (node: Node): void => {
			const parts = partsOf(node);
			if (parts && parts.join('').replace(/\P{L}/gu, '').length >= fewestLetters)
				texts.push(new RegExp(`^${parts.map(escaped).join('.+')}$`, 'u'));
			forEachChild(node, visit);
		};
		visit(createSourceFile(file, readFileSync(file, 'utf8'), ScriptTarget.ES2022, true));
		return texts;
	});
}

/** The fixed parts of a text, between which something is filled in. */
function partsOf(node: Node): string[] | undefined {
	if (isStringLiteralLike(node)) return [node.text];
	if (!isTemplateExpression(node)) return undefined;
	return [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)];
}

function escaped(text: string): string {
	return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/**
 * Whether a quotation is a text of the code. `…` stands in it for what is filled in, at its end also
 * for the rest of the text.
 */
export function isInCode(quotation: string, texts: readonly RegExp[]): boolean {
	const isCut = quotation.endsWith(anything);
	const fixed = quotation
		.split(anything)
		.filter((part) => part !== '')
		.map(escaped)
		.join('.*');
	const asQuoted = new RegExp(
		`^${quotation.startsWith(anything) ? '.*' : ''}${fixed}${isCut ? '' : '$'}`,
		'u',
	);
	return texts.some((text) => text.test(quotation) || asQuoted.test(plain(text)));
}

/** The fixed parts of a text with `…` between them. */
function plain(text: RegExp): string {
	return text.source.slice(1, -1).replaceAll('.+', anything).replace(/\\(.)/g, '$1');
}
