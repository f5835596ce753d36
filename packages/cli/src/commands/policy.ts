import { ResultAsync } from 'neverthrow';
import type { Perform } from '../program/call.ts';
import { readJsonInput } from '../session/input.ts';
import { asMember } from '../session/session.ts';
import { showAnswer } from '../output/view.ts';

export const showProfile: Perform = (call) => asMember(call, ({ use, member }) => use.getProfile(member), showAnswer());

export const setProfile: Perform = (call) =>
  asMember(
    call,
    ({ use, member }) =>
      new ResultAsync(readJsonInput(call, call.args[0] ?? '')).andThen((patch) => use.patchProfile(member, patch)),
    showAnswer(),
  );
