import {
  type Failure,
  type JourneyFindings,
  type JourneyReport,
  type JourneyStep,
  journeySteps,
  preferenceNames,
  type Preferences,
  problemOf,
  toJson,
} from '@portico/core';
import { print } from '../output/print.ts';
import { writeJson } from '../output/write-json.ts';
import type { CommandHandler } from '../session/command.ts';
import { accessOf } from '../session/credentials.ts';
import { exitCodeOf } from '../output/exit-code.ts';
import { unlessInterrupted } from '../session/interrupt.ts';
import { onOff, parsePreferenceChange } from '../session/preference-assignments.ts';
import { mark, progress } from '../output/progress.ts';
import { cliErrorOf } from '../output/failure-message.ts';
import { usageError, type CliError, fail } from '../output/cli-error.ts';
import { memberUseCases } from '../session/session.ts';
import { table } from '../output/table.ts';

/** Runs the preferences journey and shows its steps as they end. Returns the exit code of the step that failed. */
export const journey: CommandHandler = async (context) => {
  const assignments = context.options['set'] as readonly string[] | undefined;
  const change = parsePreferenceChange(assignments ?? []);
  if (change.isErr()) return fail(change.error, context);
  const use = memberUseCases(context, 'notifications');
  if (use.isErr()) return fail(use.error, context);
  const access = await unlessInterrupted(context.signal, accessOf(context));
  if (access === 'aborted') return 1;
  if (access.isErr()) return fail(access.error, context);
  const readOnly = context.options['readOnly'] === true;
  const shown = stepProgress(readOnly);
  const finished: JourneyStep[] = [];
  let findings: JourneyFindings = {};
  context.onForcedExit(() => {
    const steps = journeySteps.map(
      (name) => finished.find((step) => step.name === name) ?? { name, outcome: 'skipped' as const, elapsedMs: 0 },
    );
    // There is no time for an expression of --jq.
    if (context.json || context.jq !== undefined)
      writeJson(toJson(documentOf({ ...findings, steps, preferences: 'not-restored' })).text);
    fail(notRestored('not-restored', findings.before), { json: false, verbose: false });
  });
  const report = await use.value.runPreferencesJourney(access.value, {
    ...(assignments && { change: change.value }),
    keep: context.options['keep'] === true,
    writeFirstPreferences: context.options['writeFirstPreferences'] === true,
    readOnly,
    onStep: (step, soFar) => {
      finished.push(step);
      findings = soFar;
      shown.step(step);
    },
    signal: context.signal,
  });
  shown.end();
  const options = { verbose: context.verbose, needsUpdate: !readOnly && !context.signal.aborted };
  // Printing may take too long, but the journey has ended.
  context.onForcedExit(() => void reportFailures(report, options));
  const printed = await print(toJson(documentOf(report)), () => view(report, readOnly), context);
  context.onForcedExit(() => {});
  const failed = reportFailures(report, options);
  return failed === 0 ? printed : failed;
};

/** Shows each finished step, the skipped steps in order, and the current step. */
const stepProgress = (readOnly: boolean) => {
  const shown = progress();
  const width = Math.max(...journeySteps.map((name) => name.length));
  let next = 0;
  const show = ({ name, outcome, elapsedMs }: JourneyStep) => {
    const tick = mark(outcome === 'failed' ? 'bad' : outcome === 'skipped' ? 'none' : 'good', shown);
    const note = outcome === 'ok' ? '' : ` ${outcome}`;
    const time = outcome === 'skipped' ? '' : `${elapsedMs} ms`;
    shown.line(`${tick} ${name.padEnd(width)} ${time.padStart(8)}${note}`);
  };
  const skipTo = (index: number) => {
    for (const name of journeySteps.slice(next, index)) show({ name, outcome: 'skipped', elapsedMs: 0 });
    next = index + 1;
  };
  const waitForNext = () => {
    const name = journeySteps.slice(next).find((name) => !readOnly || !isUpdate(name));
    if (name !== undefined) shown.waiting(`  ${name} …`);
  };
  waitForNext();
  return {
    step: (step: JourneyStep) => {
      skipTo(journeySteps.indexOf(step.name));
      show(step);
      if (step.outcome !== 'failed') waitForNext();
    },
    end: () => {
      shown.end();
      skipTo(journeySteps.length);
    },
  };
};

