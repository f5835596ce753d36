import type { CallbackEvent, LegEvent } from '@portico/core';
import { useEffect, useRef, useState } from 'react';
import { useCaller } from '../api/context.ts';
import type { ArrivedResult } from './offers/arrived-offers.ts';

export interface SearchRequest {
  readonly persona: string;
  readonly query: string;
  readonly user_id: string;
}

export type SearchPhase = 'idle' | 'searching' | 'done' | 'cancelled' | 'failed';

interface SearchState {
  readonly phase: SearchPhase;
  /** In the order in which they settled. */
  readonly settled: readonly LegEvent[];
  /** Of networks that collect the callbacks of many sellers, in the order of arrival. */
  readonly arrived: readonly CallbackEvent[];
  /** In the order of arrival: each callback, and the results of networks that send no callbacks one by one. */
  readonly results: readonly ArrivedResult[];
  readonly error?: unknown;
}

const idle: SearchState = { phase: 'idle', settled: [], arrived: [], results: [] };

const withCallback = (before: SearchState, callback: CallbackEvent): SearchState => ({
  ...before,
  arrived: [...before.arrived, callback],
  results: [...before.results, callback],
});

/** The result of a network that collects consists of the callbacks that have arrived. */
const withLeg = (before: SearchState, event: LegEvent): SearchState => ({
  ...before,
  settled: [...before.settled, event],
  results: before.arrived.some(({ leg }) => leg === event.leg) ? before.results : [...before.results, event],
});

/** Runs one search at a time: a new search, or leaving the page, cancels the previous one. */
export const useSearch = () => {
  const call = useCaller();
  const [state, setState] = useState(idle);
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  const read = async (request: SearchRequest, signal: AbortSignal) => {
    const { legs, callbacks, response } = await call((portico) => portico.search(request, signal));
    const readCallbacks = async () => {
      for await (const callback of callbacks) {
        if (signal.aborted) return;
        setState((before) => withCallback(before, callback));
      }
    };
    void readCallbacks();
    for await (const event of legs) {
      // A leg of a cancelled search must not appear in the next one.
      if (signal.aborted) return;
      setState((before) => withLeg(before, event));
    }
    await call(() => response);
    if (!signal.aborted) setState((before) => ({ ...before, phase: 'done' }));
  };

  const search = (request: SearchRequest) => {
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    setState({ ...idle, phase: 'searching' });
    read(request, controller.signal).catch((error: unknown) => {
      if (!controller.signal.aborted) setState((before) => ({ ...before, phase: 'failed', error }));
    });
  };

  /** Ends a search; the results that have arrived stay. */
  const cancel = () => {
    running.current?.abort();
    setState((before) => (before.phase === 'searching' ? { ...before, phase: 'cancelled' } : before));
  };

  /** Ends a search, and removes its results. */
  const reset = () => {
    running.current?.abort();
    setState(idle);
  };
  return { ...state, search, cancel, reset };
};
