import { ResultAsync } from 'neverthrow';
import type { Perform } from '../program/call.ts';
import { readJsonInput } from '../session/input.ts';
import { asMember } from '../session/session.ts';
import { showAnswer } from '../output/view.ts';

export const showConsent: Perform = (call) => asMember(call, ({ use, member }) => use.getConsent(member), showAnswer());

export const setConsent: Perform = (call) =>
  asMember(
    call,
    ({ use, member }) =>
      new ResultAsync(readJsonInput(call, call.args[0] ?? '')).andThen((state) => use.putConsent(member, state)),
    showAnswer(),
  );
