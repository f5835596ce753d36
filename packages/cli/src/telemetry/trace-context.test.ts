import { setImmediate as nextTurn } from 'node:timers/promises';
import { context, propagation, ROOT_CONTEXT } from '@opentelemetry/api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { forwardTraceContext } from './trace-context.ts';

const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

/** What would be sent on, some turns of the event loop later, where this came in. */
const passedOn = (headers: Record<string, unknown>): Promise<Record<string, string>> =>
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
  it('is passed on as it came', async () => {
    expect(await passedOn({ traceparent })).toEqual({ traceparent });
    const tracestate = 'rojo=00f067aa0ba902b7,congo=t61rcWkgMzE';
    expect(await passedOn({ traceparent, tracestate })).toEqual({ traceparent, tracestate });
  });

  it('is its own request’s, whatever goes on beside it', async () => {
    const others = Array.from({ length: 20 }, (_, nth) => traceparent.replace('00f067aa', `00f067${10 + nth}`));
    expect(await Promise.all(others.map((one) => passedOn({ traceparent: one })))).toEqual(
      others.map((one) => ({ traceparent: one })),
    );
    expect(context.active()).toBe(ROOT_CONTEXT);
  });

  it('goes with a function that was bound to it', () => {
    const came = propagation.extract(context.active(), { traceparent });
    const double = context.bind(came, (number: number) => [2 * number, context.active()]);
    expect(double(21)).toEqual([42, came]);
    expect(context.active()).toBe(ROOT_CONTEXT);
  });

  it('of a later version is passed on as far as it is known', async () => {
    expect(await passedOn({ traceparent: `${traceparent.replace('00-', '01-')}-more` })).toEqual({ traceparent });
  });

  it('that was not sampled stays so', async () => {
    const unsampled = traceparent.replace(/01$/, '00');
    expect(await passedOn({ traceparent: unsampled })).toEqual({ traceparent: unsampled });
  });

  it.each([
    ['missing', undefined],
    ['not in form', 'PTY-1'],
    ['in capitals', traceparent.toUpperCase()],
    ['all zeros', '00-00000000000000000000000000000000-00f067aa0ba902b7-01'],
    ['without a parent', '00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01'],
    ['of the version that there may not be', traceparent.replace('00-', 'ff-')],
    ['longer than its version has it', `${traceparent}-more`],
    ['given twice, which Node joins', `${traceparent}, ${traceparent}`],
  ])('is left out when it is %s', async (_, given) => {
    expect(await passedOn({ traceparent: given, tracestate: 'a=b' })).toEqual({});
  });

  it('is passed on with an empty state when the state is longer than 512 characters', async () => {
    const tracestate = `a=${'b'.repeat(511)}`;
    expect(await passedOn({ traceparent, tracestate })).toEqual({ traceparent, tracestate: '' });
  });
});

it('leaves an SDK that is there already in place', () => {
  context.disable();
  const theirs = {
    active: () => ROOT_CONTEXT,
    with: () => 'theirs',
    bind: () => {},
    enable: () => {},
    disable: () => {},
  };
  context.setGlobalContextManager(theirs as never);
  forwardTraceContext();
  expect(context.with(ROOT_CONTEXT, () => 'ours')).toBe('theirs');
});
