import {
  context,
  INVALID_TRACEID,
  propagation,
  type Span,
  SpanKind,
  type SpanOptions,
  trace,
} from '@opentelemetry/api';
import { aMember, fakeClock } from '@portico/core/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { downstream } from '../downstreams/downstream.ts';
import { httpServer, valueOf } from './local-servers.test.support.ts';

/** A span that records its name, attributes and status in `recorded`. */
const recordedSpan = (name: string, recorded: Record<string, unknown>, isRecording: boolean): Span => {
  Object.assign(recorded, { name });
  const span = {
    spanContext: () => ({ traceId, spanId: '2'.repeat(16), traceFlags: 1 }),
    isRecording: () => isRecording,
    setAttribute: (key: string, value: unknown) => Object.assign(recorded, { [key]: value }) && span,
    setAttributes: (attributes: object) => Object.assign(recorded, attributes) && span,
    setStatus: (status: object) => Object.assign(recorded, { status }) && span,
    end: () => Object.assign(recorded, { ended: true }),
  };
  return span as unknown as Span;
};

let spans: Record<string, unknown>[];
let isRecording: boolean;
let traceId: string;

beforeEach(() => {
  spans = [];
  isRecording = true;
  traceId = '1'.repeat(32);
  const startSpan = (name: string, { kind }: SpanOptions) => {
    const recorded = { kind };
    spans.push(recorded);
    return recordedSpan(name, recorded, isRecording);
  };
  trace.setGlobalTracerProvider({ getTracer: () => ({ startSpan }) as never });
  propagation.setGlobalPropagator({
    fields: () => [],
    extract: (parent) => parent,
    inject: (active, carrier, { set }) => set(carrier, 'traceparent', trace.getSpanContext(active)?.traceId ?? ''),
  });
});

afterEach(() => {
  trace.disable();
  propagation.disable();
  context.disable();
});

const respond = (status: number) =>
  httpServer((response) => response.writeHead(status, { 'content-type': 'application/json' }).end('{}'));

describe('the span of a call', () => {
  it('the span of a call has the service and the method, and is propagated to the service', async () => {
    const server = await respond(200);
    await downstream('claims', { url: server.url }).get('list', aMember('PTY-SECRET'), { query: [['status', 'open']] });
    expect(spans).toEqual([
      {
        name: 'GET claims',
        kind: SpanKind.CLIENT,
        'http.request.method': 'GET',
        'portico.service': 'claims',
        ended: true,
      },
    ]);
    expect(server.requests[0]?.headers['traceparent']).toBe('1'.repeat(32));
  });

  it.each([
    [404, { 'error.type': 'not-found' }],
    [500, { 'error.type': 'status', status: { code: 2 } }],
  ])('records the outcome of a %i', async (status, recorded) => {
    const server = await respond(status);
    await downstream('claims', { url: server.url }).get('list', aMember());
    expect(spans).toMatchObject([{ ...recorded, ended: true }]);
    expect('status' in spans[0]!).toBe(status !== 404);
  });

  it('has the kind of a failure that is not of the service', async () => {
    const clock = fakeClock();
    const server = await httpServer(() => {});
    const claims = downstream('claims', { url: server.url, clock, maxInFlight: 1, maxWaiting: 0 });
    const first = claims.get('list', aMember());
    expect((await claims.get('list', aMember())).isErr()).toBe(true);
    expect(spans[1]).toMatchObject({ 'error.type': 'overloaded', status: { code: 2 }, ended: true });
    clock.advance(5000);
    await first;
    expect(spans[0]).toMatchObject({ 'error.type': 'timeout', status: { code: 2 }, ended: true });
  });

  it('is propagated without attributes when it is not recorded', async () => {
    isRecording = false;
    const server = await respond(200);
    await valueOf(downstream('claims', { url: server.url }).get('list', aMember()));
    expect(spans).toEqual([{ name: 'GET claims', kind: SpanKind.CLIENT }]);
    expect(server.requests[0]?.headers['traceparent']).toBe('1'.repeat(32));
  });

  it('is propagated without the baggage of the client', async () => {
    const baggage = propagation.createBaggage({ partyLocator: { value: 'PTY-2' } });
    const received = propagation.setBaggage(context.active(), baggage);
    context.setGlobalContextManager({
      active: () => received,
      with: (_, run, self, ...args) => run.call(self, ...args),
      bind: (_, target) => target,
      enable: () => context as never,
      disable: () => context as never,
    });
    propagation.disable();
    propagation.setGlobalPropagator({
      fields: () => [],
      extract: (parent) => parent,
      inject: (active, carrier, { set }) =>
        set(carrier, 'baggage', JSON.stringify(propagation.getBaggage(active)?.getAllEntries() ?? 'none')),
    });
    const server = await respond(200);
    await valueOf(downstream('claims', { url: server.url }).get('list', aMember()));
    expect(server.requests[0]?.headers['baggage']).toBe('"none"');
  });

  it('ends when the service is unreachable', async () => {
    await downstream('claims', { url: 'http://127.0.0.1:1' }).get('list', aMember());
    expect(spans).toMatchObject([{ 'error.type': 'unreachable', status: { code: 2 }, ended: true }]);
  });
});

it('a span of no trace, which is every span without an SDK, adds no trace header to the request', async () => {
  traceId = INVALID_TRACEID;
  const server = await respond(200);
  await valueOf(downstream('claims', { url: server.url }).get('list', aMember()));
  expect(server.requests[0]?.headers).not.toHaveProperty('traceparent');
  expect(spans).toEqual([{ name: 'GET claims', kind: SpanKind.CLIENT }]);
});
