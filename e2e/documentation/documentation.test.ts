import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { hasCommand, openShell } from '../command-line/shell.ts';
import { startEnvironment, type Environment } from '@portico/demo/environment';

const project = fileURLToPath(new URL('../../', import.meta.url));

interface Output {
  readonly stdout: string;
  readonly stderr: string;
}

const run = (command: string, args: readonly string[], cwd: string, env = process.env): Promise<Output> =>
  new Promise((resolve) => {
    execFile(command, args, { cwd, env, maxBuffer: 16 * 1024 * 1024, timeout: 110_000 }, (_error, stdout, stderr) =>
      resolve({ stdout, stderr }),
    );
  });

const docs = (task: string, folder: string, env = process.env): Promise<Output> =>
  run(process.execPath, ['--conditions=@portico/source', 'tools/docs/main.ts', task, folder], project, env);

/** The shell blocks of a page; see tools/docs/shell-blocks.ts. */
interface ShellPage {
  readonly file: string;
  readonly runs: 'run' | 'fresh';
  readonly steps: readonly { readonly line: number; readonly text: string; readonly output?: string }[];
  readonly saved: Readonly<Record<string, string>>;
}

/** command-line.test.ts runs the commands of that page and compares the output of each. */
const pages = (JSON.parse((await docs('shell-blocks', project)).stdout) as readonly ShellPage[]).filter(
  ({ file }) => file !== 'docs/command-line.md',
);

it('has shell blocks of both kinds', () => {
  expect(new Set(pages.map(({ runs }) => runs))).toEqual(new Set(['run', 'fresh']));
});

/** A script of all blocks of a page in order, each after a marker line. It ends at the first failure. */
const scriptOf = ({ steps }: ShellPage): string =>
  `set -e -o pipefail\n${steps.map(({ line, text }) => `echo "«${line}»"\n${text}`).join('')}echo "«end»"\n`;

/** Matches output in which `…` stands for any text. */
const pattern = (output: string): RegExp =>
  new RegExp(
    `^${output
      .trimEnd()
      .replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
      .replaceAll('…', '[^]*')}$`,
  );

const expectOutput = ({ steps }: ShellPage, { stdout, stderr }: Output): void => {
  expect(stdout.endsWith('«end»\n'), stdout + stderr).toBe(true);
  const parts = new Map(
    Array.from(stdout.matchAll(/«(\d+)»\n([^«]*)/g), ([, line = '', text = '']) => [Number(line), text.trimEnd()]),
  );
  for (const { line, output } of steps)
    if (output !== undefined) expect(parts.get(line), `line ${line}`).toMatch(pattern(output));
};

describe('shell blocks in a running environment', () => {
  let environment: Environment;

  beforeAll(async () => {
    environment = await startEnvironment();
  });
  afterAll(() => environment.close());

  it.for(pages.filter(({ runs }) => runs === 'run'))('print the documented output: $file', async (page, { skip }) => {
    const shell = openShell(environment);
    onTestFinished(shell.close);
    if (!(await hasCommand(shell, 'curl'))) return skip('curl is not installed');
    const script = scriptOf(page)
      .replaceAll('http://127.0.0.1:8080', environment.portico.url)
      .replaceAll('"$PWD/.portico/settings.json"', environment.portico.config);
    expectOutput(page, await shell.run(script));
  });
});

