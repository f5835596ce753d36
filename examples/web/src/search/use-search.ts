import type { LegEvent } from '@portico/core';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { useEffect, useRef, useState } from 'react';
import { useApi } from '../api/context.ts';

export interface SearchRequest {
  readonly persona: string;
  readonly query: string;
  readonly user_id: string;
}

interface SearchState {
  readonly phase: 'idle' | 'searching' | 'done' | 'failed';
  /** In the order in which they settled. */
  readonly settled: readonly LegEvent[];
  readonly error?: unknown;
}

const idle: SearchState = { phase: 'idle', settled: [] };

/** One search at a time: a new one, or leaving the page, gives up the one before. */
export const useSearch = () => {
  const api = useApi();
  const [state, setState] = useState(idle);
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  const read = async (request: SearchRequest, signal: AbortSignal) => {
    let isDone = false;
    // Read to its end also after `done`: a stream that is let go of looks like a member who left.
    for await (const { event, data } of eventsIn(await api.stream('/api/search', request, signal))) {
      // A leg that was read already when its search was given up must not appear in the next one.
      if (signal.aborted) return;
      if (event === 'leg') {
        const leg = JSON.parse(data) as LegEvent;
        setState((before) => ({ ...before, settled: [...before.settled, leg] }));
      }
      if (event === 'done') isDone = true;
    }
    if (!isDone) throw new Error('The stream ended early.');
    setState((before) => ({ ...before, phase: 'done' }));
  };

  const search = (request: SearchRequest) => {
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    setState({ phase: 'searching', settled: [] });
    read(request, controller.signal).catch((error: unknown) => {
      if (!controller.signal.aborted) setState((before) => ({ ...before, phase: 'failed', error }));
    });
  };
  return { ...state, search };
};

const eventsIn = ({ body }: Response) =>
  body?.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream()) ?? [];
