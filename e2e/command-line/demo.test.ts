import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, watch, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hasRedis } from '@portico/demo/cluster';
import { type DemoPorts, portProblem } from '@portico/demo/port-check';
import { PorticoStartError, startPortico } from '@portico/demo/portico';
import { formBrowser } from '@portico/sandbox';
import { freePorts, hasScript, newFolder, runDemo, settingsIn } from './demo.test.support.ts';

const settingsOf = ({ port }: DemoPorts): string => `settings-${port}.json`;

const serves = async ({ port }: DemoPorts): Promise<boolean> =>
  (await fetch(`http://127.0.0.1:${port}/livez`).catch(() => undefined))?.ok ?? false;

describe('npm start', () => {
  it('greets, signs members in and logs JSON; a second one on the same ports names a command that works; a signal ends each in order', async () => {
    const folder = newFolder();
    const ports = await freePorts();
    const first = runDemo(folder, ports);
    expectGreeting(await first.greeted, ports);
    await expectSessions(ports);

    const otherPorts = await expectRefusal(folder, ports);
    const second = runDemo(folder, otherPorts, { args: ['--examples'] });
    const greeting = await second.greeted;
    expect(greeting).toContain(`.portico/${settingsOf(otherPorts)}`);
    await expectExamples(greeting, folder);
    expect(settingsIn(folder)).toEqual([settingsOf(ports), settingsOf(otherPorts)].toSorted());

    await endInOrder(second, 'SIGINT', otherPorts);
    expect([settingsIn(folder), await serves(ports)]).toEqual([[settingsOf(ports)], true]);
    const lines = (await endInOrder(first, 'SIGTERM', ports)).trim().split('\n');
    expect(settingsIn(folder)).toEqual([]);
    expect(lines.map((line) => JSON.parse(line) as object)).toContainEqual(
      expect.objectContaining({ message: 'request', route: '/me/coverage', status: 401 }),
    );
  });

  it('names the conflict when PORT is a port of its own sandbox', async () => {
    expect(await portProblem({ port: 80, firstPort: 70 })).toMatch(
      /^PORT=80 is one of the sandbox's ports, 70 to 90\. Use other ports:\nPORT=\d+ SANDBOX_PORT=\d+ npm start$/,
    );
  });

  it('keeps the settings file of the process that has the port', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const folder = newFolder();
    const config = join(folder, 'settings.json');
    writeFileSync(config, 'of the first process');
    const second = startPortico({}, (server.address() as AddressInfo).port, { config, onStderr: () => {} });
    await expect(second).rejects.toThrow(PorticoStartError);
    expect(readFileSync(config, 'utf8')).toBe('of the first process');
  });

  it('ends portico serve and removes the settings file when the parent is killed', async () => {
    const folder = newFolder();
    const ports = await freePorts();
    const demo = runDemo(folder, ports);
    await demo.greeted;
    demo.signalParent('SIGKILL');
    expect(await demo.ended).toMatchObject({ exitCode: null });
    expect(settingsIn(folder)).toEqual([]);
    expect(await serves(ports)).toBe(false);
  });

  it('leaves nothing behind when it is stopped while it starts', async () => {
    const folder = newFolder();
    const watcher = watch(folder);
    onTestFinished(() => watcher.close());
    const created = once(watcher, 'change');
    const demo = runDemo(folder, await freePorts());
    await created;
    demo.signalGroup('SIGINT');
    // On a busy machine, the start may be complete before the signal arrives.
    const { exitCode, stderr } = await demo.ended;
    expect([exitCode, stderr.split('\n').filter((line) => !/"message":"(?:draining|stopped)"/.test(line))]).toEqual([
      0,
      [''],
    ]);
    expect(settingsIn(folder)).toEqual([]);
  });

  it('logs a line for people on a terminal, and ends when the terminal is closed', async ({ skip }) => {
    if (!hasScript) return skip('script of util-linux is not installed');
    const folder = newFolder();
    const ports = await freePorts();
    const demo = runDemo(folder, ports, { isInTerminal: true });
    await demo.greeted;
    await fetch(`http://127.0.0.1:${ports.port}/me/coverage`);
    await demo.printed(/^\d\d:\d\d:\d\d {2}GET {4}\/me\/coverage +401 {2}[\d.]+ ms {2}.*requestId=/m);
    demo.signalParent('SIGKILL');
    await expect.poll(() => settingsIn(folder)).toEqual([]);
    await expect.poll(() => serves(ports)).toBe(false);
    return undefined;
  });
});

