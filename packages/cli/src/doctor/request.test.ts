import { describe, expect, it } from 'vitest';
import { unreached } from './request.ts';

describe('a request that failed is explained by its code', () => {
  it.each([
    ['ENOTFOUND', 'DNS: host name not found'],
    ['EAI_AGAIN', 'DNS: host name not found'],
    ['ECONNREFUSED', 'connection refused'],
    ['ECONNRESET', 'connection closed without a response'],
    ['UND_ERR_SOCKET', 'connection closed without a response'],
    ['EHOSTUNREACH', 'no route to the host'],
    ['UND_ERR_CONNECT_TIMEOUT', 'no response in time'],
    ['CERT_HAS_EXPIRED', 'TLS: the certificate has expired'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'TLS: the certificate is for another host name'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'TLS: the certificate is not trusted'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'TLS: the certificate is not trusted'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'TLS: the handshake failed'],
    ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', "TLS: the server refused Portico's certificate"],
    ['ERR_SSL_TLSV1_ALERT_UNKNOWN_CA', "TLS: the server refused Portico's certificate"],
    ['ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE', "TLS: the server refused Portico's certificate"],
    ['ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', 'TLS: the handshake failed'],
    ['UND_ERR_ABORTED', 'the proxy refused the connection'],
    ['EMFILE', 'the request failed'],
  ])('a request that failed with %s is explained as "%s"', (code, detail) => {
    const { advice, ...finding } = unreached(code, 'downstreams.claims.url');

    expect(finding).toEqual({ outcome: 'failed', detail: `${detail} (${code})` });
    expect(advice).not.toMatch(/[{}]/);
  });
});
