import { generate } from 'selfsigned';

/** The key and certificate of a TLS server, and the certificate authority to trust; all in PEM. */
export interface ServerCertificate {
	readonly key: string;
	readonly cert: string;
	/** The certificate of the authority, for clients to trust. */
	readonly authority: string;
}

const common = { keyType: 'ec', algorithm: 'sha256' } as const;

/**
 * Creates a certificate for host names, signed by a new certificate authority. The authority's key is
 * not kept, so trusting the authority means trusting only these names.
 */
export async function createCertificate(hostNames: readonly string[]): Promise<ServerCertificate> {
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
			{ name: 'subjectAltName', altNames: hostNames.map((value) => ({ type: 2, value })) },
		],
	});
	return { key: server.private, cert: server.cert, authority: authority.cert };
}
