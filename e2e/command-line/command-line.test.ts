import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commandHere } from './command-here.ts';
import { openShell, type Output } from './shell.ts';
import { startEnvironment, type Environment } from '@portico/demo/environment';
import { isInstalled } from '../deployment/installed-tool.ts';

let environment: Environment;
let shell: ReturnType<typeof openShell>;

beforeAll(async () => {
  environment = await startEnvironment();
  shell = openShell(environment, { PORTICO_USERNAME: 'member-a', PORTICO_PASSWORD: 'sandbox-a' });
});
afterAll(async () => {
  shell.close();
  await environment.close();
});

/** The expected output of each command on docs/command-line.md; a command without an entry is an error. */
const expectedOutput: Readonly<Record<string, Partial<Output>>> = {
  'portico me': { stdout: expect.stringMatching(/^Part +Status +Problem *\ncoverage +200 *\n(?:[a-z]+ +200 *\n)+$/) },
  'portico me --include coverage,claims --json': {
    stdout: expect.stringMatching(
      /^\{"partial":false,"parts":\{"coverage":\{"status":200,"body":\{[^]*"claims":\{"status":200,/,
    ),
  },
  'portico me coverage': { stdout: expect.stringMatching(/^Locator +COV-1001$[^]+Sample Choice PPO 1500/m) },
  'portico me accumulators': { stdout: expect.stringMatching(/individual, in network +USD 1,500\.00/) },
  'portico me claims list --status paid': {
    stdout: expect.stringMatching(/^Locator[^]+CLM-1001-01 +USD [\d,.]+ +paid/),
  },
  'portico me claims get CLM-1001-01': {
    stdout: expect.stringMatching(/MRI of the knee, scan +USD [\d,.]+ +12 Feb 2026/),
  },
  'echo \'{"type":"dental","amount":84.5}\' | portico me claims submit -': {
    stdout: expect.stringMatching(/^Type +dental$/m),
  },
  'portico me documents': { stdout: expect.stringMatching(/DOC-EOB-1001-05 +eob +Explanation of benefits/) },
  'portico me documents get DOC-EOB-1001-05 -o eob.pdf': {
    stdout: '',
    stderr: expect.stringMatching(/^Saved DOC-EOB-1001-05 to eob\.pdf \(\d+\.\d kB\)\.\n$/),
  },
  'portico me profile': { stdout: expect.stringMatching(/^Party locator +PTY-1001$/m) },
  'portico me consent': { stdout: expect.stringMatching(/share-with-providers +granted/) },
  'portico me notifications': { stdout: expect.stringMatching(/23 Jun 2026 13:05 UTC +We are reviewing your claim/) },
  'portico me preferences set email=on sms=off': { stdout: expect.stringMatching(/^email +on\nsms +off\n/) },
  'portico me preferences --json': {
    stdout:
      '{"email":true,"sms":false,"push":false,"claimsUpdates":true,"billingAlerts":true,"enrollmentReminders":false}\n',
  },
  'portico me api GET /me/claims --query status=paid': {
    stdout: expect.stringMatching(/^\{"claims":\[(?:[^\n]*"status":"paid",)+[^\n]*\]\}\n$/),
  },
  'portico journey': {
    stdout: expect.stringMatching(
      /^Member PTY-1001\n[^]+enrollmentReminders +off +on\n[^]+were restored\.\n7 of 7 steps passed in \d+ ms\n$/,
    ),
    stderr: expect.stringMatching(/^✔ token +\d+ ms\n(?:✔ [a-z-]+ +\d+ ms\n){6}$/),
  },
  'PORTICO_TOKEN= PORTICO_USERNAME=member-c PORTICO_PASSWORD=sandbox-c portico journey --read-only': {
    stdout: expect.stringMatching(
      /^Member PTY-1003\n[^]+The preferences were not changed\.\n5 of 5 steps passed in \d+ ms\n$/,
    ),
    stderr: expect.stringMatching(
      /✔ get-preferences +\d+ ms never-set\n✔ get-own-preferences +\d+ ms never-set\n– put-preferences +skipped\n/,
    ),
  },
  'portico search health --server http://127.0.0.1:8080': {
    stdout: expect.stringMatching(
      /^moa: .+\nmh: .+\n\nOffer +Price +Seller +Network.*\nFamily Health Cover[^]+INR 1,899\.00/,
    ),
    stderr: expect.stringMatching(/^(?:✔ m(?:oa|h) +\d+ ms {2}\d offers\n){2}$/),
  },
  'portico me claims get CLM-0000-00': {
    stdout: '',
    stderr: 'portico: There is no claim CLM-0000-00.\n  To list the claims: portico me claims\n',
    exitCode: 3,
  },
};

const page = readFileSync(new URL('../../docs/command-line.md', import.meta.url), 'utf8');
const [, block = ''] = /```sh run\n([^]+?)```/.exec(page) ?? [];
const lines = block.trim().split('\n');

const plain =
  /^(?<variables>(?:[A-Z_]+=[\w.-]* )*)portico (?<args>(?!serve|login|init|doctor)(?:[\w/=, -]|http:\/\/127\.0\.0\.1:\d+)+)$/;

/**
 * Runs a command without shell syntax and files in this process, and others in the shell. Those that only a signal ends need
 * a process of their own.
 */
const runLine = (line: string, token: string): Promise<Output> => {
  const { variables, args } = plain.exec(line)?.groups ?? {};
  if (args === undefined) return shell.run(`export PORTICO_TOKEN=${token}\nset -e -o pipefail\n${line}`);
  const own = (variables ?? '').split(' ').map((variable) => variable.split('='));
  return commandHere(args.split(' '), { ...shell.env, PORTICO_TOKEN: token, ...Object.fromEntries(own.slice(0, -1)) });
};

describe('the commands on docs/command-line.md', () => {
  it('are all in the list of expected output', () => {
    expect(lines.slice(2)).toEqual(Object.keys(expectedOutput));
  });

  it('prints the expected output for every command', async () => {
    const [paths = '', token = '', ...commands] = lines;
    // The environment of a test has its own ports and settings file; nothing else is replaced.
    const here = (line: string) => line.replace('http://127.0.0.1:8080', environment.portico.url);
    const preamble = `${paths.replace('"$PWD/.portico/settings.json"', environment.portico.config)}\n${token}\n`;
    const { stdout: exported } = await shell.run(`${preamble}printf %s "$PORTICO_TOKEN"`);
    expect(exported).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
    for (const line of commands) {
      const output = await runLine(here(line), exported);
      expect({ line, ...output }).toEqual({ line, stderr: '', exitCode: 0, ...expectedOutput[line] });
    }
    expect(readFileSync(join(shell.folder, 'eob.pdf')).subarray(0, 5).toString()).toBe('%PDF-');
  });
});

describe('the help', () => {
  /** All commands, listed by the help of their parent commands. */
  const helpOf = async (command: string): Promise<readonly (readonly [command: string, help: string])[]> => {
    const { stdout: help } = await commandHere(`${command} --help`.split(' ').slice(1), {});
    const [, listed = ''] = /^Commands:\n((?: {2}.*\n)+)/m.exec(help) ?? [];
    const names = [...listed.matchAll(/^ {2}([a-z]+)/gm)]
      .map(([, name = '']) => name)
      .filter((name) => name !== 'help');
    const inner = [];
    for (const name of names) inner.push(...(await helpOf(`${command} ${name}`)));
    return [[command, help], ...inner];
  };

  it('the help has an example for every command, and each example works', async () => {
    const helps = await helpOf('portico');
    expect(helps.length).toBeGreaterThan(30);
    const examples = helps.flatMap(([command, help]) => {
      const [, lines = ''] = /\nExamples?:\n((?: {2}\$ .*\n?)+)/.exec(help) ?? [];
      const ofCommand = [...lines.matchAll(/^ {2}\$ (.*)$/gm)].map(([, line = '']) => line);
      return ofCommand.length > 0 ? ofCommand : [`echo "${command} has no example"; exit 9`];
    });
    const { stdout: token } = await shell.run('portico token | tee token.txt; chmod 600 token.txt; mkdir settings');
    await shell.run('echo "export default {};" > portico.mjs');
    const paste = async (line: string) => {
      const here = line
        .replace('http://127.0.0.1:8080', environment.portico.url)
        // A server does not exit: the example works if it listens and exits after SIGTERM.
        .replace(
          /^portico serve (--port \d+|--with .*)$/,
          'exec 3< <(portico serve $1 --port 0); read -r -u 3; kill $!; wait $!',
        )
        // The claims system and the claim are those of the sandbox.
        .replace(
          /^portico contract claims .*$/,
          `PORTICO_CONTRACT_TOKEN=${token.trim()} portico contract claims --url ${environment.sandbox.services.claims.url} --resource CLM-1001-01`,
        )
        .replace(/^portico init$/, 'cd "$(mktemp -d)"; portico init')
        // The settings file does not have the port on which this Portico listens.
        .replace(/^portico doctor/, `portico doctor --port ${new URL(environment.portico.url).port}`)
        // It waits for a person at a browser: the example works if it prints a code. 143: ended by SIGTERM.
        .replace(/^portico login$/, 'exec 3< <(portico login 2>&1); read -r -u 3; kill $!; wait $! || [ $? -eq 143 ]');
      const { exitCode, stderr } = await runLine(here, token.trim());
      return exitCode === 0 ? [] : [{ line, exitCode, stderr }];
    };
    // Commands of the README are tested above.
    const unique = [...new Set(examples)].filter((line) => !Object.hasOwn(expectedOutput, line));
    const failed = [];
    for (const line of unique) failed.push(...(await paste(line)));
    expect(failed).toEqual([]);
  });
});

const scripts = fileURLToPath(new URL('../../examples/scripts/', import.meta.url));

it('the example scripts are export-eobs, search-offers and smoke-test', () => {
  expect(readdirSync(scripts).toSorted()).toEqual(['export-eobs.sh', 'search-offers.sh', 'smoke-test.sh']);
});

describe.skipIf(!isInstalled('jq'))('the example scripts', () => {
  it('smoke-test runs the journey and prints a line for each step', async () => {
    expect(await shell.run(`${scripts}smoke-test.sh`)).toEqual({
      stdout: expect.stringMatching(/^token\tok\t\d+ ms\n(?:[a-z-]+\tok\t\d+ ms\n){6}$/),
      stderr: expect.any(String),
      exitCode: 0,
    });
  });

  it('smoke-test exits with the exit code of the journey when a step fails', async () => {
    await environment.sandbox.services.notifications.setFault({ kind: 'status', status: 500 });
    const output = await shell.run(`${scripts}smoke-test.sh`);
    await environment.sandbox.services.notifications.setFault(null);
    expect(output).toEqual({
      stdout: expect.stringMatching(
        /^token\tok\t\d+ ms\nget-preferences\tfailed\t\d+ ms\n(?:[a-z-]+\tskipped\t0 ms\n){5}$/,
      ),
      stderr: expect.stringContaining('Step get-preferences failed. The notifications service returned an error.'),
      exitCode: 4,
    });
  });

  it('export-eobs saves every explanation of benefits once', async () => {
    const first = await shell.run(`PORTICO_USERNAME=member-c PORTICO_PASSWORD=sandbox-c ${scripts}export-eobs.sh eobs`);
    const names = readdirSync(join(shell.folder, 'eobs')).toSorted();
    expect([first.exitCode, names]).toEqual([0, ['DOC-EOB-1003-01.pdf', 'DOC-EOB-1003-02.pdf']]);
    for (const name of names)
      expect(readFileSync(join(shell.folder, 'eobs', name)).toString('latin1')).toMatch(/^%PDF-[^]+%%EOF\s*$/);
    const token = await environment.sandbox.token('member-c');
    const second = await shell.run(`PORTICO_TOKEN=${token} ${scripts}export-eobs.sh eobs`);
    expect(second).toEqual({ stdout: '', stderr: '', exitCode: 0 });
  });

  it('search-offers lists the offers of both networks', async () => {
    const { stdout, exitCode } = await shell.run(
      `PORTICO_SERVER=${environment.portico.url} ${scripts}search-offers.sh health`,
    );
    expect(exitCode).toBe(0);
    const [header = '', ...rows] = stdout.split('\n');
    expect(header.split(',')).toEqual(expect.arrayContaining(['leg', 'provider', 'offer', 'price']));
    for (const offer of [
      'moa,Agency for Health Assurance,Family Health Cover,',
      'mh,Home Diagnostics Store,Pulse oximeter,749.00,',
    ])
      expect(
        rows.some((row) => row.includes(offer)),
        offer,
      ).toBe(true);
  });
});
