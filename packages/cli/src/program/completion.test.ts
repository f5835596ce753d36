import { spawnSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  directory,
  documentIn,
  fileWith,
  nodeArguments,
  noTerminal,
  portico,
  start,
  type Test,
} from './binary.test.support.ts';

type Shell = 'bash' | 'zsh' | 'fish';

const isInstalled = (shell: Shell) => spawnSync(shell, ['-c', 'true']).status === 0;

const bare = { bash: ['--norc', '-c'], zsh: ['-f', '-c'], fish: ['--no-config', '-c'] } as const;

/** Runs a script in a shell without user configuration, with `portico` on the PATH. */
const inShell = (test: Test, shell: Shell, script: string) => {
  const bin = directory(test);
  const command = `#!/bin/sh\nexec '${process.execPath}' ${nodeArguments.map((one) => `'${one}'`).join(' ')} "$@"\n`;
  writeFileSync(join(bin, 'portico'), command, { mode: 0o755 });
  return start(test, shell, [...bare[shell], script], { env: { PATH: `${bin}:${process.env['PATH']}`, HOME: bin } })
    .ended;
};

/** Scripts that print the candidates of each shell, one per line, without a terminal. */
const offers: Readonly<Record<Shell, (...words: readonly string[]) => string>> = {
  bash: (...words) =>
    `COMP_WORDS=(${quoted(words)}); COMP_CWORD=${words.length - 1}; COMPREPLY=(); __portico_complete 2> /dev/null; printf '%s\\n' "\${COMPREPLY[@]}"`,
  zsh: (...words) => `words=(${quoted(words)}); CURRENT=${words.length}; _portico`,
  fish: (...words) => `complete -C '${words.join(' ')}'`,
};

const quoted = (words: readonly string[]) => words.map((word) => `'${word}'`).join(' ');

/** Defined as in bash-completion 2, which is not installed everywhere. */
const wordsByReference =
  '_get_comp_words_by_ref() { words=("${COMP_WORDS[@]}"); cword=$COMP_CWORD; cur=${words[cword]}; prev=${words[cword-1]}; }';

/** Code that runs before the completion. */
const prepared: Readonly<Record<Shell, string>> = {
  bash: `${wordsByReference}; source <(portico completion bash)`,
  // Stubs for the functions of the completion system that the script calls.
  zsh: 'compdef() {}; _describe() { print -l -- "${(@P)2}" }; source <(portico completion zsh)',
  fish: 'portico completion fish | source',
};

const separator = '---';

/** Returns the candidates of the shell for each list of words, without descriptions. */
const candidatesFor = async (test: Test, shell: Shell, ...commandLines: readonly (readonly string[])[]) => {
  const script = commandLines.map((words) => `${offers[shell](...words)}\necho ${separator}`).join('\n');
  const { stdout } = await inShell(test, shell, `${prepared[shell]}\n${script}`);
  return stdout
    .split(`${separator}\n`)
    .slice(0, -1)
    .map((lines) =>
      lines
        .split('\n')
        .flatMap((line) => line.split(/[\t:]/)[0] || [])
        .toSorted(),
    );
};

describe.concurrent.each(['bash', 'zsh', 'fish'] as const)('the completion of %s', (shell) => {
  const installed = isInstalled(shell);
  const suffix = installed ? '' : ` (skipped: ${shell} is not installed)`;

  it.skipIf(!installed)(`prints a script with valid syntax${suffix}`, async (test) => {
    const { exitCode, stdout, stderr } = await portico(test, `completion ${shell}`);

    expect([exitCode, stderr]).toEqual([0, '']);
    // From a file, because fish does not read scripts from a pipe.
    const file = fileWith(test, stdout, { name: 'completion' });
    expect(spawnSync(shell, ['-n', file], { encoding: 'utf8' })).toMatchObject({ status: 0, stdout: '', stderr: '' });
  });

  it.skipIf(!installed)(`completes commands and options${suffix}`, async (test) => {
    const [command, commands, option] = await candidatesFor(
      test,
      shell,
      ['portico', 'me', 'cl'],
      ['portico', 'me', 'claims', ''],
      ['portico', 'journey', '--k'],
    );

    expect(command).toEqual(['claims']);
    expect(commands).toEqual(expect.arrayContaining(['get', 'list', 'submit']));
    expect(option).toEqual(['--keep']);
  });
});

const noBash = isInstalled('bash') ? '' : ' (skipped: bash is not installed)';

