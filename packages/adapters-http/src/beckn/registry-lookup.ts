import { type Clock, type Failure, isObject, upstream } from '@portico/core';
import { err, errAsync, ok, okAsync, type Result, type ResultAsync } from 'neverthrow';
import { type HttpClient, httpClient, httpDefaults, type HttpSettings } from '../http/client.ts';
import { is2xx } from '../http/response-readers.ts';
import type { HttpRequest } from '../http/transport.ts';
import { legSigner, type SignerSettings } from './leg-signer.ts';
import type { SigningSettings } from './signature.ts';

/** The registries that Portico can look up keys in. */
export type RegistryProfileName = 'beckn' | 'ondc' | 'uhi' | 'dedi';

/** `maxResponseBytes` limits the response with the records of one key. */
export const registryDefaults = {
  profile: 'beckn',
  registryName: 'subscribers.beckn.one',
  /** The path of the lookup. */
  paths: { beckn: '/lookup', ondc: '/v2.0/lookup', uhi: '/lookup', dedi: '/lookup' },
  maxResponseBytes: 1_048_576,
} as const;

/** Defaults: `registryDefaults` and `httpDefaults`. */
export interface RegistrySettings extends HttpSettings {
  /** Base URL of the registry, without the path of the lookup. */
  readonly url: string;
  /** Which kind of registry it is. */
  readonly profile?: RegistryProfileName | undefined;
  /** Path of the lookup below `url`. Default: the path of the profile. */
  readonly path?: string | undefined;
  /** Additional fields of the lookup, for example `country` and `domain`. Not for `dedi`. */
  readonly lookup?: Readonly<Record<string, string>> | undefined;
  /** Signs the lookup. The registry of ONDC requires it. */
  readonly signing?: SigningSettings | SignerSettings | undefined;
  /** For `dedi`: the registry that holds the subscribers. */
  readonly registryName?: string | undefined;
}

interface RegistryProfile {
  /** The name of the key id in the request. */
  readonly keyIdField: string;
  readonly recordsIn: (value: unknown) => unknown;
}

/**
 * The registries that are queried with `POST`, and the lists of records in their responses.
 *
 * - `beckn`: `POST /lookup`, an array (contract, section 5, "Signatures").
 * - `ondc`: `POST /v2.0/lookup`, signed, an array (ONDC-Official/developer-docs, `registry/Onboarding of
 *   Participants.md`, step 13). Records have `ukId`.
 * - `uhi`: `POST /lookup` with `pub_key_id`, the array in `message` (NHA-ABDM/UHI, `src/network_registry`,
 *   `RegistryController`, `SearchDto` and `ListofSubscribers`).
 */
const postProfiles: Readonly<Record<Exclude<RegistryProfileName, 'dedi'>, RegistryProfile>> = {
  beckn: { keyIdField: 'ukId', recordsIn: (value) => value },
  ondc: { keyIdField: 'ukId', recordsIn: (value) => value },
  uhi: {
    keyIdField: 'pub_key_id',
    recordsIn: (value) => (isObject(value) ? value['message'] : value),
  },
};

/** Requests the records of one key. An empty list: the registry has none. */
type LookUp = (subscriberId: string, uniqueKeyId: string) => ResultAsync<readonly unknown[], Failure>;

/** Creates the request of a registry's profile. Throws a TypeError when an id or key of `signing` is invalid. */
export const registryLookup = (settings: RegistrySettings, clock: Clock): LookUp => {
  const {
    url,
    profile = registryDefaults.profile,
    path = registryDefaults.paths[profile],
    lookup = {},
    signing,
    registryName = registryDefaults.registryName,
    ...http
  } = settings;
  const client = httpClient('registry', { ...http, clock });
  const base = url.replace(/\/+$/, '');
  if (profile === 'dedi') return dediLookup(client, base + path, registryName);
  const { keyIdField, recordsIn } = postProfiles[profile];
  const sign = signing && legSigner(signing, clock, http.timeoutMs ?? httpDefaults.timeoutMs);
  return (subscriberId, uniqueKeyId) => {
    const body = JSON.stringify({ ...lookup, subscriber_id: subscriberId, [keyIdField]: uniqueKeyId });
    const send = (authorization?: string) => {
      const headers = { ...jsonHeaders, ...(authorization !== undefined && { authorization }) };
      const request: HttpRequest = { method: 'POST', url: base + path, headers, body };
      return client.json(request, refuseErrors).andThen(({ value }) => asRecords(recordsIn(value)));
    };
    return sign
      ? sign(body, new AbortController().signal)
          .mapErr((): Failure => upstream('registry', 'unreachable'))
          .andThen(send)
      : send();
  };
};

/**
 * A DeDi registry as beckn-onix queries it (`pkg/plugin/implementation/dediregistry/README.md`): `GET
 * /lookup/{subscriber}/{registry}/{key}`, the record in `data.details`. 404: no such record; 410: revoked
 * (protocol-specifications-v2, `docs/13_DeDi_Registry_Integration.md`, section 2.4).
 */
const dediLookup =
  (client: HttpClient, lookupUrl: string, registryName: string): LookUp =>
  (subscriberId, uniqueKeyId) => {
    if ([subscriberId, uniqueKeyId].some(changesPath)) return okAsync([]);
    const path = [subscriberId, registryName, uniqueKeyId].map(encodeURIComponent).join('/');
    return client
      .json({ method: 'GET', url: `${lookupUrl}/${path}`, headers: { accept: 'application/json' } }, (status) =>
        status === 404 || status === 410 ? missing : refuseErrors(status),
      )
      .andThen(({ value }) => dediRecords(value, uniqueKeyId))
      .orElse((failure) => (failure === missing ? okAsync([]) : errAsync(failure)));
  };

/** Whether an id is more than one path segment, also for a proxy that decodes the path and resolves `..` in it. */
const changesPath = (id: string): boolean => id === '.' || id === '..' || /[/\\%]/.test(id);

/** Marks a missing record, which is no failure. */
const missing: Failure = upstream('registry', 'status');

const dediRecords = (value: unknown, uniqueKeyId: string): Result<readonly unknown[], Failure> => {
  const data = isObject(value) && isObject(value['data']) ? value['data'] : value;
  if (!isObject(data)) return err(upstream('registry', 'malformed'));
  const details = isObject(data['details']) ? data['details'] : data;
  // The subscriber writes the details, so they do not override a revocation by the registry.
  const isRevoked = (data['is_revoked'] ?? false) === false ? details['is_revoked'] : data['is_revoked'];
  // The path of the request names the key, so a record need not.
  return ok([{ keyId: uniqueKeyId, ...details, is_revoked: isRevoked }]);
};

const jsonHeaders = { accept: 'application/json', 'content-type': 'application/json' } as const;

const refuseErrors = (status: number): Failure | undefined =>
  is2xx(status) ? undefined : upstream('registry', 'status');

const asRecords = (records: unknown): Result<readonly unknown[], Failure> =>
  Array.isArray(records) ? ok(records as readonly unknown[]) : err(upstream('registry', 'malformed'));
