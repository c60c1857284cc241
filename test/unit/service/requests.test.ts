import * as requests from '../../../nodes/DeliveryService/service/requests';

test('sends the body of a creation unchanged', () => {
	const body = { deliveries: [], companyId: 7, type: 'flex' as const };
	expect(requests.creationRequest(body)).toEqual({
		method: 'POST',
		path: '/v1/deliveries',
		json: body,
	});
});

test('updates deliveries with PATCH at the dropoff endpoint', () => {
	const body = {
		deliveryIds: ['a'],
		deliveryChanges: { cod: 1 },
		recalculatePrice: true,
		reorderRoute: false,
		recalculateCity: true,
	};
	expect(requests.updateRequest(body)).toEqual({
		method: 'PATCH',
		path: '/v1/deliveries/dropoff',
		json: body,
	});
});

test('subscribes and unsubscribes with form fields and lists without any', () => {
	const subscription = { url: 'https://a.example/x?y=1', action: 3 };
	const form = { url: 'https://a.example/x?y=1', action: '3' };
	const path = '/hooks/companies/42';
	expect(requests.subscribeRequest(42, subscription)).toEqual({ method: 'POST', path, form });
	expect(requests.unsubscribeRequest(42, subscription)).toEqual({ method: 'DELETE', path, form });
	expect(requests.listWebhooksRequest(42)).toEqual({ method: 'GET', path });
});

test('unsubscribes a listed webhook by URL and event only', () => {
	const listed = { url: 'https://a.example', action: 1, status: 'active' };
	expect(requests.unsubscribeRequest(42, listed).form).toEqual({
		url: 'https://a.example',
		action: '1',
	});
});
