import { createHmac, randomBytes } from 'node:crypto';

import { z } from 'zod';

import { ShopRejection, type Order } from './shapes';

/** A client credentials token lives a day; one from the authorization code grant does not expire. */
const tokenSeconds = 86_399;
const visibleMs = 60 * 86_400_000;

/** What a token may do. */
export interface Access {
	/** Whether the token has a scope. */
	has(scope: string): boolean;
	/** Throws a ShopRejection (403) if the token lacks a scope. */
	require(scope: string): void;
	/** Whether an order exists for the app: without `read_all_orders`, only those of 60 days do. */
	readonly sees: (order: Order) => boolean;
	/** Returns an order without the fields that the app may not see. */
	visible<Seen extends Order>(order: Seen): Seen;
}

/** A token in milliseconds since 1970; without a time, it does not expire. */
const tokenShape = z.object({ scopes: z.array(z.string()), expiresAt: z.number().optional() });

type Token = z.infer<typeof tokenShape>;

/** The saved secret and tokens of the app. */
const savedShape = z.object({
	clientSecret: z.string(),
	permanentToken: z.string(),
	tokens: z.array(z.tuple([z.string(), tokenShape])),
});

/** The body of a request for a token. */
export const tokenRequestShape = z.object({
	client_id: z.string().optional(),
	client_secret: z.string().optional(),
	code: z.string().optional(),
	grant_type: z.string().optional(),
});

/** The response to a request for a token. */
export interface TokenResponse {
	readonly access_token: string;
	readonly scope: string;
	/** In seconds; absent if the token does not expire. */
	readonly expires_in?: number;
}

interface AppOptions {
	readonly domain: string;
	readonly now: () => number;
}

/** The settings of the app in the Dev Dashboard, as its released version has them. */
export interface AppSettings {
	/** Without a scope here, no token has it. */
	readonly scopes: readonly string[];
	/** Without custom distribution, the app sees no names, addresses, emails and phone numbers. */
	readonly isCustomDistribution: boolean;
	/** If undefined, every redirect URL is allowed. */
	readonly redirectUrls?: readonly string[];
}

/** What the full set of examples needs, as docs/setup.md lists it. */
const everyScope: readonly string[] = [
	'read_products',
	'write_products',
	'read_orders',
	'write_orders',
	'read_all_orders',
	'read_merchant_managed_fulfillment_orders',
	'write_merchant_managed_fulfillment_orders',
	'write_fulfillments',
	'read_customers',
	'read_payment_terms',
	'read_locations',
];

/**
 * The app that connects n8n with the shop: its settings, secret and tokens. See
 * https://shopify.dev/docs/apps/build/authentication-authorization.
 */
export class App {
	readonly clientId = 'local-client-id';
	/** Signs webhooks, and proves to the shop that a request is from the app. */
	clientSecret = 'shpss_local';
	/** The token of an app made in the admin before 2026: it has every scope and does not expire. */
	permanentToken = 'shpat_local';
	settings: AppSettings = { scopes: everyScope, isCustomDistribution: true };
	private readonly tokens = new Map<string, Token>();
	private readonly codes = new Map<string, readonly string[]>();

	constructor(private readonly options: AppOptions) {}

	/** Replaces the client secret. The tokens stay valid, as in Shopify. */
	rotateSecret(): void {
		this.clientSecret = `shpss_${randomBytes(8).toString('hex')}`;
	}

	/** Ends every token except the permanent one. */
	expireTokens(): void {
		this.tokens.clear();
	}

	/** Ends every token, as when the app is uninstalled, and creates another permanent one. */
	replaceTokens(): void {
		this.expireTokens();
		this.permanentToken = newToken();
	}

	/** What {@link restore} needs to go on after a restart. */
	save(): z.input<typeof savedShape> {
		const { clientSecret, permanentToken } = this;
		return { clientSecret, permanentToken, tokens: [...this.tokens] };
	}

	/** Takes the saved secret and tokens. Throws a ZodError if {@link save} did not save them. */
	restore(saved: unknown): void {
		const { clientSecret, permanentToken, tokens } = savedShape.parse(saved);
		Object.assign(this, { clientSecret, permanentToken });
		for (const [token, data] of tokens) this.tokens.set(token, data);
	}

	/** Checks the query of the URL to install the app. Throws a ShopRejection (400) with the reason. */
	checkAuthorization(query: URLSearchParams): void {
		const redirectUri = query.get('redirect_uri') ?? '';
		const { redirectUrls = [redirectUri] } = this.settings;
		if (query.get('client_id') !== this.clientId)
			throw new ShopRejection(400, 'Oauth error invalid_request: Could not find the application');
		if (!URL.canParse(redirectUri) || !redirectUrls.includes(redirectUri))
			throw new ShopRejection(
				400,
				'Oauth error invalid_request: The redirect_uri is not whitelisted',
			);
	}

