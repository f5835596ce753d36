import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isInstalled, toolEnvironment } from '../deployment/installed-tool.ts';
import { project } from '../project-file.ts';

/** Samples of every 15 seconds in the notation of promtool, by series. The series get the job of the alerts. */
type Samples = Readonly<Record<string, string>>;

/** Evaluates the alerts with promtool on half an hour of samples. Returns what it reports unless these alerts fire, and no others. */
const mistakes = (samples: Samples, fires: readonly string[]): string => {
  const folder = mkdtempSync(join(tmpdir(), 'portico-alerts-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'test.json');
  const input_series = Object.entries(samples).map(([series, values]) => {
    const [, name = '', labels = ''] = /^(\w+)(?:\{(.*)\})?$/.exec(series) ?? [];
    return { series: `${name}{job="portico",instance="a"${labels && `,${labels}`}}`, values };
  });
  const expected = { expr: 'count by (alertname) (ALERTS{alertstate="firing"})', eval_time: '30m' };
  const exp_samples = fires.map((alertname) => ({ labels: `{alertname="${alertname}"}`, value: 1 }));
  const test = { interval: '15s', input_series, promql_expr_test: [{ ...expected, exp_samples }] };
  const rules = {
    rule_files: [join(project, 'docs/deploy/alerts.yaml')],
    evaluation_interval: '15s',
    tests: [test],
  };
  writeFileSync(file, JSON.stringify(rules));
  const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', file], {
    env: toolEnvironment,
    encoding: 'utf8',
  });
  return status === 0 ? '' : stdout + stderr;
};

/** An instance that is scraped. */
const up = { up: '1x130' };

describe.skipIf(!isInstalled('promtool'))('the alerts', () => {
  it('PorticoDown fires when an instance cannot be scraped', () => {
    expect(mistakes({ up: '1x40 0x90' }, ['PorticoDown'])).toBe('');
  });

  it('PorticoDown fires when no instance is discovered any more', () => {
    expect(mistakes({ up: '1x40 stale' }, ['PorticoDown'])).toBe('');
  });

  it('PorticoFails fires when a route of the member API always fails, however many callbacks succeed', () => {
    const samples = {
      ...up,
      'portico_http_requests_total{route="/on_search",status="200"}': '0+1000x130',
      'portico_http_requests_total{route="/me/coverage",status="502"}': '0+4x130',
    };
    expect(mistakes(samples, ['PorticoFails'])).toBe('');
  });

  it('PorticoFails does not fire for single failures of a rarely used route', () => {
    const samples = { ...up, 'portico_http_requests_total{route="/me/consent",status="502"}': '0x100 1x8 2x20' };
    expect(mistakes(samples, [])).toBe('');
  });

  it('PorticoTokensRefused fires when every access token is refused, however many pages and sessions are requested', () => {
    const samples = {
      ...up,
      'portico_http_requests_total{route="pages",status="200"}': '0+39x130',
      'portico_http_requests_total{route="/session",status="200"}': '0+24x130',
      'portico_http_requests_total{route="/me",status="401"}': '0+6x130',
      'portico_tokens_refused_total{reason="audience"}': '0+6x130',
    };
    expect(mistakes(samples, ['PorticoTokensRefused'])).toBe('');
  });

  /** Searches of which the response took between 5 and 10 seconds, or longer for the rest. */
  const slowSearches = {
    'portico_http_request_duration_seconds_bucket{route="/api/search",le="5"}': '0+0x130',
    'portico_http_request_duration_seconds_bucket{route="/api/search",le="10"}': '0+4x130',
    'portico_http_request_duration_seconds_bucket{route="/api/search",le="+Inf"}': '0+20x130',
  };
  /** A callback in time and one after the end of the leg, for each search. */
  const lateCallbacks = {
    'portico_search_callbacks_total{outcome="delivered"}': '0+20x130',
    'portico_search_callbacks_total{outcome="late"}': '0+20x130',
  };

  it('no alert fires for legs that are delivered at their deadline, or before their last callback', () => {
    const delivered = { 'portico_search_legs_total{leg="moa",outcome="delivered"}': '0+20x130' };
    const slow = { 'portico_http_requests_total{route="/api/search",status="200"}': '0+20x130', ...slowSearches };
    expect(mistakes({ ...up, ...slow, ...lateCallbacks, ...delivered }, [])).toBe('');
  });

  it('PorticoSearchesTimeOut and PorticoCallbacksLate fire when legs time out and callbacks arrive afterwards', () => {
    const legs = {
      'portico_search_legs_total{leg="moa",outcome="delivered"}': '0+12x130',
      'portico_search_legs_total{leg="moa",outcome="timeout"}': '0+8x130',
    };
    const fires = ['PorticoCallbacksLate', 'PorticoSearchesTimeOut'];
    expect(mistakes({ ...up, ...slowSearches, ...lateCallbacks, ...legs }, fires)).toBe('');
  });
});
