import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Sandbox, startSandbox } from './sandbox.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ network: true });
});
afterAll(() => sandbox.close());

const send = async (method: string, path: string, body?: string) => {
  const response = await fetch(sandbox.control.url + path, { method, ...(body !== undefined && { body }) });
  return { status: response.status, ...((await response.json()) as object) };
};

describe('the control port', () => {
  it('sets and clears a fault of a service', async () => {
    const fault = { kind: 'status', status: 503 };
    expect(await send('PUT', '/faults/claims', JSON.stringify(fault))).toEqual({
      status: 200,
      service: 'claims',
      fault,
    });
    expect((await fetch(sandbox.services.claims.url)).status).toBe(503);
    expect(await send('DELETE', '/faults/claims')).toEqual({ status: 200, service: 'claims', fault: null });
    expect((await fetch(sandbox.services.claims.url)).status).toBe(401);
  });

  it('sets and clears a fault of a seller', async () => {
    await send('PUT', '/sellers/mh', '{"fault":"silent"}');
    expect(sandbox.search.mh.behaviour.fault).toBe('silent');
    await send('DELETE', '/sellers/mh');
    expect(sandbox.search.mh.behaviour.fault).toBeNull();
  });

  it('changes the delay and the fault of a seller of the network', async () => {
    const { slow } = sandbox.network!.sellers;
    expect(await send('PUT', '/sellers/slow', '{"delayMs":[1,2]}')).toEqual({
      status: 200,
      seller: 'slow',
      delayMs: [1, 2],
    });
    await send('PUT', '/sellers/slow', '{"fault":"nack"}');
    expect(slow.behaviour).toMatchObject({ fault: 'nack', delayMs: [1, 2] });
    await send('DELETE', '/sellers/slow');
    expect(slow.behaviour).toMatchObject({ fault: null, delayMs: [1, 2] });
  });

  it('rotates the key of a seller', async () => {
    expect(await send('POST', '/sellers/fast/key', '{"oldKeyValidMs":5000}')).toMatchObject({
      status: 200,
      seller: 'fast',
      keyId: 'fast.care.example.key-2',
      oldKeyId: 'fast.care.example.key-1',
    });
  });

  it('rotates the key of a seller without a body, too', async () => {
    expect(await send('POST', '/sellers/twice/key')).toMatchObject({ status: 200, seller: 'twice' });
  });

  it('lists services, sellers and faults', async () => {
    expect(await send('GET', '/faults')).toMatchObject({
      status: 200,
      services: ['eligibility', 'claims', 'documents', 'policy', 'notifications', 'consent'],
      sellers: ['moa', 'mh', 'fast', 'paged', 'twice', 'failing', 'slow'],
      faults: expect.arrayContaining([{ kind: 'latency', ms: 2000 }]),
      sellerFaults: expect.arrayContaining([{ fault: 'silent' }]),
    });
  });

  it.each([
    ['PUT', '/faults/claims', '{"kind":"latencyy"}', 400, /^Unknown kind "latencyy"\. Use one of latency, status, /],
    ['PUT', '/faults/claims', '{"kind":500}', 400, /^Unknown kind 500\. /],
    ['PUT', '/faults/claims', '{"status":500}', 400, /^The kind is missing\. /],
    ['PUT', '/faults/claims', 'null', 400, /^The kind is missing\. /],
    ['PUT', '/faults/claims', '{"kind":"latency","ms":"9"}', 400, /^A fault of kind latency needs ms, a number\.$/],
    ['PUT', '/faults/claims', '{"kind":"status","status":1000}', 400, /^status must be an integer from 200 to 599\.$/],
    ['PUT', '/faults/claims', `"${'x'.repeat(1_048_576)}"`, 413, /^The body is too large\.$/],
    ['PUT', '/faults/claims', '{"kind":', 400, /^The body must be JSON\.$/],
    ['PUT', '/faults/klaims', '{"kind":"reset"}', 404, /^Unknown service "klaims"\. Use one of eligibility, claims, /],
    ['PUT', '/sellers/mh', '{"fault":"quiet"}', 400, /^Unknown fault "quiet"\. Use one of silent, nack, /],
    ['PUT', '/sellers/mho', '{"fault":"silent"}', 404, /^Unknown seller "mho"\. Use one of moa, mh, fast, /],
    ['PUT', '/sellers/slow', '{"delayMs":[9,1]}', 400, /^delayMs must be two numbers /],
    ['PUT', '/sellers/slow', '{}', 400, /^The fault is missing\. /],
    ['POST', '/sellers/moa/key', '{}', 400, /^This seller has no key to rotate\.$/],
    ['POST', '/sellers/fast/key', '{"oldKeyValidMs":-1}', 400, /^oldKeyValidMs must be a number /],
    ['PUT', '/sellers/fast/key', '{}', 404, /^Use GET \/faults, /],
    ['PUT', '/faults/claims/key', '{"kind":"reset"}', 404, /^Use GET \/faults, /],
    ['POST', '/faults/claims', '{}', 404, /^Use GET \/faults, /],
  ])('names what is wrong: %s %s %#', async (method, path, body, status, error) => {
    expect(await send(method, path, body)).toMatchObject({ status, error: expect.stringMatching(error) as string });
  });
});
