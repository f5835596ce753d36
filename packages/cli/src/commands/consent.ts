import { ResultAsync } from 'neverthrow';
import type { Perform } from '../call.ts';
import { readJsonInput } from '../input.ts';
import { asMember } from '../session.ts';
import { showAnswer } from '../view.ts';

export const showConsent: Perform = (call) => asMember(call, ({ use, member }) => use.getConsent(member), showAnswer());

export const setConsent: Perform = (call) =>
  asMember(
    call,
    ({ use, member }) =>
      new ResultAsync(readJsonInput(call, call.args[0] ?? '')).andThen((state) => use.putConsent(member, state)),
    showAnswer(),
  );