it('the cluster demo ends its instances and Redis when it is killed', async ({ skip }) => {
  if (!hasRedis) return skip('redis-server is not installed');
  const folder = newFolder();
  const demo = runDemo(folder, await freePorts(), { file: 'cluster-demo.ts' });
  const printed = await demo.printed(/Redis: 127\.0\.0\.1:\d+\n/);
  demo.signalParent('SIGKILL');
  await demo.ended;
  const ports = [...printed.matchAll(/127\.0\.0\.1:(\d+)/g)].map(([, port]) => Number(port));
  expect(ports.length).toBe(5);
  await expect.poll(() => Promise.all(ports.map(isOpen))).toEqual(ports.map(() => false));
  expect(readdirSync(folder)).toEqual([]);
  return undefined;
});

/** Ends a demo with a signal. Returns what it has written to stderr. */
const endInOrder = async (
  demo: ReturnType<typeof runDemo>,
  signal: NodeJS.Signals,
  ports: DemoPorts,
): Promise<string> => {
  demo.signalGroup(signal);
  const { exitCode, stderr } = await demo.ended;
  expect([exitCode, await serves(ports)]).toEqual([0, false]);
  expect(stderr).not.toContain('Error');
  return stderr;
};

/** Expects that a demo on these ports is refused. Returns the ports that the message suggests. */
const expectRefusal = async (folder: string, ports: DemoPorts): Promise<DemoPorts> => {
  const refused = await runDemo(folder, ports).ended;
  const { port, firstPort } = ports;
  expect(refused).toEqual({
    exitCode: 2,
    stdout: '',
    stderr: expect.stringMatching(
      new RegExp(
        `^Cannot listen on port ${port}, ${firstPort}, ${firstPort + 1} and 19 more: already in use. Use other ports:\n` +
          String.raw`PORT=\d+ SANDBOX_PORT=\d+ npm start\n$`,
      ),
    ) as string,
  });
  const [, other, otherFirst] = /PORT=(\d+) SANDBOX_PORT=(\d+) npm start/.exec(refused.stderr) ?? [];
  return { port: Number(other), firstPort: Number(otherFirst) };
};

/** Signs in with a session, and sends a request without one. */
const expectSessions = async ({ port }: DemoPorts): Promise<void> => {
  const url = `http://127.0.0.1:${port}`;
  const browser = formBrowser();
  await browser.signIn(`${url}/session/login`, { username: 'member-a', password: 'sandbox-a' });
  expect((await browser.request(`${url}/me/coverage`)).status).toBe(200);
  expect(await (await fetch(`${url}/config.json`)).json()).toMatchObject({ session: true });
  expect((await fetch(`${url}/me/coverage`)).status).toBe(401);
};

/** Runs the commands that `--examples` prints, except for PDFs. The output of each must end with a newline. */
const expectExamples = async (greeting: string, folder: string): Promise<void> => {
  const token = /^TOKEN=.*$/m.exec(greeting)?.[0] ?? '';
  const commands = greeting.match(/^curl .*(?<!\.pdf)$/gm) ?? [];
  expect(commands.length).toBe(8);
  const script = ['set -e', token, ...commands.flatMap((command) => [command, String.raw`printf '\0'`])].join('\n');
  const { stdout } = await promisify(execFile)('bash', ['-c', script], { cwd: folder });
  const outputs = stdout.split('\0').slice(0, -1);
  expect(commands.map((command, at) => ({ command, stdout: outputs[at] }))).toEqual(
    commands.map((command) => ({ command, stdout: expect.stringMatching(/\n$/) as string })),
  );
};

/** At most ten lines of 80 characters: the URL, the users, and Ctrl-C last. */
const expectGreeting = (greeting: string, { port }: DemoPorts): void => {
  const lines = greeting.split('\n').slice(0, -1);
  expect(lines.length).toBeLessThanOrEqual(10);
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
  expect(greeting).toContain(`http://127.0.0.1:${port}/`);
  for (const one of ['a', 'b', 'c']) expect(greeting).toContain(`member-${one} / sandbox-${one}`);
  expect(lines.at(-1)).toBe('  Press Ctrl-C to stop.');
};

const isOpen = async (port: number): Promise<boolean> => {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
};
