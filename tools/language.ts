/**
 * `npm run language`: checks the rules of the section Language of CONTRIBUTING.md that a spell
 * checker cannot check: words that this project does not use, and names that are defined twice in
 * the nodes. `-- --counts` prints how often each word of the glossary occurs, and where.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import ts from 'typescript';

import { projectFolder } from '../playground/n8n/folders';

/** A word with its replacement. Rejected ones are never right here; the others are only counted. */
interface Term {
	readonly pattern: RegExp;
	readonly instead: string;
	readonly rejected: boolean;
}

const rejected = (pattern: RegExp, instead: string): Term => ({ pattern, instead, rejected: true });
const counted = (pattern: RegExp, instead: string): Term => ({ pattern, instead, rejected: false });

const glossary: readonly Term[] = [
	rejected(/\banew\b/gi, 'again; re-create, resubscribe'),
	rejected(/\bact(?:s|ed|ing)? out\b/gi, 'simulate, reproduce'),
	rejected(/\bwhat (?:came|comes|became|becomes|has become) of\b/gi, 'the outcome of'),
	rejected(/\b(?:is|are|was|were|be|been) told\b/gi, 'report, show, say'),
	rejected(/\bgo(?:es)? on after errors?\b/gi, 'On Error: Continue'),
	rejected(/\b(?:is|are|was|were) waited (?:for|out)\b/gi, 'wait for, retry until'),
	rejected(/\bmend(?:s|ed|ing)?\b/gi, 'fix'),
	rejected(/\ball the same\b/gi, 'anyway'),
	rejected(/\bas it came\b/gi, 'unchanged'),
	rejected(/\bof (?:ours|theirs)\b/gi, 'our, their'),
	rejected(/\bby (?:itself|themselves)\b/gi, 'automatically; in isolation'),
	rejected(/\bin the words of\b/gi, 'as X puts it'),
	rejected(/\bin the order of the alphabet\b/gi, 'alphabetically'),
	rejected(/\bnumbers of (?:cities|companies|tags)\b/gi, 'city IDs, company IDs, tag IDs'),
	rejected(/\be-mails?\b/gi, 'email'),
	rejected(
		/\b(?:Forget Sent References|Signed Addresses|Skip Repeats|Refused Requests|Requests at Once|Cash on Delivery Names|Maximum Wait|URL or Its Beginning)\b/g,
		'the label of today',
	),
	counted(/\b(?:tell|tells|told|telling)\b/gi, 'report, show, say, log'),
	counted(/\breadings?\b/gi, 'interpretation, API variant, result'),
	counted(/\b(?:house|room)s?\b/gi, 'module, layer'),
	counted(/\bfaults?\b/gi, 'bug, error, failure'),
	counted(/\b(?:is|are) meant\b/gi, '(drop)'),
	counted(/\blook(?:s|ed|ing)? (?:it |them )?up\b/gi, 'check, find'),
	counted(/\bso many\b/gi, 'up to N'),
	counted(/\bstands?\b/gi, 'is (in), means'),
	counted(/\b(?:hold|holds|held)\b/gi, 'contain, have'),
	counted(/\b(?:give|gives|gave|given)\b/gi, 'return, output'),
	counted(/\bnobody\b/gi, 'no one'),
	counted(/\bfurther\b/gi, 'more, other'),
	counted(/\banswer(?:s|ed|ing)?\b/gi, 'response, respond'),
	counted(/\baddress(?:es)?\b/gi, 'URL, unless it is a street'),
	counted(/\bmembers?\b/gi, 'field, property'),
	counted(/\btries\b/gi, 'attempts, retries'),
	counted(/\brefus(?:e|es|ed|al|ing)\b/gi, 'reject'),
];

const areas = ['prose', 'nodes', 'other code'] as const;
type Area = (typeof areas)[number];

function areaOf(path: string): Area {
	if (/^(?:nodes|credentials)\//.test(path)) return 'nodes';
	return /\.(?:md|yml)$/.test(path) ? 'prose' : 'other code';
}

/** The tracked texts that people wrote. The changelog is history; this file contains the glossary. */
const isChecked = (path: string) =>
	/\.(?:[cm]?[jt]s|json|md|html|ya?ml)$/.test(path) &&
	!/(?:^|\/)package-lock\.json$|^CHANGELOG\.md$|^tools\/language\.ts$|\.snap$|\.lock$/.test(path);

/** A place of a word that this project does not use, or of a name that is defined twice. */
type Finding = string;

function lineAt(text: string, index: number): number {
	return text.slice(0, index).split('\n').length;
}

/** The names at the top level of a source: functions, classes, types and constants. */
function topLevelNames(path: string, text: string): string[] {
	const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest);
	return source.statements.flatMap((statement) => {
		if (ts.isVariableStatement(statement)) {
			return statement.declarationList.declarations.flatMap(({ name }) =>
				ts.isIdentifier(name) ? [name.text] : [],
			);
		}
		const isNamed =
			ts.isFunctionDeclaration(statement) ||
			ts.isClassDeclaration(statement) ||
			ts.isInterfaceDeclaration(statement) ||
			ts.isTypeAliasDeclaration(statement) ||
			ts.isEnumDeclaration(statement);
		return isNamed && statement.name !== undefined ? [statement.name.text] : [];
	});
}

const paths = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
	cwd: projectFolder,
	encoding: 'utf8',
})
	.split('\n')
	.filter(isChecked);

const findings: Finding[] = [];
const counts = new Map(
	glossary.map((term) => [
		term,
		{ prose: 0, nodes: 0, 'other code': 0 } satisfies Record<Area, number>,
	]),
);
const filesByName = new Map<string, Set<string>>();

for (const path of paths) {
	const text = readFileSync(join(projectFolder, path), 'utf8');
	for (const term of glossary) {
		for (const match of text.matchAll(term.pattern)) {
			const count = counts.get(term);
			if (count !== undefined) count[areaOf(path)] += 1;
			if (term.rejected) {
				findings.push(`${path}:${lineAt(text, match.index)} "${match[0]}" → ${term.instead}`);
			}
		}
	}
	if (/^(?:nodes|credentials)\/.*\.ts$/.test(path)) {
		// A type and its zod schema or a function and its overloads may share a name within one file.
		for (const name of topLevelNames(path, text)) {
			filesByName.set(name, (filesByName.get(name) ?? new Set()).add(path));
		}
	}
}
for (const [name, files] of filesByName) {
	if (files.size > 1) findings.push(`${name} is defined in ${[...files].join(' and ')}`);
}

if (process.argv.includes('--counts')) {
	console.log(`| Word | ${areas.join(' | ')} | Instead |\n| --- | --- | --- | --- | --- |`);
	for (const [{ pattern, instead }, count] of counts) {
		const word = pattern.source.replaceAll('|', '\\|');
		console.log(`| \`${word}\` | ${areas.map((area) => count[area]).join(' | ')} | ${instead} |`);
	}
}
for (const finding of findings) console.error(finding);
if (findings.length > 0) process.exitCode = 1;
