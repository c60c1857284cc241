import { outcomeOf, sampleOrder } from '../../support/sampleOrder';

test.each([
	'Recogida en tienda',
	'Retiro en sucursal',
	'Retirada na loja',
	'Retrait en magasin',
	'Ritiro in negozio',
	'Abholung im Laden',
	'Afhalen',
	'Hämta i butik',
	'Nouto',
	'Odbiór osobisty',
	'Osobní odběr',
	'Mağazadan teslim',
])('skips an order with the shipping method %s as a store pickup', (title) => {
	expect(outcomeOf(sampleOrder({ shipping_lines: [{ title }] }))).toMatchObject({
		kind: 'skipped',
		reason: 'localPickup',
	});
});