const isUpdate = (name: JourneyStep['name']): boolean => name === 'put-preferences' || name === 'verify-preferences';

/** Converts the report to one document, with failures as problem details (RFC 9457). */
const documentOf = ({ steps, ...rest }: JourneyReport) => ({
  ...rest,
  steps: steps.map(({ failure, ...step }) => ({ ...step, ...(failure && { failure: problemOf(failure) }) })),
});

const preferenceMessages = {
  untouched: 'The preferences were not changed.',
  restored: 'The preferences were restored.',
  unsure: 'The preferences have their original values, but the update may still be applied.',
  kept: 'The update was kept.',
  'not-unset': 'The preferences had never been set before. They cannot be unset, so the update was kept.',
  'not-restored': 'The preferences could not be restored and may have changed.',
} as const satisfies Record<JourneyReport['preferences'], string>;

const assignmentsOf = (preferences: Preferences): string =>
  preferenceNames.map((name) => `${name}=${onOff(preferences[name])}`).join(' ');

const view = (
  { steps, locator, before, after, notifications, log, preferences }: JourneyReport,
  readOnly: boolean,
): string => {
  const rows = preferenceNames.map((name) => [name, before ? onOff(before[name]) : '-', onOff(after?.[name])]);
  const columns = [{ title: 'Preference' }, { title: readOnly ? 'Value' : 'Before' }, { title: 'After' }];
  const shown = columns.slice(0, readOnly ? 2 : 3);
  return [
    ...(locator === undefined ? [] : [`Member ${locator}\n`]),
    ...(after || (readOnly && before)
      ? [table(shown, rows, { isTerminal: false, width: Infinity, style: (_, text) => text })]
      : []),
    ...(log ? [`Notifications: ${notifications?.length}; log entries: ${log.length}\n`] : []),
    `${preferenceMessages[preferences]}\n`,
    summaryOf(steps, readOnly),
  ].join('');
};

const summaryOf = (steps: readonly JourneyStep[], readOnly: boolean): string => {
  const passed = steps.filter(({ outcome }) => outcome !== 'failed' && outcome !== 'skipped').length;
  const planned = journeySteps.filter((name) => !readOnly || !isUpdate(name)).length;
  const elapsedMs = steps.reduce((sum, step) => sum + step.elapsedMs, 0);
  return `${passed} of ${planned} steps passed in ${elapsedMs} ms\n`;
};

const reportFailures = (
  { steps, before, preferences }: JourneyReport,
  { verbose, needsUpdate }: { readonly verbose: boolean; readonly needsUpdate: boolean },
): number => {
  const failed = steps.find(({ outcome }) => outcome === 'failed');
  const errors = [
    ...(failed?.failure ? [stepError(failed.name, failed.failure)] : []),
    ...(preferences === 'unsure' || preferences === 'not-restored' ? [notRestored(preferences, before)] : []),
    ...(!failed && needsUpdate && before === null && preferences === 'untouched' ? [neverSet] : []),
  ];
  for (const error of errors) fail(error, { json: false, verbose });
  return errors[0]?.exitCode ?? 0;
};

const stepError = (name: JourneyStep['name'], failure: Failure): CliError => {
  const error = cliErrorOf(failure);
  return {
    ...error,
    document: { ...error.document, detail: `Step ${name} failed. ${error.document.detail}` },
  };
};

/** The preferences may differ from the original ones. The hint is the command that restores them. */
const notRestored = (state: 'unsure' | 'not-restored', before: Preferences | null | undefined): CliError => ({
  exitCode: exitCodeOf.upstream,
  document: { code: 'upstream-failure', detail: preferenceMessages[state] },
  ...(before && { hint: `To restore them: portico me preferences set ${assignmentsOf(before)}` }),
});

const neverSet = usageError(
  'This member has never set preferences. None were written, because they cannot be unset.',
  'To set them for the first time, use --write-first-preferences. To run only the steps that read, use --read-only.',
);
