import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Context,
  context,
  type ContextManager,
  createTraceState,
  isSpanContextValid,
  propagation,
  ROOT_CONTEXT,
  type TextMapPropagator,
  trace,
} from '@opentelemetry/api';

/**
 * Passes a caller's `traceparent` and `tracestate` on to the services where no OpenTelemetry SDK does (W3C Trace Context,
 * section 3: whoever takes no part in a trace forwards it unchanged). An SDK that was registered before is left in place.
 */
export const passTraceContextOn = (): void => {
  if (context.setGlobalContextManager(new StoredContext())) propagation.setGlobalPropagator(traceParent);
};

/** The context of each chain of asynchronous calls. */
class StoredContext implements ContextManager {
  readonly #storage = new AsyncLocalStorage<Context>();

  active(): Context {
    return this.#storage.getStore() ?? ROOT_CONTEXT;
  }

  with<Args extends unknown[], Run extends (...args: Args) => ReturnType<Run>>(
    active: Context,
    run: Run,
    self?: ThisParameterType<Run>,
    ...args: Args
  ): ReturnType<Run> {
    return active === this.active()
      ? run.call(self, ...args)
      : this.#storage.run(active, () => run.call(self, ...args));
  }

  bind<T>(bound: Context, target: T): T {
    if (typeof target !== 'function') return target;
    const run = (...args: unknown[]): unknown => this.with(bound, () => Reflect.apply(target, undefined, args));
    return run as T;
  }

  enable(): this {
    return this;
  }

  disable(): this {
    return this;
  }
}

/** Version 00, and what later versions are to keep of it (Trace Context, sections 3.2 and 4.3). */
const traceParentFormat = /^(?!ff)([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;

/** Beyond that it may be dropped (Trace Context, section 3.3.1.5). */
const longestTraceState = 512;

const traceParent: TextMapPropagator = {
  fields: () => ['traceparent', 'tracestate'],
  extract: (parent, carrier, { get }) => {
    const given = get(carrier, 'traceparent');
    const state = get(carrier, 'tracestate');
    const [, version, traceId, spanId, flags = ''] =
      typeof given === 'string' ? (traceParentFormat.exec(given) ?? []) : [];
    if (traceId === undefined || spanId === undefined || (version === '00' && given!.length !== 55)) return parent;
    const found = {
      traceId,
      spanId,
      traceFlags: Number.parseInt(flags, 16) & 1,
      isRemote: true,
      ...(typeof state === 'string' && state.length <= longestTraceState && { traceState: createTraceState(state) }),
    };
    return isSpanContextValid(found) ? trace.setSpanContext(parent, found) : parent;
  },
  inject: (active, carrier, { set }) => {
    const current = trace.getSpanContext(active);
    if (!current || !isSpanContextValid(current)) return;
    const { traceId, spanId, traceFlags, traceState } = current;
    set(carrier, 'traceparent', `00-${traceId}-${spanId}-${traceFlags === 1 ? '01' : '00'}`);
    const state = traceState?.serialize();
    if (state) set(carrier, 'tracestate', state);
  },
};
