import type { Perform } from '../program/call.ts';
import { asMember } from '../session/session.ts';
import { showAnswer } from '../output/view.ts';

export const coverage: Perform = (call) => asMember(call, ({ use, member }) => use.getCoverage(member), showAnswer());

export const accumulators: Perform = (call) =>
  asMember(call, ({ use, member }) => use.getAccumulators(member), showAnswer());
