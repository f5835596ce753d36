import { X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import type { ProxySelector } from './proxy.ts';

/** How a server is verified, and how this client identifies itself. Certificates and keys are PEM texts. */
export interface TlsSettings {
  /** The only certificate authorities that are trusted. Default: those of Node. */
  readonly ca?: string;
  /** The client certificate, and after it the intermediate certificates. Requires `key`. */
  readonly cert?: string;
  /** The private key of `cert`. Never encrypted. */
  readonly key?: string;
  /** The name in the server's certificate, also sent as SNI (RFC 6066, section 3). Default: the host of the URL. */
  readonly serverName?: string;
}

/** How an adapter connects. The default is TLS with Node's certificate authorities, without a proxy. */
export interface ConnectionSettings {
  /**
   * A function is called for each request, and must be fast. When it returns another object, new connections use that
   * object: requests in flight finish on the old ones.
   */
  readonly tls?: TlsSettings | (() => TlsSettings);
  /** Called for the first request to an origin, and again after each change of `tls`. Default: no proxy. */
  readonly proxy?: ProxySelector;
}

/**
 * Throws when a certificate, a key or a CA is not valid PEM, or the key does not belong to the certificate. Node itself
 * ignores a CA that is not a certificate, and an empty certificate or key; an empty CA would mean its own authorities.
 */
export const checkTls = ({ ca, cert, key }: TlsSettings): void => {
  if ((cert === undefined) !== (key === undefined)) throw new TypeError('A certificate and its key belong together.');
  if (cert === '' || key === '') throw new TypeError('A certificate and its key must not be empty.');
  if (ca !== undefined) {
    const certificates = ca.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g);
    if (!certificates) throw new TypeError('A CA must have at least one certificate in PEM.');
    for (const certificate of certificates) void new X509Certificate(certificate);
  }
  createSecureContext(tlsOptions({ ca, cert, key }));
};

/** The options of Node and undici for TLS. Explicit, so that no option or variable of Node can weaken them. */
export const tlsOptions = ({ ca, cert, key, serverName }: Undefinable<TlsSettings>) => ({
  minVersion: 'TLSv1.2' as const,
  rejectUnauthorized: true,
  ca,
  cert,
  key,
  servername: serverName,
});

type Undefinable<T> = { readonly [Name in keyof T]: T[Name] | undefined };
