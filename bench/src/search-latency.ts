/**
 * What a search takes beyond its slower leg: from the moment the slower seller's callback is on the wire to the moment
 * the client has read the whole answer. Portico (`portico serve`) and a hand-written correlator take turns, each in a process of
 * its own. Run it on an idle machine: `npm run bench:search`.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { freePort } from './free-port.ts';

const rounds = 3;
const searchesPerRound = 200;
const agent = new Agent({ keepAlive: true });
const catalog = { providers: [{ id: 'p', items: Array.from({ length: 5 }, (_, id) => ({ id: `item-${id}` })) }] };

const post = (url: string, body: string, onSent?: () => void): Promise<void> =>
  new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' };
    request(url, { agent, method: 'POST', headers }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${url} answered ${response.statusCode}`));
      response.resume().once('end', resolve);
    })
      .once('error', reject)
      .end(body, onSent);
  });

/** When the latest callback was handed to the system to send. */
let sentAt = 0;
const noteSent = () => {
  sentAt = performance.now();
};

const startSeller = async (delayMs: number): Promise<string> => {
  const server = createServer(async (incoming, response) => {
    let text = '';
    for await (const chunk of incoming.setEncoding('utf8')) text += chunk;
    response.setHeader('content-type', 'application/json').end('{"message":{"ack":"ACK"}}');
    const { context } = JSON.parse(text) as { readonly context: { readonly bap_uri: string } };
    const callback = JSON.stringify({ context: { ...context, action: 'on_search' }, message: { catalog } });
    setTimeout(() => {
      post(`${context.bap_uri}/on_search`, callback, noteSent).catch((error: unknown) => {
        throw error;
      });
    }, delayMs);
  });
  server.listen(0, '127.0.0.1').unref();
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

const folder = mkdtempSync(join(tmpdir(), 'portico-bench-'));
const [fast, slow] = [await startSeller(20), await startSeller(40)];
const porticoPort = await freePort();
const leg = (gatewayUrl: string) => ({
  label: 'bench',
  domain: 'schemes:bench',
  version: '1.1.0',
  city: 'std:080',
  categoryCode: 'bench',
  bapId: 'bap.bench.example',
  bapUri: `http://127.0.0.1:${porticoPort}`,
  gatewayUrl,
});
const config = join(folder, 'portico.json');
writeFileSync(config, JSON.stringify({ search: { legs: { moa: leg(fast), mh: leg(slow) } } }));

const start = async (args: readonly string[]): Promise<ChildProcess> => {
  const child = spawn(process.execPath, ['--conditions=source', ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return Object.assign(child, { said: JSON.parse(line) as { readonly port?: number } });
};

const cli = fileURLToPath(import.meta.resolve('@portico/cli/main'));
const portico = await start([cli, 'serve', '--json', '--config', config, '--port', String(porticoPort)]);
const floor = await start([fileURLToPath(new URL('floor-correlator.ts', import.meta.url)), fast, slow]);
const floorPort = (floor as unknown as { readonly said: { readonly port: number } }).said.port;

const contenders = {
  portico: `http://127.0.0.1:${porticoPort}/api/search`,
  'hand-written': `http://127.0.0.1:${floorPort}/api/search`,
};
const added: Record<keyof typeof contenders, number[]> = { portico: [], 'hand-written': [] };
const searchRequest = JSON.stringify({ persona: 'member', query: 'bench', user_id: 'bench' });

const measure = async (name: keyof typeof contenders, searches: number, keep: boolean) => {
  for (let done = 0; done < searches; done++) {
    await post(contenders[name], searchRequest);
    if (keep) added[name].push(performance.now() - sentAt);
  }
};

const quantile = (values: readonly number[], q: number) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * q))] ?? NaN;

try {
  for (const name of ['portico', 'hand-written'] as const) await measure(name, 50, false);
  for (let round = 0; round < rounds; round++)
    for (const name of ['portico', 'hand-written'] as const) await measure(name, searchesPerRound, true);
  process.stdout.write(
    'Added latency over the slower leg, in milliseconds\n\n| | p50 | p95 | p99 | searches |\n|---|---|---|---|---|\n',
  );
  for (const [name, values] of Object.entries(added)) {
    const row = [0.5, 0.95, 0.99].map((q) => quantile(values, q).toFixed(2));
    process.stdout.write(`| ${name} | ${row.join(' | ')} | ${values.length} |\n`);
  }
  const ratio = quantile(added.portico, 0.5) / quantile(added['hand-written'], 0.5);
  process.stdout.write(`\nPortico adds ${ratio.toFixed(2)} times what the hand-written correlator adds (p50).\n`);
} finally {
  portico.kill('SIGTERM');
  floor.kill('SIGTERM');
  agent.destroy();
  rmSync(folder, { recursive: true });
}
