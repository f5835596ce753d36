import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { pipeline } from 'node:stream';
import { createServer, setDefaultCACertificates } from 'node:tls';
import {
  type DownstreamName,
  httpClaims,
  httpConsent,
  httpDocuments,
  httpEligibility,
  httpIdentity,
  httpNotifications,
  httpPolicy,
  httpSearchTransport,
} from '@portico/adapters-http';
import type { ClaimLocator, DocumentLocator, Identity, Leg, Member } from '@portico/core';
import { authenticate, unauthenticated } from '@portico/core';
import { systemClock } from '@portico/core/system';
import {
  claimsContract,
  consentContract,
  documentsContract,
  eligibilityContract,
  identityContract,
  notificationsContract,
  passwordGrantContract,
  policyContract,
  searchTransportContract,
  type SourceFault,
} from '@portico/core/testing';
import { err, ok } from 'neverthrow';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Fault, startFaultyServer } from './faults.ts';
import { tokenOf } from './sandbox.ts';
import { type SeedMember, seedMembers } from './seed/members.ts';
import { type IdentityProvider, startIdentityProvider } from './identity-provider/identity.ts';
import { startSearchNetworks } from './search.ts';
import { sandboxServices } from './services.ts';

const paid = [['status', 'paid']] as const;

/** The contract suites must pass on a busy machine. */
const runner = { describe, it, deadlineMs: 60_000 };

/** Can sign in, but no service has data about this member. */
const unknownMember = {
  username: 'stranger',
  password: 'sandbox-stranger',
  partyLocator: 'PTY-9999',
  name: 'Sample Stranger',
  email: 'stranger@example.com',
};

let seeds: readonly SeedMember[];
let provider: IdentityProvider;
let identity: Identity;
let members: readonly [Member, Member, Member, Member];
const running: { close(): Promise<void> }[] = [];

beforeAll(async () => {
  seeds = await seedMembers();
  const users = [...seeds, unknownMember];
  provider = await startIdentityProvider({ users });
  identity = httpIdentity({ issuer: provider.issuer, audience: ['portico'] });
  const signIn = async ({ username }: { readonly username: string }) => {
    const verified = await authenticate(identity)(await tokenOf(provider, users, username));
    if (verified.isErr()) throw new Error(`${username} was refused: ${verified.error.kind}`);
    return verified.value;
  };
  members = (await Promise.all(users.map(signIn))) as unknown as typeof members;
});
afterEach(() => Promise.all(running.splice(0).map((one) => one.close())));
afterAll(() => provider.close());

type Scheme = 'http' | 'https';

const pemFile = new URL('../../../packages/adapters-http/src/http/loopback-certificate.test.pem', import.meta.url);
const pem = readFileSync(pemFile, 'utf8');
const cert = pem.slice(pem.indexOf('-----BEGIN CERTIFICATE'));
setDefaultCACertificates([cert]);

