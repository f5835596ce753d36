import { ResultAsync } from 'neverthrow';
import { type Perform, textOf } from '../program/call.ts';
import { readJsonInput } from '../session/input.ts';
import { listQuery } from '../session/list-query.ts';
import { asMember } from '../session/session.ts';
import { showAnswer } from '../output/view.ts';

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
