import { readFileSync } from 'node:fs';

import { DeliveryServiceApi } from '../../credentials/DeliveryServiceApi.credentials';
import { DeliveryService } from '../../nodes/DeliveryService/DeliveryService.node';
import { DeliveryServiceTrigger } from '../../nodes/DeliveryService/DeliveryServiceTrigger.node';
import { referenceFile, renderReference } from '../../tools/docs';

const nodes = [new DeliveryService(), new DeliveryServiceTrigger()];
const render = () => renderReference(nodes, new DeliveryServiceApi());

test('docs/reference.md is up to date (if not, run `npm run docs`)', () => {
	expect(readFileSync(referenceFile, 'utf8')).toBe(render());
});
