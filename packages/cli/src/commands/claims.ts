import { ResultAsync } from 'neverthrow';
import { type CommandHandler, stringOption } from '../program/command.ts';
import { readJsonInput } from '../session/input.ts';
import { listQuery } from '../session/list-query.ts';
import { asMember } from '../session/session.ts';
import { fail } from '../output/cli-error.ts';
import { namingMissing } from '../output/failure-message.ts';
import { isDryRun, printRequest } from '../session/dry-run.ts';
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

export const submitClaim: CommandHandler = async (context) => {
  const idempotencyKey = stringOption(context, 'idempotencyKey');
  const readDraft = () => readJsonInput(context, context.args[0] ?? '');
  if (!isDryRun(context))
    return asMember(
      context,
      'claims',
      ({ use, member }) =>
        new ResultAsync(readDraft()).andThen((draft) =>
          use.submitClaim(member, draft, idempotencyKey).map(({ claim }) => claim),
        ),
      showClaim,
      'write',
    );
  const draft = await readDraft();
  if (draft.isErr()) return fail(draft.error, context);
  const headers = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey };
  return printRequest(context, { method: 'POST', service: 'claims', operation: 'submit', headers, body: draft.value });
};
