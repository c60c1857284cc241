const { basename } = require('node:path');

/** Prints, after all tests, a table of groups with their cases and seconds. */
class TableReporter {
	onRunComplete(_contexts, { testResults, numPassedTests, numFailedTests }) {
		const rows = testResults.map(
			({ testFilePath, testResults: cases, perfStats, failureMessage }) => ({
				group: basename(testFilePath, '.e2e.ts'),
				cases: String(cases.length),
				failed: String(cases.filter(({ status }) => status === 'failed').length),
				seconds: String(Math.round((perfStats.end - perfStats.start) / 1000)),
				result: failureMessage ? 'failed' : 'passed',
			}),
		);
		const columns = ['group', 'cases', 'failed', 'seconds', 'result'];
		const header = Object.fromEntries(columns.map((column) => [column, column]));
		const widths = columns.map((column) =>
			Math.max(...[header, ...rows].map((row) => row[column].length)),
		);
		const line = (row) =>
			columns.map((column, index) => row[column].padEnd(widths[index])).join('  ');
		console.log(['', line(header), ...rows.map(line), ''].join('\n'));
		console.log(`${numPassedTests} passed, ${numFailedTests} failed`);
	}
}

module.exports = TableReporter;
