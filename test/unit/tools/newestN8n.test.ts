import { newerVersions, firstInstallable } from '../../../tools/newestN8n';

test('tries newer releases of n8n, the newest first, and no previews', () => {
	const listed = ['1.123.81', '2.9.0', '2.41.1', '2.41.10', '2.41.3', '2.42.0-beta.1', '3.0.0'];
	expect(newerVersions(listed, '2.41.1')).toEqual(['3.0.0', '2.41.10', '2.41.3']);
	expect(newerVersions(listed, '3.0.0')).toEqual([]);
});

test('takes the newest n8n that can be installed, and names newer ones with the reason', async () => {
	const log = jest.spyOn(console, 'log').mockImplementation(() => undefined);
	const problemOf = async (version: string) =>
		await Promise.resolve(version < '2.43' ? undefined : `${version} needs a missing package`);

	expect(await firstInstallable(['2.44.0', '2.43.0', '2.42.0', '2.41.9'], problemOf)).toBe(
		'2.42.0',
	);
	expect(log.mock.calls).toEqual([
		["n8n 2.44.0 can't be installed:\n2.44.0 needs a missing package"],
		["n8n 2.43.0 can't be installed:\n2.43.0 needs a missing package"],
	]);
	expect(await firstInstallable(['2.44.0'], problemOf)).toBeUndefined();
	log.mockRestore();
});
