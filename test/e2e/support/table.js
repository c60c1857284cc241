const columns = ['group', 'cases', 'failed', 'seconds', 'result'];

/** Formats a table of the groups with their test counts and seconds, followed by the totals. */
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
	const sum = (column) => rows.reduce((total, row) => total + row[column], 0);
	const totals = `${sum('passed')} passed, ${sum('failed')} failed`;
	return ['', line(header), ...rows.map(line), '', totals].join('\n');
}

module.exports = { format };
