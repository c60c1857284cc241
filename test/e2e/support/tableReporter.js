const { writeFileSync } = require('node:fs');
const { basename } = require('node:path');

const { format } = require('./table');

/**
 * Prints, after all tests, a table of groups with their cases and seconds. When several groups run
 * at once, it is left in the file that E2E_ROWS names, for one table of all.
 */
class TableReporter {
	onRunComplete(_contexts, { testResults }) {
		const rows = testResults.map(
			({ testFilePath, testResults: cases, perfStats, failureMessage }) => {
				const count = (wanted) => cases.filter(({ status }) => status === wanted).length;
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
