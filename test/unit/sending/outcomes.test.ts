import { storeProblem } from '../../../nodes/DeliveryService/sending/outcomes';

test("says what to do when n8n's MySQL or MariaDB has no room for more reference IDs", () => {
	// n8n 1.123.81 with MariaDB 10.11, with a row of 64 KB.
	const error = new Error("Data too long for column 'value' at row 1");
	expect(storeProblem(error)).toEqual({
		message: "n8n's MySQL or MariaDB database has no room for more reference IDs",
		description:
			'Ask your n8n administrator to change the column "value" of n8n\'s table "processed_data" to LONGTEXT, or to move n8n to PostgreSQL. Then run the workflow again.',
	});
});
