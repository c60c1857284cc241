import { readState, writeState } from '../../../nodes/DeliveryService/trigger/state';

test('ignores a saved site whose Base URL contains user info', () => {
	const site = { companyId: 1001, webhookUrl: 'https://n8n.example/webhook/a', proof: '' };
	const other = { ...site, baseUrl: 'https://b.example/api' };
	const owner = { workflowId: 'w1', nodeId: 'n1' };
	const data = {};
	const sites = [{ ...site, baseUrl: 'https://user:s3cret@a.example/api' }, other];
	writeState(data, owner, { digests: [], sites });

	expect(readState(data, owner).sites).toEqual([other]);
});
