import { ResultAsync } from 'neverthrow';
import { type CommandHandler, stringOption } from '../program/command.ts';
import { readJsonInput } from '../session/input.ts';
import { listQuery } from '../session/list-query.ts';
import { asMember } from '../session/session.ts';
import { amount, date, text } from '../output/field.ts';
import { showList, showResource } from '../output/view.ts';

export const listClaims: CommandHandler = (context) =>
  asMember(
    context,
    'claims',
    ({ use, member }) => use.listClaims(member, listQuery(context)),
    showList(
      'claims',
      [
        text('locator'),
        text('status'),
        text('type'),
        text('provider.name'),
        date('serviceDates.from'),
        amount('billedAmount'),
        amount('memberResponsibilityAmount'),
      ],
      'No claims.',
    ),
  );

const showClaim = showResource(
  [
    text('locator'),
    text('status'),
    text('type'),
    text('patient.name'),
    text('provider.name'),
    date('serviceDates.from'),
    date('serviceDates.to'),
    date('receivedDate'),
    date('adjudicatedDate'),
    text('diagnosisCodes'),
    amount('amount'),
    amount('billedAmount'),
    amount('allowedAmount'),
    amount('planPaidAmount'),
    amount('memberResponsibilityAmount'),
    text('currency'),
    text('eobDocumentLocator'),
  ],
  {
    serviceLines: [
      text('description'),
      date('serviceDate'),
      amount('billedAmount'),
      amount('planPaidAmount'),
      amount('memberResponsibilityAmount'),
    ],
  },
);

export const getClaim: CommandHandler = (context) =>
  asMember(context, 'claims', ({ use, member }) => use.getClaim(member, context.args[0] ?? ''), showClaim);

export const submitClaim: CommandHandler = (context) =>
  asMember(
    context,
    'claims',
    ({ use, member }) =>
      new ResultAsync(readJsonInput(context, context.args[0] ?? '')).andThen((draft) =>
        use.submitClaim(member, draft, stringOption(context, 'idempotencyKey')).map(({ claim }) => claim),
      ),
    showClaim,
  );
