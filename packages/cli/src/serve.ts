/** `portico serve` as a library: the server with settings, limits, readiness, log, metrics, Redis and draining. */
export {
  type RunningServer,
  serve,
  type ServeExtension,
  type ServeOptions,
  type StartProblem,
} from './serve/server.ts';
export { type LoadedSettings, loadSettings, type SettingProblem, type SettingSources } from './settings/load.ts';
export type { Settings } from './settings/schema.ts';
export { jsonLines, type Log } from './telemetry/log.ts';
export { requestLines } from './telemetry/lines/request-lines.ts';
export { createMetrics, type Metrics, type MetricsSettings } from './telemetry/metrics/metrics.ts';
