const { writeFileSync } = require('node:fs');
const { basename } = require('node:path');

const { format } = require('./table');

/**
 * Prints a table of the groups with their test counts and seconds after all tests. When several
 * groups run in parallel, writes the rows to the file E2E_ROWS instead, for one table of all groups.
 */
class TableReporter {
	onRunComplete(_contexts, { testResults }) {
		const rows = testResults.map(
			({ testFilePath, testResults: cases, perfStats, failureMessage }) => {
				const count = (expected) => cases.filter(({ status }) => status === expected).length;
				return {
					group: basename(testFilePath, '.e2e.ts'),
					cases: cases.length,
					passed: count('passed'),
					failed: count('failed'),
					seconds: Math.round((perfStats.end - perfStats.start) / 1000),
					result: failureMessage ? 'failed' : 'passed',
				};
			},
		);
		const { E2E_ROWS: rowsFile } = process.env;
		if (rowsFile === undefined) console.log(format(rows));
		else writeFileSync(rowsFile, JSON.stringify(rows));
	}
}

module.exports = TableReporter;
