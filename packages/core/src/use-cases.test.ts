import { describe, expect, expectTypeOf, it } from 'vitest';
import type { GetClaim } from './claims/claims.ts';
import { fakePorts } from './ports.fake.ts';
import type { SomePorts } from './ports.ts';
import { createUseCases, hasService, serviceNames, type SomeUseCases, type UseCases } from './use-cases.ts';

describe('createUseCases', () => {
  it('creates the use cases of the services that are given, and no others', () => {
    const { identity, clock, claims } = fakePorts();
    expect(Object.keys(createUseCases({ identity, clock, claims }))).toEqual([
      'authenticate',
      'requestToken',
      'listClaims',
      'getClaim',
      'submitClaim',
    ]);
  });

  it('creates no use case for a service that is undefined', () => {
    const { identity, clock } = fakePorts();
    expect(Object.keys(createUseCases({ identity, clock, claims: undefined }))).toEqual([
      'authenticate',
      'requestToken',
    ]);
  });

  it('createUseCases has the use cases of a given service in its type, and those of other services as optional', () => {
    const { identity, clock, claims, ...others } = fakePorts();
    const use = createUseCases({ identity, clock, claims });
    expectTypeOf(use.getClaim).toEqualTypeOf<GetClaim>();
    // @ts-expect-error the consent service may be absent
    use.getConsent satisfies UseCases['getConsent'];
    expectTypeOf(createUseCases({ identity, clock, claims, ...others })).toExtend<UseCases>();
    expectTypeOf(createUseCases(fakePorts() as SomePorts)).toExtend<SomeUseCases>();
  });
});

describe('SomeUseCases', () => {
  it('does not accept a part of a service', () => {
    const { authenticate, requestToken, listClaims } = createUseCases(fakePorts());
    // @ts-expect-error getClaim and submitClaim are missing
    const part: SomeUseCases = { authenticate, requestToken, listClaims };
    expect(hasService(part, 'claims')).toBe(false);
  });

  it('does not have a service whose use cases are undefined', () => {
    const absent = { listClaims: undefined, getClaim: undefined, submitClaim: undefined };
    const use: SomeUseCases = { ...createUseCases(fakePorts()), ...absent };
    expect(hasService(use, 'claims')).toBe(false);
    expect(hasService(use, 'consent')).toBe(true);
  });

  it.each(serviceNames)('SomeUseCases has a service only if all its use cases are present: %s', (name) => {
    const { identity, clock, ...services } = fakePorts();
    expect(hasService(createUseCases({ identity, clock, [name]: services[name] }), name)).toBe(true);
    expect(hasService(createUseCases({ identity, clock, ...services, [name]: undefined }), name)).toBe(false);
  });
});