describe.skipIf(noBash !== '').concurrent(`the completion of bash${noBash}`, () => {
  it('works without bash-completion, and can be sourced twice', async (test) => {
    const source = 'source "$HOME/completion" || exit';
    const offer = offers.bash('portico', 'me', 'cl');
    const script = ['portico completion bash > "$HOME/completion"', source, offer, source, offer].join('\n');

    expect(await inShell(test, 'bash', script)).toMatchObject({ exitCode: 0, stdout: 'claims\nclaims\n', stderr: '' });
  });
});

/**
 * Starts an interactive shell on a terminal, in a directory with these files. `portico completion` prints the script of this
 * process. `portico complete` runs the real command, unless `completions` is what it prints; any other call prints its
 * arguments.
 */
const interactive = async (test: Test, shell: Shell, files: readonly string[], completions?: string) => {
  const home = directory(test);
  const folder = directory(test);
  for (const name of files) writeFileSync(join(folder, name), '');
  const completion = fileWith(test, (await portico(test, `completion ${shell}`)).stdout);
  const real = nodeArguments.map((one) => `'${one}'`).join(' ');
  const complete =
    completions === undefined ? `exec '${process.execPath}' ${real} "$@"` : `printf %s '${completions}'; exit`;
  writeFileSync(
    join(home, 'portico'),
    `#!/bin/sh\ncase $1 in\ncompletion) exec cat '${completion}' ;;\ncomplete) ${complete} ;;\nesac\nprintf got; printf '<%s>' "$@"; echo\n`,
    { mode: 0o755 },
  );
  const command = {
    bash: 'bash --norc --noprofile -i',
    zsh: 'zsh -f -i',
    fish: `fish --no-config -i -C "function fish_prompt; echo -n 'READY> '; end"`,
  }[shell];
  const script = `stty cols 200 rows 50; cd '${folder}'; exec ${command}`;
  const env = { PATH: `${home}:${process.env['PATH']}`, HOME: home, TERM: 'xterm', PS1: 'READY> ', LANG: 'C.UTF-8' };
  const terminal = start(test, 'script', ['--quiet', '--return', '--command', script, '/dev/null'], {
    input: null,
    env,
  });
  let shown = 0;
  /** Types the keys and waits for the output. */
  const type = async (keys: string, pattern: RegExp): Promise<string> => {
    terminal.child.stdin.write(keys);
    const text = await terminal.until('stdout', pattern, shown);
    const fresh = text.slice(shown);
    shown = text.length;
    return fresh;
  };
  const prepare = {
    bash: 'source <(portico completion bash)',
    zsh: 'autoload -Uz compinit; compinit -u -D; source <(portico completion zsh)',
    fish: 'portico completion fish | source',
  }[shell];
  await type('', /READY>/);
  await type(`${prepare}\n`, /READY>/);
  /** Completes a line, runs it, and returns the arguments that the command received. */
  const completed = async (line: string, pattern: RegExp, rest = ''): Promise<readonly string[]> => {
    await type(`${line}\t`, pattern);
    const text = await type(`${rest}\n`, /got<[^]*>\r?\n[^]*READY>/);
    return /got<([^]*?)>\n/.exec(text.replaceAll('\r', ''))?.[1]?.split('><') ?? [];
  };
  return { completed, files: () => readdirSync(folder) };
};

const onTerminal = (shell: Shell) => noTerminal ?? (isInstalled(shell) ? undefined : `${shell} is not installed`);

describe.concurrent.each(['bash', 'zsh', 'fish'] as const)('the completion of %s on a terminal', (shell) => {
  const missing = onTerminal(shell);
  const suffix = missing === undefined ? '' : ` (skipped: ${missing})`;
  const names = [
    'a$(touch pwned).json',
    'b`touch pwned`.json',
    'c;touch pwned;.json',
    'd e.json',
    `f'g"h.json`,
    'i*[j].json',
    // Fish treats the lines of a file name as separate candidates.
    ...(shell === 'fish' ? [] : ['k\nl.json']),
  ];

  it.skipIf(missing !== undefined)(`quotes file names, and does not run commands in them${suffix}`, async (test) => {
    // The same for every name, so the process is not started for each of them.
    const [printed = '', ...others] = await Promise.all(
      names.map(async (name) => (await portico(test, `complete -- me claims submit ${name.charAt(0)}`)).stdout),
    );
    expect(new Set(others)).toEqual(new Set([printed]));
    const { completed, files } = await interactive(test, shell, names, printed);
    const received: string[] = [];
    for (const name of names)
      received.push((await completed(`portico me claims submit ${name.charAt(0)}`, /json/)).at(-1) ?? '');

    expect(received).toEqual(names);
    expect(files().toSorted()).toEqual(names.toSorted());
  });

  // Fish completes only options after a leading dash.
  it.skipIf(missing !== undefined || shell === 'fish')(
    `passes a file name with a leading dash as one argument${suffix}`,
    async (test) => {
      const { completed } = await interactive(test, shell, ['-$(touch pwned).json']);
      const args = await completed('portico me claims submit ', /json/);

      expect(args.at(-1)).toBe('-$(touch pwned).json');
    },
  );

  it.skipIf(missing !== undefined)(`completes the value after "email="${suffix}`, async (test) => {
    const { completed } = await interactive(test, shell, []);

    expect(await completed('portico me preferences set email=of', /email=off/)).toEqual([
      'me',
      'preferences',
      'set',
      'email=off',
    ]);
  });
});