	/**
	 * Installs the app, as the button on the consent page does. Throws a ShopRejection (400).
	 *
	 * @returns the redirect URL with a code
	 */
	authorize(query: URLSearchParams): string {
		this.checkAuthorization(query);
		const code = randomBytes(16).toString('hex');
		const wanted = query.get('scope')?.split(/[\s,]+/) ?? [];
		const { scopes } = this.settings;
		this.codes.set(
			code,
			wanted.filter((scope) => scopes.includes(scope)),
		);
		const url = new URL(query.get('redirect_uri') ?? '');
		const timestamp = String(Math.floor(this.options.now() / 1000));
		const state = query.get('state') ?? '';
		const answer = { code, shop: this.options.domain, state, timestamp };
		const signed = new URLSearchParams(answer).toString();
		const hmac = createHmac('sha256', this.clientSecret).update(signed).digest('hex');
		for (const [name, value] of Object.entries({ ...answer, hmac }))
			url.searchParams.set(name, value);
		return url.toString();
	}

	/** Exchanges a code or the client credentials for a token. Throws a ShopRejection (400). */
	createToken(request: z.infer<typeof tokenRequestShape>): TokenResponse {
		if (request.client_id !== this.clientId || request.client_secret !== this.clientSecret)
			throw new ShopRejection(400, 'invalid_client');
		if (request.grant_type === 'client_credentials') {
			const expiresAt = this.options.now() + tokenSeconds * 1000;
			return { ...this.store(this.settings.scopes, expiresAt), expires_in: tokenSeconds };
		}
		const { code = '' } = request;
		const scopes = this.codes.get(code);
		if (!scopes) throw new ShopRejection(400, 'invalid_request: authorization code was not found');
		this.codes.delete(code);
		return this.store(scopes);
	}

	/** Returns what a token may do; undefined if it is unknown or has expired. */
	access(token: string): Access | undefined {
		if (token === this.permanentToken) return this.accessWith(everyScope, true);
		const found = this.tokens.get(token);
		if (!found || (found.expiresAt ?? Infinity) <= this.options.now()) return undefined;
		return this.accessWith(found.scopes, this.settings.isCustomDistribution);
	}

	/** What the app sees of an order in its webhooks. */
	visible(order: object): object {
		return this.settings.isCustomDistribution ? order : withoutCustomerData(order);
	}

	private accessWith(scopes: readonly string[], seesCustomers: boolean): Access {
		const has = (scope: string) =>
			scopes.includes(scope) || scopes.includes(scope.replace('read', 'write'));
		const oldest = this.options.now() - visibleMs;
		return {
			has,
			require(scope) {
				if (has(scope)) return;
				const reason = `[API] This action requires merchant approval for ${scope} scope.`;
				throw new ShopRejection(403, reason);
			},
			sees: ({ created_at: time }) => has('read_all_orders') || Date.parse(time) >= oldest,
			visible: (order) => (seesCustomers ? order : withoutCustomerData(order)),
		};
	}

	private store(scopes: readonly string[], expiresAt?: number): TokenResponse {
		const token = newToken();
		this.tokens.set(token, { scopes: [...scopes], expiresAt });
		return { access_token: token, scope: scopes.join(',') };
	}
}

function newToken(): string {
	return `shpat_${randomBytes(16).toString('hex')}`;
}

/** The fields that Shopify protects: https://shopify.dev/docs/apps/launch/protected-customer-data. */
const protectedFields: ReadonlySet<string> = new Set([
	'email',
	'contact_email',
	'phone',
	'name',
	'first_name',
	'last_name',
	'company',
	'address1',
	'address2',
	'latitude',
	'longitude',
]);
const partsWithCustomerData = ['shipping_address', 'billing_address', 'customer'];

function withoutCustomerData<Data extends object>(data: Data): Data {
	const isProtected = (name: string) => protectedFields.has(name);
	const hide = (part: object) =>
		Object.fromEntries(
			Object.entries(part).map(([name, value]) => [name, isProtected(name) ? null : value]),
		);
	const hidden = Object.entries(data).map(([name, value]: [string, unknown]): [string, unknown] => {
		if (typeof value === 'object' && value !== null && partsWithCustomerData.includes(name))
			return [name, hide(value)];
		// The name of an order is its number.
		return [name, name !== 'name' && isProtected(name) ? null : value];
	});
	return Object.assign({}, data, Object.fromEntries(hidden));
}
