import type { CallbackEvent, LegEvent } from '@portico/core';
import { useEffect, useRef, useState } from 'react';
import { useCaller } from '../api/context.ts';

export interface SearchRequest {
  readonly persona: string;
  readonly query: string;
  readonly user_id: string;
}

interface SearchState {
  readonly phase: 'idle' | 'searching' | 'done' | 'failed';
  /** In the order in which they settled. */
  readonly settled: readonly LegEvent[];
  /** Of networks that collect the callbacks of many sellers, in the order of arrival. */
  readonly arrived: readonly CallbackEvent[];
  readonly error?: unknown;
}

const idle: SearchState = { phase: 'idle', settled: [], arrived: [] };

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
        setState((before) => ({ ...before, arrived: [...before.arrived, callback] }));
      }
    };
    void readCallbacks();
    for await (const leg of legs) {
      // A leg of a cancelled search must not appear in the next one.
      if (signal.aborted) return;
      setState((before) => ({ ...before, settled: [...before.settled, leg] }));
    }
    await call(() => response);
    setState((before) => ({ ...before, phase: 'done' }));
  };

  const search = (request: SearchRequest) => {
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    setState({ phase: 'searching', settled: [], arrived: [] });
    read(request, controller.signal).catch((error: unknown) => {
      if (!controller.signal.aborted) setState((before) => ({ ...before, phase: 'failed', error }));
    });
  };
  return { ...state, search };
};
