import { ResultAsync } from 'neverthrow';
import { type Perform, textOf } from '../call.ts';
import { readJsonInput } from '../input.ts';
import { listQuery } from '../list-query.ts';
import { asMember } from '../session.ts';
import { showAnswer } from '../view.ts';

export const listClaims: Perform = (call) =>
  asMember(
    call,
    ({ use, member }) => use.listClaims(member, listQuery(call)),
    showAnswer(
      ['locator', 'status', 'type', 'provider.name', 'serviceDates.from', 'billedAmount', 'memberResponsibilityAmount'],
      'No claims.',
    ),
  );

export const getClaim: Perform = (call) =>
  asMember(call, ({ use, member }) => use.getClaim(member, call.args[0] ?? ''), showAnswer());

export const submitClaim: Perform = (call) =>
  asMember(
    call,
    ({ use, member }) =>
      new ResultAsync(readJsonInput(call, call.args[0] ?? '')).andThen((draft) =>
        use.submitClaim(member, draft, textOf(call, 'idempotencyKey')).map(({ claim }) => claim),
      ),
    showAnswer(),
  );
