/**
 * What the pages of the playground share: rows that stay while their content changes, and a stream
 * of views from the server. Everything that came over the network is set as text, never as markup.
 */

/** The element with this id. */
export const byId = (id) => document.getElementById(id);

/** Sets an element's text, and its classes when given, without touching what is so already. */
export function setText(element, text, className) {
	if (element.textContent !== text) element.textContent = text;
	if (className !== undefined && element.className !== className) element.className = className;
}

/** Shows lines of text in a cell, each given with its classes. */
export function linesIn(cell, lines) {
	while (cell.childElementCount > lines.length) cell.lastElementChild.remove();
	lines.forEach(([text, className], index) => {
		const line = cell.children[index] ?? cell.appendChild(document.createElement('div'));
		setText(line, text, className);
	});
}

/** Sends JSON to the server; what goes wrong appears in the element `problem`. */
export async function post(path, body, method = 'POST') {
	setText(byId('problem'), '');
	try {
		const answer = await fetch(path, {
			method,
			headers: { 'Content-Type': 'application/json' },
			body: JSON.stringify(body),
		});
		if (!answer.ok) setText(byId('problem'), (await answer.json()).message);
	} catch {
		setText(byId('problem'), 'The server does not answer.');
	}
}

/**
 * Gives a function that shows items as the rows of a section's table: one row per key, so that a
 * button keeps the focus while the data around it changes. `fill` writes an item into its cells.
 */
export function table(sectionId, columns, keyOf, fill) {
	const section = byId(sectionId);
	const body = section.querySelector('tbody');
	const rows = new Map();
	return (items) => {
		section.querySelector('.empty').hidden = items.length > 0;
		section.querySelector('table').hidden = items.length === 0;
		const wanted = new Set(items.map(keyOf));
		for (const [key, row] of rows) {
			if (!wanted.has(key)) {
				row.remove();
				rows.delete(key);
			}
		}
		let place = body.firstChild;
		for (const item of items) {
			const key = keyOf(item);
			let row = rows.get(key);
			if (row === undefined) {
				row = document.createElement('tr');
				for (let column = 0; column < columns; column += 1) row.insertCell();
				rows.set(key, row);
			}
			if (row === place) place = place.nextSibling;
			else body.insertBefore(row, place);
			fill(row.cells, item, row);
		}
	};
}

/** The button in a cell, made at the first call. */
export function buttonIn(cell, onClick) {
	const present = cell.querySelector('button');
	if (present !== null) return present;
	const button = document.createElement('button');
	button.type = 'button';
	button.addEventListener('click', onClick);
	cell.append(button);
	return button;
}

/** Shows each view that the server sends, and in the element `live` whether it can be heard. */
export function watch(path, show) {
	const stream = new EventSource(path);
	stream.addEventListener('open', () => setText(byId('live'), '● Live', 'good'));
	stream.addEventListener('error', () => setText(byId('live'), '○ Reconnecting…', 'bad'));
	stream.addEventListener('message', ({ data }) => show(JSON.parse(data)));
}