/** Runs `portico complete` and returns the candidates and the directive. */
const completions = async (test: Test, ...words: readonly string[]) => {
  const { exitCode, stdout, stderr } = await portico(test, ['complete', '--', ...words]);
  expect([exitCode, stderr]).toEqual([0, '']);
  const lines = stdout.trimEnd().split('\n');
  return {
    words: lines.slice(0, -1).map((line) => line.split('\t')[0]),
    directive: Number(lines.at(-1)?.replace(':', '')),
  };
};

/** Directive of Cobra's protocol: the shell must not offer file names. */
const noFiles = 4;

describe.concurrent('portico complete', () => {
  it('prints candidates with their descriptions', async (test) => {
    const { exitCode, stdout, stderr } = await portico(test, 'complete -- me cl');

    expect([exitCode, stdout, stderr]).toEqual([0, `claims\tlist, read and submit claims\n:${noFiles}\n`, '']);
  });

  it('completes the choices of an option', async (test) => {
    expect(await completions(test, 'token', '--grant', '')).toMatchObject({
      words: ['password', 'client_credentials'],
    });
  });

  it('does not offer hidden commands', async (test) => {
    const { words } = await completions(test, '');

    expect(words).toEqual(expect.arrayContaining(['serve', 'token', 'me', 'journey', 'search', 'legs', 'config']));
    expect(words).not.toContain('complete');
  });

  it('offers the options of the default subcommand', async (test) => {
    expect((await completions(test, 'me', 'claims', '--st')).words).toEqual(['--status']);
  });

  it.for([
    [['me', ''], ['page', 'coverage', 'claims'], 'submit'],
    [['me', 'claims'], ['claims'], 'list'],
    [['me', 'claims', ''], ['list', 'get', 'submit'], 'claims'],
    [['help', ''], ['serve', 'me', 'config'], '--help'],
    [['help', 'me', ''], ['page', 'coverage', 'claims'], 'me'],
    [['help', 'me', 'claims', 'g'], ['get'], 'list'],
    [['me', '--inc'], ['--include'], '--status'],
  ] as const)('completes %j as it is typed', async ([words, offered, other], test) => {
    const completed = await completions(test, ...words);

    expect(completed.words).toEqual(expect.arrayContaining([...offered]));
    expect(completed.words).not.toContain(other);
  });

  it('completes a preference that bash split at "="', async (test) => {
    const values = { words: ['email=on', 'email=off'] };

    expect(await completions(test, 'me', 'preferences', 'set', 'sms', '=', 'on', 'email', '=')).toMatchObject(values);
    expect(await completions(test, 'me', 'preferences', 'set', 'email', '=', 'o')).toMatchObject(values);
    expect((await completions(test, 'me', 'preferences', 'set', 'email', '=', '')).words).toContain('sms=on');
  });

  it.for([
    ['an argument', ['me', 'claims', 'submit', '']],
    ['an option', ['me', 'documents', 'get', 'DOC-1', '-o', '']],
  ] as const)('completes file names for %s', async ([, words], test) => {
    const { words: offered, directive } = await completions(test, ...words);

    expect(offered.length > 0 || (directive & noFiles) === 0).toBe(true);
  });
});

it.concurrent('portico completion exits with 2 for an unknown shell, and names the valid ones', async (test) => {
  const [unknown, none] = await Promise.all([portico(test, 'completion tcsh'), portico(test, 'completion')]);

  expect(unknown).toMatchObject({ exitCode: 2, stdout: '' });
  expect(unknown.stderr).toMatch(/^portico: .*tcsh.*bash/);
  for (const shell of ['bash', 'zsh', 'fish']) expect(unknown.stderr).toContain(shell);
  expect(none).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining('shell') });
});

it.concurrent('portico completion prints one document for an unknown shell with --json', async (test) => {
  const { exitCode, stdout } = await portico(test, 'completion tcsh --json');

  expect([exitCode, documentIn({ stdout })]).toMatchObject([2, { ok: false }]);
});
