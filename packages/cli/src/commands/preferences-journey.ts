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
import type { CommandHandler } from '../program/call.ts';
import { accessOf } from '../session/credentials.ts';
import { exitCodeOf } from '../output/exit-code.ts';
import { unlessAborted } from '../session/interrupt.ts';
import { onOff, parsePreferenceChange } from '../session/preference-assignments.ts';
import { mark, progress } from '../output/progress.ts';
import { cliErrorOf } from '../output/failure-message.ts';
import { usageError, type CliError, fail } from '../output/cli-error.ts';
import { memberUseCases } from '../session/session.ts';
import { table } from '../output/table.ts';

/** Runs the preferences journey and shows its steps as they end. Returns the exit code of the step that failed. */
export const journey: CommandHandler = async (call) => {
  const named = call.options['set'] as readonly string[] | undefined;
  const change = parsePreferenceChange(named ?? []);
  if (change.isErr()) return fail(change.error, call);
  const use = memberUseCases(call);
  if (use.isErr()) return fail(use.error, call);
  const access = await unlessAborted(call.signal, accessOf(call));
  if (access === 'aborted') return 1;
  if (access.isErr()) return fail(access.error, call);
  const readOnly = call.options['readOnly'] === true;
  const shown = stepsShown(readOnly);
  const ended: JourneyStep[] = [];
  let found: JourneyFindings = {};
  call.onForcedExit(() => {
    const steps = journeySteps.map(
      (name) => ended.find((step) => step.name === name) ?? { name, outcome: 'skipped' as const, elapsedMs: 0 },
    );
    if (call.json) print(toJson(documentOf({ ...found, steps, preferences: 'not-restored' })), () => '', call);
    fail(notAsBefore('not-restored', found.before), { json: false, verbose: false });
  });
  const report = await use.value.runPreferencesJourney(access.value, {
    ...(named && { change: change.value }),
    keep: call.options['keep'] === true,
    writeFirstPreferences: call.options['writeFirstPreferences'] === true,
    readOnly,
    onStep: (step, soFar) => {
      ended.push(step);
      found = soFar;
      shown.step(step);
    },
    signal: call.signal,
  });
  shown.end();
  print(toJson(documentOf(report)), () => view(report, readOnly), call);
  return verdict(report, { verbose: call.verbose, needsUpdate: !readOnly && !call.signal.aborted });
};

/** Shows each step as it ends, the skipped ones in their place, and the one that is running. */
const stepsShown = (readOnly: boolean) => {
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

/** The report as one document, with failures as problem details. */
const documentOf = ({ steps, ...rest }: JourneyReport) => ({
  ...rest,
  steps: steps.map(({ failure, ...step }) => ({ ...step, ...(failure && { failure: problemOf(failure) }) })),
});

const left = {
  untouched: 'The preferences were not touched.',
  restored: 'The preferences are as they were before.',
  unsure: 'The preferences were read back as they were before, but the update may still be applied.',
  kept: 'The change was kept.',
  'not-unset': 'The preferences had never been set, and cannot be unset: they stay as written.',
  'not-restored': 'The preferences could not be put back, and may be changed.',
} as const satisfies Record<JourneyReport['preferences'], string>;

const assignments = (preferences: Preferences): string =>
  preferenceNames.map((name) => `${name}=${onOff(preferences[name])}`).join(' ');

const view = (
  { locator, before, after, notifications, log, preferences }: JourneyReport,
  readOnly: boolean,
): string => {
  const rows = preferenceNames.map((name) => [name, before ? onOff(before[name]) : '-', onOff(after?.[name])]);
  const columns = [{ title: 'Preference' }, { title: readOnly ? 'Value' : 'Before' }, { title: 'Read back' }];
  const shown = columns.slice(0, readOnly ? 2 : 3);
  return [
    ...(locator === undefined ? [] : [`Member ${locator}\n`]),
    ...(after || (readOnly && before) ? [table(shown, rows, { width: Infinity, style: (_, text) => text })] : []),
    ...(log ? [`Notifications: ${notifications?.length}; log entries: ${log.length}\n`] : []),
    `${left[preferences]}\n`,
  ].join('');
};

const verdict = (
  { steps, before, preferences }: JourneyReport,
  { verbose, needsUpdate }: { readonly verbose: boolean; readonly needsUpdate: boolean },
): number => {
  const failed = steps.find(({ outcome }) => outcome === 'failed');
  const refusals = [
    ...(failed?.failure ? [stepFailed(failed.name, failed.failure)] : []),
    ...(preferences === 'unsure' || preferences === 'not-restored' ? [notAsBefore(preferences, before)] : []),
    ...(!failed && needsUpdate && before === null && preferences === 'untouched' ? [neverSet] : []),
  ];
  for (const refusal of refusals) fail(refusal, { json: false, verbose });
  return refusals[0]?.exitCode ?? 0;
};

const stepFailed = (name: JourneyStep['name'], failure: Failure): CliError => {
  const refusal = cliErrorOf(failure);
  return {
    ...refusal,
    document: { ...refusal.document, detail: `The step ${name} failed. ${refusal.document.detail}` },
  };
};

/** The preferences may differ from what they were; the hint is the command that sets them again. */
const notAsBefore = (state: 'unsure' | 'not-restored', before: Preferences | null | undefined): CliError => ({
  exitCode: exitCodeOf.upstream,
  document: { code: 'upstream-failure', detail: left[state] },
  ...(before && { hint: `They were: portico me preferences set ${assignments(before)}` }),
});

const neverSet = usageError(
  'This member has never set preferences, so none were written: they could not be unset again.',
  'To set them for the first time, use --write-first-preferences. To read only, use --read-only.',
);
