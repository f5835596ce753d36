import type { Dispatcher } from 'undici';
import type { History, Span } from './history.ts';

/** One thing that a client does, and what may come of it. */
export interface Errand {
  /** Of its kind; nothing private. */
  readonly title: string;
  /** Which service it needs. */
  readonly service?: string;
  /** What came of it, in words. Never rejects. */
  run(client: Dispatcher): Promise<string>;
  /** Whether that is what should have come of it, after the troubles of that time. */
  explains(seen: string, during: Span, history: History): boolean;
}

/** Errands of which every next one is another. */
export type Errands = (nth: number) => Errand;

/** For errands that no trouble touches. */
export const always =
  (...wanted: readonly string[]): Errand['explains'] =>
  (seen) =>
    wanted.includes(seen);
