import { serviceNames } from '@portico/core';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  directory,
  documentIn,
  fileWith,
  inTerminal,
  noTerminal,
  plain,
  portico,
} from '../program/binary.test.support.ts';
import { answersFrom } from './questions.ts';
import { defaultAnswers, startingSettings } from './starting-settings.ts';

const jsonIn = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, unknown>>;

describe('portico init without a terminal', () => {
  it('writes settings with example values that portico config check accepts', async (test) => {
    const file = join(directory(test), 'portico.json');
    const written = await portico(test, ['init', file]);
    const checked = await portico(test, ['config', 'check', '--config', file]);

    expect([written.exitCode, written.stderr]).toEqual([0, '']);
    expect(written.stdout).toMatch(/^Wrote \S+portico\.json and \S+portico\.schema\.json\.\nNext: portico doctor /);
    expect(jsonIn(file)).toEqual(startingSettings(defaultAnswers, 'portico.schema.json'));
    expect([checked.exitCode, checked.stderr]).toEqual([0, '']);
  });

  it('points $schema at the schema that portico config schema prints', async (test) => {
    const folder = directory(test);
    await portico(test, ['init', '--yes', join(folder, 'member.json')]);
    const { stdout } = await portico(test, 'config schema');

    expect(jsonIn(join(folder, 'member.json'))['$schema']).toBe('./member.schema.json');
    expect(readFileSync(join(folder, 'member.schema.json'), 'utf8')).toBe(stdout);
  });

  it('portico init without a terminal is one document with --json', async (test) => {
    const file = join(directory(test), 'portico.json');
    const ended = await portico(test, ['init', '--json', file]);

    expect(documentIn(ended)).toEqual({ ok: true, file, schema: file.replace('.json', '.schema.json') });
  });

  it.for(['portico.json', 'portico.schema.json'])(
    'does not overwrite %s, unless --force is given',
    async (name, test) => {
      const folder = directory(test);
      const file = join(folder, 'portico.json');
      writeFileSync(join(folder, name), 'precious');
      const refused = await portico(test, ['init', file]);

      expect(refused.exitCode).toBe(2);
      expect(refused.stderr).toContain(`${name} already exists.\n  Give another path, or --force to overwrite it.\n`);
      expect(readFileSync(join(folder, name), 'utf8')).toBe('precious');
      expect(readdirSync(folder)).toEqual([name]);

      expect((await portico(test, ['init', '--force', file])).exitCode).toBe(0);
      expect(readFileSync(join(folder, name), 'utf8')).not.toBe('precious');
    },
  );

  it('keeps the mode of a file that --force overwrites', async (test) => {
    const file = fileWith(test, 'precious', { name: 'portico.json', mode: 0o600 });

    expect((await portico(test, ['init', '--force', file])).exitCode).toBe(0);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('writes the target of a symbolic link with --force', async (test) => {
    const file = fileWith(test, 'precious');
    const link = join(directory(test), 'portico.json');
    symlinkSync(file, link);

    expect((await portico(test, ['init', '--force', link])).exitCode).toBe(0);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readFileSync(file, 'utf8')).toContain('"downstreams"');
  });

  it('names a schema file that cannot be written, and does not write the settings', async (test) => {
    const folder = directory(test);
    mkdirSync(join(folder, 'portico.schema.json'));
    const { exitCode, stderr } = await portico(test, ['init', '--force', join(folder, 'portico.json')]);

    expect(exitCode).toBe(1);
    expect(stderr).toContain('portico.schema.json cannot be written (EISDIR).');
    expect(readdirSync(folder)).toEqual(['portico.schema.json']);
  });

  it('reports a folder that does not exist', async (test) => {
    const { exitCode, stderr } = await portico(test, ['init', join(directory(test), 'nowhere', 'portico.json')]);

    expect(exitCode).toBe(1);
    expect(stderr).toContain('cannot be written (ENOENT).');
  });
});

/** Replies with these lines, and takes down the questions. */
const dialogue = async (lines: readonly (string | undefined)[]) => {
  const questions: string[] = [];
  const answers = await answersFrom(async (question) => {
    questions.push(question);
    return lines[questions.length - 1];
  });
  return { answers, questions };
};

describe('the questions of portico init', () => {
  it('take an empty line for the default', async () => {
    const { answers } = await dialogue(Array.from({ length: 20 }, () => ''));

    expect(answers).toEqual(defaultAnswers);
  });

  it('ask for the issuer, the services and their URLs, the port and the pages', async () => {
    const { answers, questions } = await dialogue([
      'https://id.test/realms/a',
      'claims, policy',
      'https://claims.test',
      'http://policy.test/v1',
      '9090',
      'yes',
      'no',
    ]);

    expect(answers).toEqual({
      issuer: 'https://id.test/realms/a',
      services: { claims: 'https://claims.test', policy: 'http://policy.test/v1' },
      port: 9090,
      hasPages: true,
      hasSessions: false,
    });
    expect(questions[1]).toBe(`Services, separated by commas [${serviceNames.join(',')}]: `);
  });

  it('the questions of portico init are repeated with the problem until the answer is valid', async () => {
    const { questions } = await dialogue(['id.test', '', 'billing', 'claims', '', '65536', '', 'perhaps', '']);

    expect(questions).toEqual([
      'Issuer of the access tokens [https://identity.example/realms/members]: ',
      expect.stringMatching(/^ {2}must be an http or https URL\nIssuer/),
      expect.stringMatching(/^Services/),
      expect.stringMatching(/^ {2}must be some of eligibility, .*\nServices/),
      expect.stringMatching(/^Base URL of claims \[https:\/\/claims\.example\]: $/),
      expect.stringMatching(/^Port to listen on \[8080\]: $/),
      expect.stringMatching(/^ {2}must be an integer from 1 to 65535\nPort/),
      expect.stringMatching(/^Serve the member's pages/),
      expect.stringMatching(/^ {2}must be yes or no\nServe/),
    ]);
  });

  it.each([
    ['http://idp.internal/realms/m', false],
    ['http://localhost:8090', true],
    ['https://id.test', true],
  ])('accept sessions with the issuer %s: %s', async (issuer, isAccepted) => {
    const { answers, questions } = await dialogue([issuer, 'claims', '', '', 'yes', 'yes', 'no']);

    expect(answers?.hasSessions).toBe(isAccepted);
    if (!isAccepted) expect(questions.at(-1)).toMatch(/^ {2}the issuer of sessions must be an https URL, or .*\nSign/);
  });

  it('end where the input ends', async () => {
    expect((await dialogue(['https://id.test', undefined])).answers).toBeUndefined();
  });
});

describe.skipIf(noTerminal !== undefined)('portico init on a terminal', () => {
  it('reads answers that are pasted together', async (test) => {
    const file = join(directory(test), 'portico.json');
    const { ended, type } = inTerminal(test, `portico init ${file}`, {});
    await type(
      /Issuer of the access tokens/,
      'https://id.test/realms/a\r\nclaims\r\nhttps://claims.test\r\n9090\r\nno\r\n',
    );
    const { exitCode } = await ended;

    expect(exitCode).toBe(0);
    expect(jsonIn(file)).toMatchObject({
      listen: { port: 9090 },
      identity: { issuer: 'https://id.test/realms/a' },
      downstreams: { claims: { url: 'https://claims.test' } },
    });
  });

  it('prompts, writes what was typed, and shows a new session key on the terminal only', async (test) => {
    const folder = directory(test);
    const [file, printed] = [join(folder, 'portico.json'), join(folder, 'printed.txt')];
    const { ended, type } = inTerminal(test, `portico init ${file} > ${printed}`, {});
    await type(/Issuer of the access tokens/, 'https://id.test/realms/a\n');
    await type(/Services, separated/, '\n');
    for (const name of serviceNames) await type(new RegExp(`Base URL of ${name} `), '\n');
    await type(/Port to listen on/, '9090\n');
    await type(/Serve the member's pages/, 'yes\n');
    await type(/session cookie/, '\n');
    const { exitCode, stdout } = await ended;

    expect(exitCode).toBe(0);
    expect(readFileSync(printed, 'utf8')).toMatch(new RegExp(`\nNext: portico doctor --config ${file}\n$`));
    const [, key = ''] = /SESSION_KEY=(\S+)/.exec(plain(stdout)) ?? [];
    const env = { CLIENT_SECRET: 'a secret', SESSION_KEY: key };
    expect((await portico(test, ['config', 'check', '--config', file], { env })).stderr).toBe('');
    for (const written of [file, printed]) expect(readFileSync(written, 'utf8')).not.toContain(key);
    expect(jsonIn(file)).toMatchObject({
      listen: { port: 9090 },
      identity: { issuer: 'https://id.test/realms/a', client: { id: 'portico-portal' } },
      session: { keys: [{ env: 'SESSION_KEY' }] },
      pages: { directory: 'pages' },
    });
  });

  it('does not overwrite a file that was created during the questions', async (test) => {
    const file = join(directory(test), 'portico.json');
    const { child, until, ended, type } = inTerminal(test, `portico init ${file}`, {});
    await until('stdout', /Issuer of the access tokens/);
    writeFileSync(file, 'precious');
    child.stdin.write('\n');
    await type(/Services, separated/, 'claims\n');
    for (const question of [/Base URL of claims/, /Port to listen on/, /Serve the member's pages/])
      await type(question, '\n');

    expect((await ended).exitCode).toBe(2);
    expect(readFileSync(file, 'utf8')).toBe('precious');
  });

  it.for([
    ['Ctrl-C', '\u0003', 130],
    ['Ctrl-D', '\u0004', 1],
  ] as const)('writes nothing after %s', async ([, key, expected], test) => {
    const file = join(directory(test), 'portico.json');
    const { ended, type } = inTerminal(test, `portico init ${file}`, {});
    await type(/Issuer of the access tokens/, key);

    expect((await ended).exitCode).toBe(expected);
    expect(existsSync(file)).toBe(false);
  });
});
