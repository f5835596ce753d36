import { createPrivateKey, randomUUID } from 'node:crypto';
import { clientKeyAlgorithm, clientKeyRule, type ClientSettings, type Clock, type HeaderFields } from '@portico/core';
import { SignJWT } from 'jose';

export const clientAuthenticationMethods = ['client_secret_basic', 'client_secret_post', 'private_key_jwt'] as const;

/** What authenticates one token request: additional header fields and form parameters. */
interface ClientAuthentication {
  readonly headers: HeaderFields;
  readonly form: Readonly<Record<string, string>>;
}

/** Creates the authentication of a client (OpenID Connect Core 1.0, section 9). Throws a TypeError for a bad key. */
export const clientAuthentication = (
  client: ClientSettings,
  issuer: string,
  clock: Clock,
): (() => Promise<ClientAuthentication>) => {
  if ('privateKey' in client) return clientAssertion(client.id, client.privateKey, issuer, clock);
  const { id, secret, method = 'client_secret_basic' } = client;
  const authentication: ClientAuthentication =
    method === 'client_secret_basic'
      ? { headers: { authorization: basic(id, secret) }, form: {} }
      : { headers: {}, form: { client_id: id, client_secret: secret } };
  return async () => authentication;
};

/** RFC 6749, section 2.3.1: id and secret are encoded as form values before they are joined. */
const basic = (id: string, secret: string): string =>
  `Basic ${Buffer.from(`${formEncoded(id)}:${formEncoded(secret)}`).toString('base64')}`;

const formEncoded = (value: string): string => new URLSearchParams([['', value]]).toString().slice(1);

const assertionSeconds = 60;

/**
 * Signs a new assertion for each request (RFC 7523, section 2.2). Its audience is the issuer and not the token endpoint,
 * so that an endpoint with another owner cannot use it elsewhere.
 */
const clientAssertion = (id: string, privateKey: string, issuer: string, clock: Clock) => {
  const signing = signingKey(privateKey);
  if (!signing) throw new TypeError(`The private key of the client ${clientKeyRule}.`);
  const { key, algorithm } = signing;
  return async (): Promise<ClientAuthentication> => {
    const now = Math.floor(clock.now() / 1000);
    const assertion = await new SignJWT()
      .setProtectedHeader({ alg: algorithm, typ: 'JWT' })
      .setIssuer(id)
      .setSubject(id)
      .setAudience(issuer)
      .setJti(randomUUID())
      .setIssuedAt(now)
      .setExpirationTime(now + assertionSeconds)
      .sign(key);
    return {
      headers: {},
      form: {
        client_id: id,
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion: assertion,
      },
    };
  };
};

/** Describes what is wrong with a client's private key, or returns undefined. */
export const privateKeyProblem = (privateKey: string): string | undefined =>
  signingKey(privateKey) ? undefined : clientKeyRule;

/** Undefined for a key that cannot be used. The error of the parser is dropped: it may quote the key. */
const signingKey = (privateKey: string) => {
  try {
    const key = createPrivateKey(privateKey);
    const algorithm = clientKeyAlgorithm(key);
    return algorithm === undefined ? undefined : { key, algorithm };
  } catch {
    return undefined;
  }
};
