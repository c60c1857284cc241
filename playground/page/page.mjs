/**
 * Shared by the pages of the playground: tables that update their rows in place, and a stream of
 * updates from the server. Everything from the network is set as text, never as HTML.
 */

/** The element with this id. */
export const byId = (id) => document.getElementById(id);

/** Sets the text of an element, and its classes if given, unless they are set already. */
export function setText(element, text, className) {
	if (element.textContent !== text) element.textContent = text;
	if (className !== undefined && element.className !== className) element.className = className;
}

/** Returns the count with the noun in the singular or plural: `1 delivery`. */
export const counted = (count, singular, plural = singular + 's') =>
	count + ' ' + (count === 1 ? singular : plural);

/**
 * Shows lines of text in an element. Each line has a text, and optionally classes and the URL of a link.
 */
export function linesIn(element, lines) {
	while (element.childElementCount > lines.length) element.lastElementChild.remove();
	lines.forEach(([text, className = '', url], index) => {
		const line = element.children[index] ?? element.appendChild(document.createElement('div'));
		if (line.className !== className) line.className = className;
		let link = line.querySelector('a');
		if (url === undefined) {
			if (link !== null) link.remove();
			setText(line, text);
			return;
		}
		if (link === null) {
			link = document.createElement('a');
			line.replaceChildren(link);
		}
		link.href = url;
		setText(link, text);
	});
}

/** Shows the links to other pages in the element `links`, and returns them. */
export async function showLinks() {
	const links = await (await fetch('/links')).json();
	linesIn(
		byId('links'),
		links.map(({ name, url }) => [name, '', url]),
	);
	return links;
}

/** Sends JSON to the server, and shows an error in the element `problem`. */
export async function post(path, body) {
	setText(byId('problem'), '');
	try {
		const response = await fetch(path, {
			method: 'POST',
			headers: { 'Content-Type': 'application/json' },
			body: JSON.stringify(body),
		});
		if (!response.ok) setText(byId('problem'), (await response.json()).message);
	} catch {
		setText(byId('problem'), 'The server does not respond.');
	}
}

/**
 * Returns a function that shows items as the rows of a section's table. A row with the same key is
 * updated in place, so that its button keeps the focus.
 *
 * @param sectionId the ID of the section
 * @param columns the number of columns
 * @param getKey returns the key of an item
 * @param fill writes an item into the cells of its row
 */
export function table(sectionId, columns, getKey, fill) {
	const section = byId(sectionId);
	const body = section.querySelector('tbody');
	const rows = new Map();
	return (items) => {
		const empty = section.querySelector('.empty');
		if (empty !== null) empty.hidden = items.length > 0;
		section.querySelector('table').hidden = items.length === 0;
		const keys = new Set(items.map(getKey));
		for (const [key, row] of rows) {
			if (!keys.has(key)) {
				row.remove();
				rows.delete(key);
			}
		}
		let nextRow = body.firstChild;
		for (const item of items) {
			const key = getKey(item);
			let row = rows.get(key);
			if (row === undefined) {
				row = document.createElement('tr');
				for (let column = 0; column < columns; column += 1) row.insertCell();
				rows.set(key, row);
			}
			if (row === nextRow) nextRow = nextRow.nextSibling;
			else body.insertBefore(row, nextRow);
			fill(row.cells, item, row);
		}
	};
}

/** The button in a cell with this position among its buttons, created on the first call. */
export function buttonIn(cell, onClick, index = 0) {
	const existing = cell.querySelectorAll('button')[index];
	if (existing !== undefined) return existing;
	const button = document.createElement('button');
	button.type = 'button';
	button.addEventListener('click', onClick);
	cell.append(button);
	return button;
}

const fillProblem = ([cell], { name, label, text, isActive = false }, row) => {
	row.classList.toggle('selected', isActive);
	const button = buttonIn(cell, () => post('/control/problems/' + name, {}));
	setText(button, isActive ? 'End: ' + label : label);
	const note = cell.querySelector('p') ?? cell.appendChild(document.createElement('p'));
	setText(note, text);
};

const problemsSection = `
	<div>
		<h2>Cause a problem</h2>
		<span class="quiet">and read what n8n emails to the owner</span>
	</div>
	<div class="scroll">
		<table>
			<tbody></tbody>
		</table>
	</div>`;

let fillProblems;

/**
 * Shows a button for each problem that a visitor can cause, with what happens then, in the section
 * `problems`.
 */
export function showProblems(problems) {
	if (fillProblems === undefined) {
		byId('problems').innerHTML = problemsSection;
		fillProblems = table('problems', 1, ({ name }) => name, fillProblem);
	}
	fillProblems(problems);
}

/** Shows each update from the server, and the state of the connection in the element `live`. */
export function watch(path, show) {
	const stream = new EventSource(path);
	stream.addEventListener('open', () => setText(byId('live'), '● Live', 'good'));
	stream.addEventListener('error', () => setText(byId('live'), '○ Reconnecting…', 'bad'));
	stream.addEventListener('message', ({ data }) => show(JSON.parse(data)));
}
