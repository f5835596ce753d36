import { type Context, context, propagation, ROOT_CONTEXT, type Span, trace } from '@opentelemetry/api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { servePortal } from '../server/portal.test.support.ts';

/** What an SDK would have been told of a span. */
type Told = Record<string, unknown>;

let spans: Told[];

const recordedSpan = (told: Told): Span => {
  const span = {
    spanContext: () => ({ traceId: '1'.repeat(32), spanId: '2'.repeat(16), traceFlags: 1 }),
    isRecording: () => true,
    updateName: (name: string) => Object.assign(told, { name }) && span,
    setAttribute: (key: string, value: unknown) => Object.assign(told, { [key]: value }) && span,
    setAttributes: (attributes: object) => Object.assign(told, attributes) && span,
    setStatus: (status: object) => Object.assign(told, { status }) && span,
    end: () => Object.assign(told, { ended: true }),
  };
  return span as unknown as Span;
};

beforeEach(() => {
  spans = [];
  const startSpan = (name: string, _: object, parent: Context) => {
    const told: Told = { name, parent: trace.getSpanContext(parent)?.traceId };
    spans.push(told);
    return recordedSpan(told);
  };
  trace.setGlobalTracerProvider({ getTracer: () => ({ startSpan }) as never });
  propagation.setGlobalPropagator({
    fields: () => [],
    inject: () => {},
    extract: (parent, carrier, { get }) => {
      const traceId = String(get(carrier, 'traceparent') ?? '');
      return traceId === '' ? parent : trace.setSpanContext(parent, { traceId, spanId: '3'.repeat(16), traceFlags: 1 });
    },
  });
});

afterEach(() => {
  trace.disable();
  propagation.disable();
  context.disable();
});

describe('the span of a request', () => {
  it('is named by the route, and a child of the caller’s', async () => {
    const { ask } = await servePortal();
    await ask('GET', '/me/claims/CLM-1?from=PTY-1', { headers: { traceparent: '4'.repeat(32) } });
    expect(spans).toEqual([
      {
        name: 'GET /me/claims/:locator',
        parent: '4'.repeat(32),
        'http.route': '/me/claims/:locator',
        'http.request.method': 'GET',
        'http.response.status_code': 200,
        ended: true,
      },
    ]);
  });

  it('names no route where there is none, and is an error only where the fault is ours or a service’s', async () => {
    const { ask } = await servePortal();
    await ask('GET', '/me/PTY-1');
    expect(spans).toMatchObject([{ name: 'GET', 'http.response.status_code': 404, ended: true }]);
    expect(spans[0]).not.toHaveProperty('status');
  });

  it('is a child of the span that is there already', async () => {
    const theirs = trace.setSpanContext(ROOT_CONTEXT, {
      traceId: '5'.repeat(32),
      spanId: '6'.repeat(16),
      traceFlags: 1,
    });
    const manager = { active: () => theirs, with: (_: unknown, run: () => unknown) => run() };
    context.setGlobalContextManager({ ...manager, bind: () => {}, enable: () => {}, disable: () => {} } as never);
    const { ask } = await servePortal();
    await ask('GET', '/me/coverage', { headers: { traceparent: '4'.repeat(32) } });
    expect(spans).toMatchObject([{ parent: '5'.repeat(32) }]);
  });
});
