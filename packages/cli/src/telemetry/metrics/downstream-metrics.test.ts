import { describe, expect, it, onTestFinished } from 'vitest';
import { bearer, sendJson } from '../../program/outside-world.test.support.ts';
import { measuredPortico } from './measured-portico.test.support.ts';

const test = { onTestFinished };

describe('metrics of downstream services', () => {
  it('exports series with zeros before the first call to a service', async () => {
    const { series } = await measuredPortico(test, () => {});

    expect(
      await series(/^portico_downstream_(?:calls_total\{.*outcome="timeout"|call_duration_seconds_count)/),
    ).toEqual(
      ['calls_total{service="$",outcome="timeout"}', 'call_duration_seconds_count{service="$"}'].flatMap((name) =>
        ['eligibility', 'claims', 'documents', 'policy', 'notifications', 'consent'].map(
          (service) => `portico_downstream_${name.replace('$', service)} 0`,
        ),
      ),
    );
    expect(await series(/circuit_state.*"closed"\} 1/)).toHaveLength(6);
    expect(await series(/circuit_state.* 0/)).toHaveLength(12);
  });

  it('counts calls by outcome, and retries', async () => {
    let requests = 0;
    const { url, identity, series } = await measuredPortico(test, (response, { url = '' }) => {
      if (url.includes('coverage') && requests++ === 0) response.socket?.destroy();
      else if (url.includes('claims')) response.writeHead(404).end();
      else if (url.includes('policy')) response.writeHead(500).end('hunter2');
      else if (url.includes('consent')) response.end('no JSON');
      else sendJson(response, {});
    });
    for (const path of ['coverage', 'claims', 'profile', 'consent', 'documents'])
      await (await fetch(`${url}/me/${path}`, bearer(identity.token()))).text();

    expect(await series(/^portico_downstream_calls_total.* [1-9]/)).toEqual([
      'portico_downstream_calls_total{service="eligibility",outcome="ok"} 1',
      'portico_downstream_calls_total{service="claims",outcome="not-found"} 1',
      'portico_downstream_calls_total{service="documents",outcome="ok"} 1',
      'portico_downstream_calls_total{service="policy",outcome="status"} 1',
      'portico_downstream_calls_total{service="consent",outcome="malformed"} 1',
    ]);
    expect(await series(/^portico_downstream_retries_total.* [1-9]/)).toEqual([
      'portico_downstream_retries_total{service="eligibility"} 1',
    ]);
    expect(await series(/^portico_downstream_call_duration_seconds_count.* [1-9]/)).toHaveLength(5);
  });

  it('exports an open circuit breaker and counts the calls that it rejected', async () => {
    const { url, identity, series } = await measuredPortico(test, (response, { url = '' }) => {
      if (url.includes('policy')) response.writeHead(500).end();
      else sendJson(response, {});
    });
    const headers = bearer(identity.token());
    for (let call = 0; call < 21; call++) await (await fetch(`${url}/me/profile`, headers)).text();

    expect(await series(/circuit_state\{service="policy"/)).toEqual([
      'portico_downstream_circuit_state{service="policy",state="closed"} 0',
      'portico_downstream_circuit_state{service="policy",state="open"} 1',
      'portico_downstream_circuit_state{service="policy",state="half-open"} 0',
    ]);
    expect(await series(/circuit_state\{service="consent".* 1/)).toEqual([
      'portico_downstream_circuit_state{service="consent",state="closed"} 1',
    ]);
    expect(await series(/service="policy",outcome="(?:status|circuit-open)"/)).toEqual([
      'portico_downstream_calls_total{service="policy",outcome="status"} 20',
      'portico_downstream_calls_total{service="policy",outcome="circuit-open"} 1',
    ]);
  });
});
