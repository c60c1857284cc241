import { generate } from 'selfsigned';

/** What a TLS server shows, and the certificate by which a client trusts it; all in PEM. */
export interface ServerCertificate {
	readonly key: string;
	readonly cert: string;
	/** The authority that signed it, to be trusted by clients. */
	readonly authority: string;
}

const common = { keyType: 'ec', algorithm: 'sha256' } as const;

/**
 * Makes a certificate for host names, signed by a certificate authority that is made for it and
 * whose key nobody keeps: whoever trusts that authority trusts these names only.
 */
export async function certificateFor(hostNames: readonly string[]): Promise<ServerCertificate> {
	const authority = await generate(
		[{ name: 'commonName', value: 'Certificate authority of a test shop' }],
		{
			...common,
			extensions: [
				{ name: 'basicConstraints', cA: true, critical: true },
				{ name: 'keyUsage', keyCertSign: true, critical: true },
			],
		},
	);
	const server = await generate([{ name: 'commonName', value: 'Test shop' }], {
		...common,
		ca: { key: authority.private, cert: authority.cert },
		extensions: [
			{ name: 'basicConstraints', cA: false, critical: true },
			{ name: 'extKeyUsage', serverAuth: true },
			{
				name: 'subjectAltName',
				altNames: hostNames.map((value) => ({ type: 2, value })),
			},
		],
	});
	return { key: server.private, cert: server.cert, authority: authority.cert };
}
