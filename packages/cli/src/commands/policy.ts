import { ResultAsync } from 'neverthrow';
import type { Perform } from '../call.ts';
import { readJsonInput } from '../input.ts';
import { asMember } from '../session.ts';
import { showAnswer } from '../view.ts';

export const showProfile: Perform = (call) => asMember(call, ({ use, member }) => use.getProfile(member), showAnswer());

export const setProfile: Perform = (call) =>
  asMember(
    call,
    ({ use, member }) =>
      new ResultAsync(readJsonInput(call, call.args[0] ?? '')).andThen((patch) => use.patchProfile(member, patch)),
    showAnswer(),
  );
