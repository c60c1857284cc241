import { isInTwoLines } from '../../../nodes/DeliveryService/shopify/houseNumber';

test.each([
	['Hauptstraße', '12'],
	['Kerkstraat', 'nr. 12 bis'],
	['Rua Augusta', 'nº 1500, Apto 45'],
	['Avenida Insurgentes Sur', '#1602 Int 4'],
	['شارع التحرير', '١٢'],
	['ハーバー通り', '１２'],
	// Numbers that are part of the name are no house number.
	['Calle 10', '#45-23'],
	['Carrera 7', '# 45 - 23'],
	['Rua 25 de Março', '500'],
	['Straße des 17. Juni', '135'],
	['1234. Sokak', 'No: 5 D: 3'],
	['5th Avenue', '350'],
	['Rue du 1er Mai', '8'],
	['12 B', 'Rue de la Paix'],
])('%s / %s is a street in two lines', (street, secondLine) => {
	expect(isInTwoLines(street, secondLine)).toBe(true);
});

test.each([
	['Hauptstraße 12', '3'],
	['Calle 60 #491', '#5'],
	['350 5th Avenue', '#21'],
	['Blk 123 Ang Mo Kio Ave 3', '#12-345'],
	['شارع التحرير ١٢', '3'],
	['Edificio Norte', 'Apto 4'],
	['Edificio Norte', '3er piso'],
	['Edificio Norte', '2do piso'],
	['Hauptstraße', '2. OG links'],
	['Résidence des Pins', '2ème étage'],
	['Résidence des Pins', '2e étage'],
	['Harbor House', '2nd floor'],
	['Kerkstraat', '0612345678'],
	['12', '3'],
])('%s / %s is not a street in two lines', (street, secondLine) => {
	expect(isInTwoLines(street, secondLine)).toBe(false);
});
