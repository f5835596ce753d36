import {
  becknSigner,
  registryDefaults,
  type RegistryProfileName,
  signerIdRule,
  signingKeyRule,
  type SigningSettings,
} from '@portico/adapters-http';
import { fromThrowable } from 'neverthrow';
import { z } from 'zod';
import { secretOf } from '../secrets.ts';
import { aString, baseUrl, oneOf, section } from '../setting-types.ts';

/** Checks one part of the signing settings, with valid values for the other parts. */
const canSign = (part: Partial<SigningSettings>): boolean => {
  const valid = { subscriberId: 's', uniqueKeyId: 'k', privateKey: Buffer.alloc(32).toString('base64') };
  return fromThrowable(becknSigner)({ ...valid, ...part }).isOk();
};

/** A key of this Portico on a network. */
export const signing = section({
  subscriberId: z
    .string(signerIdRule)
    .refine((subscriberId) => canSign({ subscriberId }), signerIdRule)
    .describe('Subscriber id of this Portico in the registry'),
  uniqueKeyId: z
    .string(signerIdRule)
    .refine((uniqueKeyId) => canSign({ uniqueKeyId }), signerIdRule)
    .describe('Id of this key in the registry'),
  privateKey: secretOf(
    z.string().refine((privateKey) => canSign({ privateKey }), signingKeyRule),
    signingKeyRule,
  ).describe('Base64 of the 32-byte Ed25519 seed, or of the seed and its public key'),
});

export const path = z.string('must be a path').regex(/^\//, 'must be a path');

/** A registry with sellers' keys. */
export const registry = section({
  url: baseUrl.describe('Base URL of the registry, without the path of the lookup'),
  profile: oneOf(Object.keys(registryDefaults.paths) as [RegistryProfileName, ...RegistryProfileName[]])
    .default(registryDefaults.profile)
    .describe('Kind of the registry, which decides its lookups and records'),
  path: path
    .optional()
    .describe(
      `Path of the lookup under url; default ${registryDefaults.paths.beckn}, with the profile ondc ${registryDefaults.paths.ondc}`,
    ),
  lookup: z
    .record(z.string(), aString.describe('A string'), 'must be an object of strings')
    .optional()
    .describe('Additional fields of the lookup, such as country and domain; not for the profile dedi'),
  registryName: aString
    .optional()
    .describe(
      `With the profile dedi: the registry that holds the subscribers; default ${registryDefaults.registryName}`,
    ),
  signing: signing
    .optional()
    .describe('Key that signs the lookups; the profile ondc requires one. Default: the signing of the leg'),
});
