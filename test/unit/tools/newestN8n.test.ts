import { newerVersions } from '../../../tools/newestN8n';

test('tries newer releases of n8n, the newest first, and no previews', () => {
	const listed = ['1.123.81', '2.9.0', '2.41.1', '2.41.10', '2.41.3', '2.42.0-beta.1', '3.0.0'];
	expect(newerVersions(listed, '2.41.1')).toEqual(['3.0.0', '2.41.10', '2.41.3']);
	expect(newerVersions(listed, '3.0.0')).toEqual([]);
});
