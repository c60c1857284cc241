/** The texts in the code that users may see, to check the messages that pages quote. */
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

import { projectFolder } from '../../playground/n8n/folders';

/** The placeholder for variable text in a quotation. */
const placeholder = '…';

/** A template with fewer fixed letters would match almost every quotation. */
const minLetters = 8;

/** Returns every text in the code of the nodes and the credential as a regular expression. */
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
			if (parts && parts.join('').replace(/\P{L}/gu, '').length >= minLetters)
				texts.push(new RegExp(`^${parts.map(escaped).join('.+')}$`, 'u'));
			forEachChild(node, visit);
		};
		visit(createSourceFile(file, readFileSync(file, 'utf8'), ScriptTarget.ES2022, true));
		return texts;
	});
}

/** The fixed parts of a text or template. */
function partsOf(node: Node): string[] | undefined {
	if (isStringLiteralLike(node)) return [node.text];
	if (!isTemplateExpression(node)) return undefined;
	return [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)];
}

function escaped(text: string): string {
	return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/**
 * Whether a quotation is a text of the code. In it, `…` means variable text, and at its end the rest of
 * the text.
 */
export function isInCode(quotation: string, texts: readonly RegExp[]): boolean {
	const isCut = quotation.endsWith(placeholder);
	const fixed = quotation
		.split(placeholder)
		.filter((part) => part !== '')
		.map(escaped)
		.join('.*');
	const asQuoted = new RegExp(
		`^${quotation.startsWith(placeholder) ? '.*' : ''}${fixed}${isCut ? '' : '$'}`,
		'u',
	);
	return texts.some((text) => text.test(quotation) || asQuoted.test(withPlaceholders(text)));
}

/** The fixed parts of a text with `…` between them. */
function withPlaceholders(text: RegExp): string {
	return text.source.slice(1, -1).replaceAll('.+', placeholder).replace(/\\(.)/g, '$1');
}
