/**
 * `node --conditions=@portico/source examples/demo/src/cluster-demo.ts`: runs three instances, a load balancer that
 * picks one at random, one Redis, and a load of searches whose callbacks reach any instance. Prints measurements.
 * `SEARCHES` is the number of searches (default 20000); `WAIT=1` checks Redis again after everything stored has expired.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { callbackCounts, hasRedis, load, startCluster } from './cluster.ts';

const searches = Number(process.env['SEARCHES'] ?? 20_000);
const concurrency = 100;

const print = (text: string): void => void process.stdout.write(`${text}\n`);

/** Milliseconds of processor time so far; Linux reports it in hundredths of a second. */
const cpuMs = (pid: number): number => {
  const [, rest = ''] = /\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
  const fields = rest.split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
};

const demo = async (): Promise<number> => {
  const cluster = await startCluster({ timeoutMs: 20_000 });
  const redis = (...args: readonly string[]) =>
    execFileSync('redis-cli', ['-p', String(cluster.redis.port), ...args], { encoding: 'utf8' });
  const memory = () => Number(/used_memory:(\d+)/.exec(redis('info', 'memory'))?.[1] ?? 0);
  try {
    print(`Three instances: ${cluster.instances.map(({ url }) => url).join(', ')}`);
    print(`Load balancer: ${cluster.url}   Redis: 127.0.0.1:${cluster.redis.port}`);
    await load(cluster, 300, concurrency);
    redis('config', 'resetstat');
    const counted = await callbackCounts(cluster);
    const before = memory();
    const pids = { instances: cluster.instances.map(({ pid }) => pid), redis: [cluster.redis.pid()] };
    const cpu = (of: readonly number[]) => of.reduce((sum, pid) => sum + cpuMs(pid), 0);
    const cpuBefore =
      process.platform === 'linux' ? { instances: cpu(pids.instances), redis: cpu(pids.redis) } : undefined;
    const startedAt = performance.now();
    let shown = 0;
    const report = await load(cluster, searches, concurrency, (done) => {
      if (done - shown < searches / 10) return;
      shown = done;
      print(`  ${done} of ${searches}`);
    });
    const seconds = (performance.now() - startedAt) / 1000;
    const at = (share: number) => report.elapsedMs[Math.floor(report.elapsedMs.length * share)];
    print(`${report.complete} complete, ${report.incomplete.length} incomplete, ${report.failed} failed`);
    print(
      `${(searches / seconds).toFixed(0)} searches per second, ${concurrency} concurrent; p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, including 5 to 25 ms in the seller`,
    );
    if (cpuBefore) {
      const perSearch = (of: 'instances' | 'redis') => ((cpu(pids[of]) - cpuBefore[of]) / searches).toFixed(3);
      print(`CPU time per search: ${perSearch('instances')} ms in the instances, ${perSearch('redis')} ms in Redis`);
    }
    const callbacks = Object.entries(await callbackCounts(cluster)).map(
      ([fate, count]) => `${count - (counted[fate] ?? 0)} ${fate}`,
    );
    print(`Callbacks: ${callbacks.join(', ')}`);
    const calls = [...redis('info', 'commandstats').matchAll(/cmdstat_([^:]+):calls=(\d+)/g)].map(
      ([, name = '', count]) => [name, Number(count)] as const,
    );
    const of = Object.fromEntries(calls) as Readonly<Record<string, number>>;
    const { set = 0, publish = 0, evalsha = 0, getex = 0 } = of;
    // SET is also counted inside the script: once per EVALSHA, which is left out instead, and again per published callback.
    const sent = set - publish + getex;
    print(
      `Redis commands sent per search: ${(sent / searches).toFixed(2)}; ${publish} of ${evalsha} callbacks reached another instance`,
    );
    print(
      `Redis memory: ${(before / 1e6).toFixed(1)} MB before, ${(memory() / 1e6).toFixed(1)} MB now; stored data expires within a minute`,
    );
    if (process.env['WAIT'] !== undefined) {
      await new Promise((resolve) => setTimeout(resolve, 85_000));
      print(`Redis memory a minute later: ${(memory() / 1e6).toFixed(1)} MB, ${redis('dbsize').trim()} keys`);
    }
    return report.complete === searches ? 0 : 1;
  } finally {
    await cluster.close();
  }
};

if (hasRedis) process.exitCode = await demo();
else process.exitCode = 2;
