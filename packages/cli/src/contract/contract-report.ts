import type { View } from '../output/print.ts';
import { mark } from '../output/progress.ts';
import { type Screen, stripControlCharacters } from '../output/screen.ts';
import { table } from '../output/table.ts';
import type { PromiseResult } from './run-suite.ts';

/** The result of `portico contract`, as `--json` prints it. It contains no URL, token or locator. */
export interface ContractReport {
  /** No promise is broken. */
  readonly ok: boolean;
  readonly service: string;
  readonly promises: readonly PromiseResult[];
}

export const markOf = ({ outcome }: PromiseResult, screen: Pick<Screen, 'style'>): string =>
  mark(({ kept: 'good', broken: 'bad', skipped: 'none' } as const)[outcome], screen);

const showReport = (value: unknown, screen: Screen): string => {
  const { promises } = value as ContractReport;
  const count = (outcome: string) => promises.filter((one) => one.outcome === outcome).length;
  const rows = promises.map((result) => [
    markOf(result, screen),
    result.promise,
    String(result.elapsedMs),
    stripControlCharacters(explanation(result)),
  ]);
  const columns = [{ title: '' }, { title: 'Promise' }, { title: 'ms', align: 'right' } as const, { title: 'Result' }];
  return `${table(columns, rows, screen)}\n${count('kept')} kept, ${count('broken')} broken, ${count('skipped')} skipped.\n`;
};

const explanation = ({ outcome, reason, requests = [] }: PromiseResult): string => {
  if (outcome === 'skipped') return `skipped: ${reason}`;
  return outcome === 'kept' ? 'kept' : `broken: ${reason} (${requests.join(', ') || 'no request was sent'})`;
};

/** A table for people; a row for each promise in CSV. */
export const reportView: View = Object.assign(showReport, {
  rows: (value: unknown) =>
    (value as ContractReport).promises.map(({ reason = '', requests = [], ...result }) => ({
      ...result,
      reason,
      requests: requests.join(', '),
    })),
});
