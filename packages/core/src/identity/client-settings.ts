/** Portico as a client of the identity provider. Default method: `client_secret_basic`, or `private_key_jwt`. */
export type ClientSettings =
  | { readonly id: string; readonly secret: string; readonly method?: 'client_secret_basic' | 'client_secret_post' }
  | {
      readonly id: string;
      /** In PEM; see `clientKeyRule`. */
      readonly privateKey: string;
      readonly method?: 'private_key_jwt';
    };

/** What the private key of a client must be, for error messages. */
export const clientKeyRule =
  'must be an unencrypted private key in PEM: RSA of at least 2048 bits, EC P-256, P-384 or P-521, or Ed25519';

/** The curves of OpenSSL's names, with their algorithms (RFC 7518, section 3.4). */
const algorithmsByCurve: Readonly<Record<string, string>> = {
  prime256v1: 'ES256',
  secp384r1: 'ES384',
  secp521r1: 'ES512',
};

/** The properties of a `KeyObject` of Node. */
interface ClientKey {
  readonly asymmetricKeyType?: string | undefined;
  readonly asymmetricKeyDetails?:
    | { readonly namedCurve?: string | undefined; readonly modulusLength?: number | undefined }
    | undefined;
}

/** The algorithm that the private key of a client signs with. Undefined when `clientKeyRule` does not allow the key. */
export const clientKeyAlgorithm = ({ asymmetricKeyType, asymmetricKeyDetails }: ClientKey): string | undefined => {
  if (asymmetricKeyType === 'ed25519') return 'EdDSA';
  if (asymmetricKeyType === 'ec') return algorithmsByCurve[asymmetricKeyDetails?.namedCurve ?? ''];
  return asymmetricKeyType === 'rsa' && (asymmetricKeyDetails?.modulusLength ?? 0) >= 2048 ? 'RS256' : undefined;
};
