import { streetAndRest } from '../../../nodes/DeliveryService/shopify/houseNumber';

test.each([
	['Hauptstraße', '12'],
	['Kerkstraat', 'nr. 12 bis'],
	['Rua Augusta', 'nº 1500, Apto 45'],
	['Avenida Insurgentes Sur', '#1602 Int 4'],
	['شارع التحرير', '١٢'],
	['ул. Ленина', 'д. 5 кв. 12'],
	['Nguyễn Huệ', 'Số 12'],
	['MG Road', 'House No. 5'],
	['MG Road', 'H.No. 12-3-45'],
	['Hauptstraße', 'Hausnummer 7'],
	['Calle Luna', 'Ext. 45 Int. 3'],
	['Rua Augusta', ', 1500'],
	['ハーバー通り', '１２'],
	['Av. Corrientes', '1234 piso 5'],
	['Bank Street', '400 floor 3'],
	['пр. Перемоги', 'буд. 12'],
	['MG Road', 'Plot No. 45'],
	['Main Road', 'Plot 45'],
	// Numbers that are part of the name are no house number.
	['Calle 10', '#45-23'],
	['Carrera 7', '# 45 - 23'],
	['Rua 25 de Março', '500'],
	['Straße des 17. Juni', '135'],
	['1234. Sokak', 'No: 5 D: 3'],
	['5th Avenue', '350'],
	['Rue du 1er Mai', '8'],
	['Via 25 Aprile', '3'],
	['Rue du 8 Mai 1945', '12'],
	['Pl. 1 Mai', '4'],
	['7a Avenida', '12-23 Zona 9'],
	['Tv. 93', '53-32'],
	// The first line has only the number.
	['12 B', 'Rue de la Paix'],
	['12-14', 'High Street'],
	['No. 12', 'High Street'],
	['House 12', 'High Street'],
	['Harbor House', '12 Stockton Street'],
	['12', '10 de Agosto'],
	['12', '5th Avenue'],
	['12', 'Main Street, Apt 4'],
])('%s / %s is a street in two lines', (street, secondLine) => {
	expect(streetAndRest(street, secondLine)).toEqual([`${street} ${secondLine}`]);
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
	['Hauptstraße', '2.OG'],
	['12 March Street', '4'],
	['K 7 # 45-23', 'Apto 301'],
	['Haus 3 Mai', 'Eingang 2'],
	['Résidence des Pins', '2ème étage'],
	['Résidence des Pins', '2e étage'],
	['Harbor House', '2nd floor'],
	['Kerkstraat', '0612345678'],
	['Hauptstraße', '0171 2345678'],
	['Main Street', '(502) 555-0181'],
	['Main Street', '8am-5pm only'],
	['Main Street', '10:00-14:00'],
	['Torres', 'Calle Mayor 12'],
	['12', '3'],
	['Apt 4', 'Harbor House'],
	['c/o Müller, Hauptstraße 12', 'Hinterhof 2'],
	['Apt 4', 'Floor 2'],
	['Unit Street 5', 'Building 3'],
	['Apt 4, 12 Main Street', 'Gate 3'],
	['Edificio Norte', '3 piso'],
	['Edificio Norte', '12 piso 1204'],
	['ул. Ленина', '5 этаж'],
	['Harbor House', '12 floor'],
	['中正大樓', '5樓'],
	['하버빌딩', '3층'],
	['ハーバービル', '5階'],
])('%s / %s is not a street in two lines', (street, secondLine) => {
	expect(streetAndRest(street, secondLine)).toEqual([street, secondLine]);
});

test.each([
	['Dorfstrasse', '8001 Zürich', '8001'],
	['Main Street', '62704', '62704'],
	['Dorpsstraat', '1012 AB', '1012 AB'],
])('%s / %s repeats the ZIP code', (street, secondLine, zip) => {
	expect(streetAndRest(street, secondLine, zip)).toEqual([street, secondLine]);
	for (const number of ['12', `${zip.slice(0, 4)}0`])
		expect(streetAndRest(street, number, zip)).toEqual([`${street} ${number}`]);
});

test.each([
	['Apt 4', '12 Main Street'],
	['Suite #200', '350 5th Avenue'],
	['Unit 3B', '77 High Street, Leeds'],
	['Depto. 501', 'Av. Reforma 222'],
	['Piso 3', 'Calle Mayor 12'],
	['c/o Müller', 'Hauptstraße 12'],
	['Attn: Reception', '350 5th Avenue'],
	['кв. 5', 'ул. Ленина 12'],
	['Appt 12', '25 rue Victor Hugo'],
	['Ap. 10', 'Strada Lungă 5'],
	['Interno 3', 'Via Roma 12'],
	['Office 301', 'King Road 12'],
	['Byt 4', 'Dlouhá 12'],
	['Lejlighed 3', 'Nørregade 10'],
	['Lgh 1102', 'Storgatan 5'],
	['شقة 5', 'شارع التحرير 12'],
	['דירה 3', 'רחוב הרצל 12'],
	['Flat No. 4', '12 MG Road'],
	['Apt. B', '14 Baker Street'],
	['Casa 4', 'Av. Reforma 100'],
	['3rd Floor', '350 5th Avenue'],
	['3B', '77 High Street'],
	['4', '12 Main Street'],
	['#12-04', '8 Marina Boulevard'],
	['Flat 2/1', '12 High Street'],
	['12/F', '88 Canton Road'],
	['Flat B, 12/F, Tower 2', '88 Canton Road'],
])('%s / %s has its street in the second line', (apartment, street) => {
	expect(streetAndRest(apartment, street)).toEqual([street, apartment]);
});
