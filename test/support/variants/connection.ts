import { testCredential } from '../engine/engine';
import type { VariantFixture } from './fixture';
import type { Observation } from './observation';

/** Tests the connection of the credential. */
export async function observeConnectionTest(
	fixture: VariantFixture,
	variant: string,
): Promise<Observation> {
	fixture.simulate(variant);
	const before = fixture.control.requests().length;
	const { status, message } = await testCredential(fixture.service.credential);
	const isRejected = /^(all-|list-403$)/.test(variant);
	// A 404 may mean an unknown company or an empty list.
	if (!variant.endsWith('-404')) expect(status).toBe(isRejected ? 'Error' : 'OK');
	if (status !== 'OK')
		for (const failure of fixture.failureMessages(before)) expect(message).toContain(failure);
	fixture.expectNoHarm([message]);
	return {
		outcome: status === 'OK' ? 'ok' : 'rejected',
		summary: status === 'OK' ? 'Connection successful.' : 'Reported as failed.',
		messages: [message],
	};
}
