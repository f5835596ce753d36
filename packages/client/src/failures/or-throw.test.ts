import { notFound, preconditionFailed, toJson, unauthenticated, upstream } from '@portico/core';
import { errAsync, okAsync } from 'neverthrow';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { type Claim, type ClientFailure, type Coverage, orThrow, type PorticoClient, PorticoError } from '../index.ts';

describe('orThrow', () => {
  it('resolves with the value of a call', async () => {
    await expect(orThrow(okAsync('value'))).resolves.toBe('value');
  });

  it.each<readonly [ClientFailure, string]>([
    [notFound('claims'), 'not-found (claims)'],
    [upstream('policy', 'timeout'), 'upstream (policy, timeout)'],
    [preconditionFailed('policy'), 'precondition-failed (policy)'],
    [unauthenticated('missing'), 'unauthenticated (missing)'],
    [{ kind: 'refused', status: 413, code: 'too-large', detail: 'private' }, 'refused (413, too-large)'],
    [{ kind: 'unexpected-response', status: 502 }, 'unexpected-response (502)'],
    [{ kind: 'timed-out' }, 'timed-out'],
    [{ kind: 'rate-limited', retryAfterSeconds: 3 }, 'rate-limited'],
    [{ kind: 'invalid', detail: 'private', errors: [{ path: '/private', message: 'private' }] }, 'invalid'],
    [{ kind: 'unexpected', cause: new Error('private') }, 'unexpected'],
  ])('rejects with the failure, and a message without private data: %j', async (failure, message) => {
    const error: unknown = await orThrow(errAsync(failure)).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(PorticoError);
    expect(error).toMatchObject({ name: 'PorticoError', message, failure });
  });
});

/** What a program reads of the responses; only compiled. */
const reads = async (portico: PorticoClient) => ({
  plan: (await orThrow(portico.getCoverage())).value?.plan?.name,
  owed: (await orThrow(portico.getClaim('CLM-1'))).value?.memberResponsibilityAmount,
  submitted: (await orThrow(portico.submitClaim(toJson({})))).claim.value?.locator,
  email: (await orThrow(portico.changePreferences({ sms: true }))).value?.email,
  claims: (await orThrow(portico.listClaims([]))).value?.claims,
});

describe('the type of a body', () => {
  it('is that of the OpenAPI document, and undefined without content', () => {
    expectTypeOf(reads).returns.resolves.toEqualTypeOf<{
      plan: string | undefined;
      owed: number | null | undefined;
      submitted: string | undefined;
      email: boolean | undefined;
      claims: readonly Claim[] | undefined;
    }>();
  });

  it('allows codes that the document does not list', () => {
    const status: Coverage['status'] = 'suspended';
    expect(status).toBe('suspended');
  });
});
