import { expect, it, onTestFinished } from 'vitest';
import { settingsFile, settingsOf } from '../settings/settings-file.test.support.ts';
import { logOf, type LogEntry } from './metrics/measured-portico.test.support.ts';
import { startTelemetry } from './telemetry.ts';

it('the telemetry logs how many sellers of a leg responded with an error, also without metrics', async () => {
  const { settings, sourceOf } = settingsOf({ flags: { '--config': settingsFile({}) } });
  const entries: LogEntry[] = [];
  const { hooks, end } = await startTelemetry(settings, sourceOf, logOf(entries), { version: '1.2.3' });
  onTestFinished(end);
  hooks.onLeg({ leg: 'moa', outcome: 'delivered', sellerErrors: 0, durationMs: 1 });
  hooks.onLeg({ leg: 'mh', outcome: 'seller-error', sellerErrors: 2, durationMs: 1 });

  expect(entries).toEqual([
    { level: 'warn', message: 'sellers responded with an error', fields: { leg: 'mh', sellers: 2 } },
  ]);
});