describe('shell blocks in an empty folder with the built packages', () => {
  it.for(pages.filter(({ runs }) => runs === 'fresh'))('print the documented output: $file', async (page) => {
    const folder = mkdtempSync(join(tmpdir(), 'portico-fresh-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    symlinkSync(join(project, 'node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    for (const [name, text] of Object.entries(page.saved)) writeFileSync(join(folder, name), text);
    const path = [dirname(process.execPath), join(folder, 'node_modules/.bin'), process.env['PATH']].join(delimiter);
    expectOutput(page, await run('bash', ['-c', scriptOf(page)], folder, { PATH: path, HOME: folder }));
  });
});

type Files = readonly (readonly [name: string, text: string])[];

const folderOf = (pages: Files, others: Files = []): string => {
  const folder = mkdtempSync(join(tmpdir(), 'portico-docs-'));
  const navigation = [{ title: 'All', pages: pages.map(([name]) => name) }];
  const base = [
    ['package.json', '{"scripts":{"test":"","lint":""}}'],
    ['docs/navigation.json', JSON.stringify(navigation)],
  ] as const;
  for (const [name, text] of [...pages, ...others, ...base]) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
};

/** Returns the output of the check for a project of these pages and other files. */
const checked = async (pages: Files, others: Files = [], env = process.env): Promise<readonly string[]> => {
  const folder = folderOf(pages, others);
  try {
    return (await docs('check', folder, env)).stderr.trimEnd().split('\n');
  } finally {
    rmSync(folder, { recursive: true });
  }
};

const block = (marks: string, text: string) => `# Bad\n\n\`\`\`${marks}\n${text}\n\`\`\`\n`;

describe('npm run docs -- check', () => {
  const good = '# Good\n\n## Here\n\n```ts\nexport const one: number = 1;\n```\n';

  /** An error, a page with it, and the expected report. */
  const faults: readonly (readonly [error: string, page: string, expected: string])[] = [
    ['a broken link', '# Bad\n\ntwo\nlines, [gone](gone.md)', '4: the link is broken: gone.md'],
    ['a link in a table', '# Bad\n\n| a |\n| - |\n| [gone](gone.md) |', '5: the link is broken: gone.md'],
    ['a missing heading', '# Bad\n\n[x](good.md#there)', '3: the link points to a missing heading: good.md#there'],
    ['a link out of the project', '# Bad\n\n[up](../../up.md)', '3: the link points outside the project: ../../up.md'],
    ['an invalid URL', '# Bad\n\n[web](http://)', '3: the link is not a valid URL: http://'],
    ['JSON that does not parse', block('json', '{"a":}'), '3: the JSON does not parse: SyntaxError: '],
    [
      'invalid settings',
      block('json settings', '{"log":{"level":"loud"}}'),
      '3: log.level must be one of error, warn, info, silent',
    ],
    ['a block that differs from its file', block('md docs/good.md', 'x'), '3: the block differs from docs/good.md: '],
    ['a missing file', block('md docs/gone.md', 'x'), '3: no such file: docs/gone.md'],
    ['a shell block without a mark', block('sh', 'ls'), '3: this shell block is not tested: '],
    ['a block of bash without a mark', block('bash', 'ls'), '3: this shell block is not tested: '],
    ['an unknown script', block('sh ci', 'npm test && npm run tests'), '3: unknown command: npm run tests'],
    ['a script without run', block('sh ci', 'npm ci && npm lint'), '3: unknown command: npm lint'],
    [
      'an example that no help contains',
      block('sh help', 'portico me wealth'),
      '3: not an example of the help: portico me wealth',
    ],
    ['an unknown mark', block('json setings', '{}'), '3: unknown mark "setings" of a json block'],
    ['a block without a language', block('', 'x'), '3: the block has no language'],
    ['output without a shell block', block('text output', 'x'), '3: no shell block that is run precedes it'],
    [
      'a type error after another block',
      `${good}\n\`\`\`ts continued\nconst two: string = one;\nconsole.log(two);\n\`\`\`\n`,
      "10: does not compile: TS2322: Type 'number' is not assignable to type 'string'.",
    ],
    ['a continuation without a block', block('ts continued', 'export {};'), '3: no TypeScript block precedes it'],
  ];
  const unlisted = ['docs/lost.md', '# Lost\n'] as const;
  const stale = ['docs/reference/metrics.md', '# Metrics\n\nNone.\n'] as const;
  let reported: readonly string[];

  beforeAll(async () => {
    const bad = faults.map(([, text], at) => [`docs/${at}.md`, text] as const);
    reported = await checked([['docs/good.md', good], stale, ...bad], [unlisted]);
  });

  const reportsOn = (file: string) => reported.filter((line) => line.startsWith(`${file}:`));

  it.each(faults.map(([what, , expected], at) => [what, `docs/${at}.md`, expected] as const))(
    'reports %s, and nothing else',
    (_, file, expected) => {
      expect(reportsOn(file)).toEqual([expect.stringContaining(`${file}:${expected}`)]);
    },
  );

  it('reports a page that is not in the navigation, and no valid page', () => {
    expect(reportsOn(unlisted[0])).toEqual([`${unlisted[0]}:1: the page is not in docs/navigation.json`]);
    expect(reportsOn('docs/good.md')).toEqual([]);
  });

  it('reports references that are out of date or missing', () => {
    expect(reportsOn(stale[0])).toEqual([`${stale[0]}:3: is out of date: run npm run docs -- write`]);
    expect(reportsOn('docs/reference/settings.md')).toEqual([
      'docs/reference/settings.md:1: is missing: run npm run docs -- write',
    ]);
  });

  it('reports an unterminated block comment at the end of its block', async () => {
    const report = await checked([['docs/open.md', block('ts', 'export {};\n/* and')]]);
    expect(report).toContain("docs/open.md:6: does not compile: TS1010: '*/' expected.");
  });

  it('reports a compiler that cannot be run', async () => {
    const report = await checked([['docs/good.md', good]], [], { PATH: '/nowhere' });
    expect(report).toContainEqual(expect.stringMatching(/^tsc:1: did not compile the blocks: ./));
  });
});

/** The values of an attribute in a page of the site. */
const attributesIn = (html: string, name: string): readonly string[] =>
  Array.from(html.matchAll(new RegExp(` (?:${name})="([^"]*)"`, 'g')), ([, value = '']) =>
    decodeURIComponent(value.replaceAll('&amp;', '&')),
  );

describe('the site', () => {
  let folder: string;
  let files: readonly string[];
  let htmlOf: ReadonlyMap<string, string>;

  /** Built from a copy, because `docs/dist` may be in use. */
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'portico-site-'));
    cpSync(join(project, 'docs'), join(folder, 'docs'), { recursive: true, filter: (path) => !path.endsWith('dist') });
    for (const name of globSync('*.md', { cwd: project })) cpSync(join(project, name), join(folder, name));
    const { stdout, stderr } = await docs('build', folder);
    const site = join(folder, 'docs', 'dist');
    files = readdirSync(site, { recursive: true, encoding: 'utf8' }).filter((name) =>
      statSync(join(site, name)).isFile(),
    );
    const names = files.filter((name) => name.endsWith('.html'));
    expect(stdout, stderr).toBe(`docs/dist: ${names.length} pages.\n`);
    htmlOf = new Map(names.map((name) => [name, readFileSync(join(site, name), 'utf8')]));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** The targets of a page's links: a file of the site, and a fragment. */
  const linksOf = (page: string) =>
    attributesIn(htmlOf.get(page) ?? '', 'href|src')
      .filter((target) => !/^(?:https?|mailto):/.test(target))
      .map((target) => {
        const [path = '', fragment = ''] = target.split('#');
        return { target, file: path === '' ? page : posix.join(posix.dirname(page), path), fragment };
      });

  it('the site has a page for each page of the documentation, without broken links', () => {
    expect(htmlOf.size).toBe(globSync(['*.md', 'docs/**/*.md'], { cwd: folder }).length);
    const links = [...htmlOf.keys()].flatMap((page) => linksOf(page).map((link) => ({ page, ...link })));
    const broken = links.filter(({ file, fragment }) => {
      const isPlace = fragment === '' || attributesIn(htmlOf.get(file) ?? '', 'id').includes(fragment);
      return !files.includes(file) || !isPlace;
    });
    expect(broken).toEqual([]);
    expect(links.some(({ page, file, fragment }) => page !== file && fragment !== '')).toBe(true);
  });

  it('links every page to every other page', () => {
    for (const page of htmlOf.keys()) {
      const found = new Set(linksOf(page).map(({ file }) => file));
      expect([page, [...htmlOf.keys()].filter((name) => !found.has(name))]).toEqual([page, []]);
    }
  });

  it('links to pages and headings, and shows file names for targets that are only in the project', () => {
    expect(htmlOf.get('index.html')).toContain('<a href="member-api.html">Member API</a>');
    expect(htmlOf.get('preferences-journey.html')).toContain(
      '<a href="reference/cli.html#portico-journey">reference</a>',
    );
    expect(htmlOf.get('contributing.html')).toContain('<span class="file">examples/swap-adapter</span>');
  });

  it('allows only its inline style by hash, without scripts and external resources', () => {
    for (const html of htmlOf.values()) {
      const [, style = ''] = /<style>([^]*)<\/style>/.exec(html) ?? [];
      const hash = createHash('sha256').update(style).digest('base64');
      const policy = `default-src 'none'; style-src 'sha256-${hash}'; img-src 'self'; base-uri 'none'; form-action 'none'`;
      expect(html).toContain(`<meta http-equiv="Content-Security-Policy" content="${policy}">`);
      expect(html).not.toMatch(/<(?:script|iframe|link|form|base|object|embed)\b| style="/i);
    }
  });
});
