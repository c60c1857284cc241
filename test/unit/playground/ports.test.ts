import crypto from 'node:crypto';

import type * as checks from '../../../playground/n8n/checks';

/** Returns the function as another process has it: with its own record of the ports that it gave. */
function freePortOfAnotherProcess(): typeof checks.freePort {
	jest.resetModules();
	return jest.requireActual<typeof checks>('../../../playground/n8n/checks').freePort;
}

test('processes that look for a port before any of them uses it get different ones', async () => {
	jest.spyOn(crypto, 'randomInt').mockImplementation(() => 16_500);
	const one = freePortOfAnotherProcess();
	const other = freePortOfAnotherProcess();
	jest.restoreAllMocks();

	const ports = [await one(), await other(), await one()];
	expect(new Set(ports).size).toBe(3);
});
