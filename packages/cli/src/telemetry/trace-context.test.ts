import { setImmediate as nextTurn } from 'node:timers/promises';
import { context, propagation, ROOT_CONTEXT } from '@opentelemetry/api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { forwardTraceContext } from './trace-context.ts';

const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

/** Returns the headers that are sent, in a later turn of the event loop, for a request with these headers. */
const forwarded = (headers: Record<string, unknown>): Promise<Record<string, string>> =>
  context.with(propagation.extract(context.active(), headers), async () => {
    await nextTurn();
    const outgoing: Record<string, string> = {};
    propagation.inject(context.active(), outgoing);
    return outgoing;
  });

beforeEach(forwardTraceContext);
afterEach(() => {
  context.disable();
  propagation.disable();
});

describe('a trace context', () => {
  it('forwards a trace context unchanged', async () => {
    expect(await forwarded({ traceparent })).toEqual({ traceparent });
    const tracestate = 'rojo=00f067aa0ba902b7,congo=t61rcWkgMzE';
    expect(await forwarded({ traceparent, tracestate })).toEqual({ traceparent, tracestate });
  });

  it('keeps the trace contexts of concurrent requests apart', async () => {
    const others = Array.from({ length: 20 }, (_, nth) => traceparent.replace('00f067aa', `00f067${10 + nth}`));
    expect(await Promise.all(others.map((one) => forwarded({ traceparent: one })))).toEqual(
      others.map((one) => ({ traceparent: one })),
    );
    expect(context.active()).toBe(ROOT_CONTEXT);
  });

  it.each([
    ['missing', undefined],
    ['malformed', 'PTY-1'],
    ['in upper case', traceparent.toUpperCase()],
    ['all zeros', '00-00000000000000000000000000000000-00f067aa0ba902b7-01'],
    ['without a parent', '00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01'],
    ['of the invalid version ff', traceparent.replace('00-', 'ff-')],
    ['longer than its version allows', `${traceparent}-more`],
    ['sent twice, which Node joins', `${traceparent}, ${traceparent}`],
  ])('drops a trace context that is %s', async (_, header) => {
    expect(await forwarded({ traceparent: header, tracestate: 'a=b' })).toEqual({});
  });
});

it('forwardTraceContext keeps an SDK that is already registered', () => {
  context.disable();
  const existing = {
    active: () => ROOT_CONTEXT,
    with: () => 'existing',
    bind: () => {},
    enable: () => {},
    disable: () => {},
  };
  context.setGlobalContextManager(existing as never);
  forwardTraceContext();
  expect(context.with(ROOT_CONTEXT, () => 'ours')).toBe('existing');
});
