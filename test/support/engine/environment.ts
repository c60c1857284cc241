/** The environment variables that n8n reads while it loads. Import this file before n8n-core. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The n8n user folder of this process, which keeps instance settings out of the home folder. */
const userFolder = mkdtempSync(join(tmpdir(), 'delivery-service-engine-'));

Object.assign(process.env, {
	N8N_USER_FOLDER: userFolder,
	N8N_LOG_LEVEL: 'silent',
	N8N_DIAGNOSTICS_ENABLED: 'false',
	// A developer's proxy must not see the requests to the local service.
	NO_PROXY: '127.0.0.1,localhost',
	no_proxy: '127.0.0.1,localhost',
});

/** Deletes the temporary n8n user folder. */
export function removeUserFolder(): void {
	rmSync(userFolder, { recursive: true, force: true });
}
