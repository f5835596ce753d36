import type { Json } from '@portico/core';
import type { Manner } from './refusal.ts';
import { type Screen, screenOf } from './screen.ts';

/** How an answer is shown to people. */
export type View = (value: unknown, screen: Screen) => string;

/** The answer, on stdout: the JSON as it came for programs, something to read for people. */
export const print = ({ text, value }: Json, view: View, { json }: Pick<Manner, 'json'>): void => {
  process.stdout.write(json ? `${text || 'null'}\n` : view(value, screenOf(process.stdout)));
};
