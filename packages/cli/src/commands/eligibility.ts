import type { View } from '../output/print.ts';
import { isObject } from '@portico/core';
import { amount, date, share, state, text } from '../output/field.ts';
import type { CommandHandler } from '../session/command.ts';
import { asMember } from '../session/session.ts';
import { showResource } from '../output/view.ts';

export const coverage: CommandHandler = (context) =>
  asMember(
    context,
    'eligibility',
    ({ use, member }) => use.getCoverage(member),
    showResource(
      [
        text('locator'),
        state('status'),
        text('plan.name'),
        text('plan.type'),
        text('memberId'),
        text('group.name'),
        text('group.number'),
        date('effectiveDate'),
        date('terminationDate'),
        text('network.name'),
        text('tier'),
        text('subscriber.name'),
        text('pharmacy.bin'),
        text('pharmacy.pcn'),
        text('pharmacy.group'),
        text('currency'),
      ],
      {
        dependents: [text('name'), text('relationship'), date('dateOfBirth'), date('effectiveDate')],
        copays: [text('service'), amount('amount')],
      },
    ),
  );

export const accumulators: CommandHandler = (context) =>
  asMember(context, 'eligibility', ({ use, member }) => use.getAccumulators(member), showAccumulators);

const balanceColumns = [
  text('balance'),
  amount('limit'),
  amount('used'),
  amount('remaining'),
  share('used', 'limit', 'Reached'),
];

/** Shows the balances of each limit as a table with a row per tier and network. */
const showAccumulators: View = (value, screen) =>
  showResource([date('benefitPeriod.start'), date('benefitPeriod.end'), text('currency')], {
    deductible: balanceColumns,
    outOfPocketMaximum: balanceColumns,
  })(
    isObject(value)
      ? Object.fromEntries(Object.entries(value).map(([name, limit]) => [name, balancesOf(limit)]))
      : value,
    screen,
  );

const tiers = ['individual', 'family'];
const networks = { inNetwork: 'in network', outOfNetwork: 'out of network' };

const balancesOf = (limit: unknown): unknown => {
  const balances = tiers.flatMap((tier) =>
    Object.entries(networks).map(([network, title]) => {
      const balance = isObject(limit) && isObject(limit[tier]) ? limit[tier][network] : undefined;
      return isObject(balance) ? { balance: `${tier}, ${title}`, ...balance } : undefined;
    }),
  );
  return balances.every((balance) => balance !== undefined) ? balances : limit;
};
