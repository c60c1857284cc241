const columns = ['group', 'cases', 'failed', 'seconds', 'result'];

/** The table of groups with their cases and seconds, and the count of all cases below it. */
function format(rows) {
	const header = Object.fromEntries(columns.map((column) => [column, column]));
	const widths = columns.map((column) =>
		Math.max(...[header, ...rows].map((row) => String(row[column]).length)),
	);
	const line = (row) =>
		columns
			.map((column, index) => String(row[column]).padEnd(widths[index]))
			.join('  ')
			.trimEnd();
	const sum = (member) => rows.reduce((total, row) => total + row[member], 0);
	const count = `${sum('passed')} passed, ${sum('failed')} failed`;
	return ['', line(header), ...rows.map(line), '', count].join('\n');
}

module.exports = { format };
