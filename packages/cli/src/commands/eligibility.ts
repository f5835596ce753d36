import type { Perform } from '../call.ts';
import { asMember } from '../session.ts';
import { showAnswer } from '../view.ts';

export const coverage: Perform = (call) => asMember(call, ({ use, member }) => use.getCoverage(member), showAnswer());

export const accumulators: Perform = (call) =>
  asMember(call, ({ use, member }) => use.getAccumulators(member), showAnswer());
