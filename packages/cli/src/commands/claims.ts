import { type CommandHandler, stringOption } from '../session/command.ts';
import { listQuery } from '../session/list-query.ts';
import { asMember } from '../session/session.ts';
import { namingMissing } from '../output/failure-message.ts';
import { writeAsMember } from '../session/dry-run.ts';
import { amount, date, state, text } from '../output/field.ts';
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
        amount('memberResponsibilityAmount', 'You pay'),
        state('status'),
        text('provider.name'),
        date('serviceDates.from', 'Date'),
        amount('billedAmount'),
        text('type'),
      ],
      'No claims.',
    ),
  );

const showClaim = showResource(
  [
    text('locator'),
    amount('memberResponsibilityAmount', 'You pay'),
    state('status'),
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
    text('currency'),
    text('eobDocumentLocator'),
  ],
  {
    serviceLines: [
      text('description'),
      amount('memberResponsibilityAmount', 'You pay'),
      date('serviceDate'),
      amount('billedAmount'),
      amount('planPaidAmount'),
    ],
  },
);

export const getClaim: CommandHandler = (context) => {
  const [locator = ''] = context.args;
  return asMember(
    context,
    'claims',
    ({ use, member }) => use.getClaim(member, locator).mapErr(namingMissing('claim', locator)),
    showClaim,
  );
};

export const submitClaim: CommandHandler = (context) => {
  const idempotencyKey = stringOption(context, 'idempotencyKey');
  const headers = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey };
  return writeAsMember(
    context,
    { method: 'POST', service: 'claims', operation: 'submit', headers },
    ({ use, member }, draft) => use.submitClaim(member, draft, idempotencyKey).map(({ claim }) => claim),
    showClaim,
  );
};