/** The same server behind TLS. */
const behindTls = async (url: string): Promise<string> => {
  const port = Number(new URL(url).port);
  const server = createServer({ key: pem, cert }, (near) => {
    const far = connect(port, '127.0.0.1');
    pipeline(near, far, near, () => {});
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  running.push({ close: async () => void server.close() });
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

const reached = async (scheme: Scheme, leg: Leg): Promise<Leg> =>
  scheme === 'https' ? { ...leg, gatewayUrl: await behindTls(leg.gatewayUrl) } : leg;

const faults: Readonly<Record<SourceFault, Fault>> = {
  refused: { kind: 'refuse' },
  slow: { kind: 'black-hole' },
  garbage: { kind: 'garbage' },
  reset: { kind: 'reset' },
};

/** One verifier for each audience: a new one requests the keys again. */
const verifiers = new Map<string, Identity>();
const identityFor = (audience: readonly string[]): Identity => {
  const name = audience.join();
  const verifier = verifiers.get(name) ?? httpIdentity({ issuer: provider.issuer, audience });
  verifiers.set(name, verifier);
  return verifier;
};

/** A new service with its own data, so that the tests of a contract are independent. */
const fresh = async (name: DownstreamName, scheme: Scheme) => {
  const server = await startFaultyServer(sandboxServices(provider.issuer, seeds, identityFor)[name]);
  running.push(server);
  let isSlow = false;
  const clock = { ...systemClock, after: (ms: number, task: () => void) => systemClock.after(isSlow ? 20 : ms, task) };
  const fail = async (fault: SourceFault) => {
    isSlow = fault === 'slow';
    await server.setFault(faults[fault]);
  };
  const [member, other, neverSet, unknown] = members;
  const url = scheme === 'https' ? await behindTls(server.url) : server.url;
  return { settings: { url, clock }, member, other, neverSet, unknown, fail, secrets: [url] };
};

identityContract(runner, async () => {
  const token = await tokenOf(provider, seeds, 'member-a');
  const [header, payload, signature = ''] = token.split('.');
  const forged = `${header}.${payload}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`;
  return { identity, token, subject: 'member-a', forged, mint: provider.mint };
});

passwordGrantContract(runner, () => ({
  identity,
  credentials: { grant: 'password', clientId: 'portico-cli', username: 'member-a', password: 'sandbox-a' },
  subject: 'member-a',
}));

describe('the client credentials grant', () => {
  const smoke = { grant: 'client_credentials', clientId: 'portico-smoke', clientSecret: 'smoke-secret' } as const;

  it('returns a token for the first member', async () => {
    const granted = await identity.requestToken(smoke);
    expect(granted).toMatchObject({ value: { expiresInSeconds: 900 } });
    const client = granted.map(({ token }) => token).asyncAndThen(authenticate(identity));
    expect(await client.map(({ locator }) => locator)).toEqual(ok('PTY-1001'));
  });

  it.each([
    ['a wrong secret', { ...smoke, clientSecret: 'guess' }],
    ['a missing secret', { grant: 'client_credentials', clientId: 'portico-smoke' } as const],
    ['an unknown client', { ...smoke, clientId: 'portico-smoker' }],
  ])('refuses %s', async (_, request) => {
    expect(await identity.requestToken(request)).toEqual(err(unauthenticated('invalid-client')));
  });
});

// TLS is below the adapters: these read, write, stream, and use another transport; the others add nothing.
describe.each<Scheme>(['http', 'https'])('over %s', (scheme) => {
  claimsContract(runner, async () => {
    const { settings, ...people } = await fresh('claims', scheme);
    return {
      claims: httpClaims(settings),
      claim: 'CLM-1001-01' as ClaimLocator,
      unmatched: [['status', 'none']],
      queries: [
        { query: paid, isMatched: true },
        { query: [...paid, ['type', 'dental']], isMatched: false },
        { query: [...paid, ['from', '2026-02-12']], isMatched: true },
      ],
      ...people,
    };
  });

  documentsContract(runner, async () => {
    const { settings, ...people } = await fresh('documents', scheme);
    return {
      documents: httpDocuments(settings),
      document: 'DOC-EOB-1001-05' as DocumentLocator,
      unmatched: [['type', 'none']],
      queries: [
        { query: [['type', 'eob']], isMatched: true },
        {
          query: [
            ['type', 'eob'],
            ['status', 'none'],
          ],
          isMatched: false,
        },
      ],
      ...people,
    };
  });

  searchTransportContract(runner, async () => {
    const networks = await startSearchNetworks({ delayMs: [5, 20] });
    running.push(networks);
    const { moa, mh } = networks.legs('http://127.0.0.1:9');
    await networks.mh.setBehaviour({ fault: 'nack' });
    const closed = await startFaultyServer(() => {});
    await closed.close();
    return {
      transport: httpSearchTransport(),
      acking: await reached(scheme, { id: 'moa', ...moa }),
      nacking: await reached(scheme, { id: 'mh', ...mh }),
      gone: { id: 'gone', ...moa, gatewayUrl: closed.url },
    };
  });
});

describe('over http only', () => {
  eligibilityContract(runner, async () => {
    const { settings, ...people } = await fresh('eligibility', 'http');
    const own = { coverage: 'COV-1001', accumulators: '1594' };
    return { eligibility: httpEligibility(settings), own, ...people };
  });

  policyContract(runner, async () => {
    const { settings, ...people } = await fresh('policy', 'http');
    return { policy: httpPolicy(settings), own: seeds[0]!.name, ...people };
  });

  notificationsContract(runner, async () => {
    const { settings, ...people } = await fresh('notifications', 'http');
    const unmatched = { list: [['type', 'none']], log: [['status', 'none']] } as const;
    return { notifications: httpNotifications(settings), unmatched, ...people };
  });

  consentContract(runner, async () => {
    const { settings, ...people } = await fresh('consent', 'http');
    return { consent: httpConsent(settings), ...people };
  });
});
