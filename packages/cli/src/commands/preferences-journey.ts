import {
  type JourneyFindings,
  type JourneyReport,
  type JourneyStep,
  journeySteps,
  preferenceNames,
  type Preferences,
  problemOf,
  toJson,
} from '@portico/core';
import { print } from '../answer.ts';
import type { Perform } from '../call.ts';
import { accessOf } from '../credentials.ts';
import { exitCodeOf, refusalOf } from '../exit-code.ts';
import { unlessAborted } from '../interrupt.ts';
import { onOff, readChange } from '../preference-words.ts';
import { mark, progress } from '../progress.ts';
import { refuse } from '../refusal.ts';
import { memberUseCases } from '../session.ts';
import { table } from '../table.ts';

/** Runs the preferences journey and tells its steps as they end. Gives the exit code of the step that failed. */
export const journey: Perform = async (call) => {
  const named = call.options['set'] as readonly string[] | undefined;
  const change = readChange(named ?? []);
  if (change.isErr()) return refuse(change.error, call);
  const use = memberUseCases(call);
  if (use.isErr()) return refuse(use.error, call);
  const access = await unlessAborted(call.signal, accessOf(call));
  if (access === 'aborted') return 1;
  if (access.isErr()) return refuse(access.error, call);
  const shown = stepsShown();
  const ended: JourneyStep[] = [];
  let found: JourneyFindings = {};
  call.atForcedEnd(() => {
    const steps = journeySteps.map(
      (name) => ended.find((step) => step.name === name) ?? { name, outcome: 'skipped' as const, elapsedMs: 0 },
    );
    if (call.json) print(toJson(documentOf({ ...found, steps, preferences: 'not-restored' })), () => '', call);
    process.stderr.write(
      `portico: ${left['not-restored']}\n${found.before ? `  They were: portico me preferences set ${assignments(found.before)}\n` : ''}`,
    );
  });
  const report = await use.value.runPreferencesJourney(access.value, {
    ...(named && { change: change.value }),
    keep: call.options['keep'] === true,
    onStep: (step, soFar) => {
      ended.push(step);
      found = soFar;
      shown.step(step);
    },
    signal: call.signal,
  });
  shown.end(report);
  print(toJson(documentOf(report)), () => view(report), call);
  return verdict(report, call);
};

const stepsShown = () => {
  const shown = progress();
  const width = Math.max(...journeySteps.map((name) => name.length));
  const show = ({ name, outcome, elapsedMs }: JourneyStep) => {
    const tick = mark(outcome === 'failed' ? 'bad' : outcome === 'skipped' ? 'none' : 'good', shown);
    const note = outcome === 'ok' ? '' : ` ${outcome}`;
    const time = outcome === 'skipped' ? '' : `${elapsedMs} ms`;
    shown.line(`${tick} ${name.padEnd(width)} ${time.padStart(8)}${note}`);
  };
  const waitFor = (index: number) => {
    const name = journeySteps[index];
    if (name !== undefined) shown.waiting(`  ${name} …`);
  };
  waitFor(0);
  return {
    step: (step: JourneyStep) => {
      show(step);
      if (step.outcome !== 'failed') waitFor(journeySteps.indexOf(step.name) + 1);
    },
    end: ({ steps }: JourneyReport) => {
      shown.end();
      for (const step of steps) if (step.outcome === 'skipped') show(step);
    },
  };
};

/** The report as one document; a failure in it as the server would tell it. */
const documentOf = ({ steps, ...rest }: JourneyReport) => ({
  ...rest,
  steps: steps.map(({ failure, ...step }) => ({ ...step, ...(failure && { failure: problemOf(failure) }) })),
});

const left = {
  untouched: 'The preferences were not touched.',
  restored: 'The preferences are as they were before.',
  kept: 'The change was kept.',
  'not-unset': 'The preferences had never been set, and cannot be unset: they stay as written.',
  'not-restored': 'The preferences could not be put back, and may be changed.',
} as const satisfies Record<JourneyReport['preferences'], string>;

const assignments = (preferences: Preferences): string =>
  preferenceNames.map((name) => `${name}=${onOff(preferences[name])}`).join(' ');

const view = ({ locator, before, after, notifications, log, preferences }: JourneyReport): string => {
  const rows = preferenceNames.map((name) => [name, before ? onOff(before[name]) : '-', onOff(after?.[name])]);
  const columns = [{ title: 'Preference' }, { title: 'Before' }, { title: 'Read back' }];
  return [
    ...(locator === undefined ? [] : [`Member ${locator}\n`]),
    ...(after ? [table(columns, rows, { width: Infinity, style: (_, text) => text })] : []),
    ...(log ? [`Notifications: ${notifications?.length}; log entries: ${log.length}\n`] : []),
    `${left[preferences]}\n`,
  ].join('');
};

const verdict = ({ steps, preferences }: JourneyReport, { verbose }: { readonly verbose: boolean }): number => {
  const failed = steps.find(({ outcome }) => outcome === 'failed');
  if (failed?.failure) {
    const refusal = refusalOf(failed.failure);
    const document = { ...refusal.document, detail: `The step ${failed.name} failed. ${refusal.document.detail}` };
    return refuse({ ...refusal, document }, { json: false, verbose });
  }
  if (preferences !== 'not-restored') return 0;
  return refuse(
    { exitCode: exitCodeOf.upstream, document: { code: 'upstream-failure', detail: left[preferences] } },
    { json: false, verbose },
  );
};
