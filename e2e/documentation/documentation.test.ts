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

interface Said {
  readonly stdout: string;
  readonly stderr: string;
}

const run = (command: string, args: readonly string[], cwd: string, env = process.env): Promise<Said> =>
  new Promise((resolve) => {
    execFile(command, args, { cwd, env, maxBuffer: 16 * 1024 * 1024, timeout: 110_000 }, (_error, stdout, stderr) =>
      resolve({ stdout, stderr }),
    );
  });

const docs = (task: string, folder: string, env = process.env): Promise<Said> =>
  run(process.execPath, ['--conditions=@portico/source', 'tools/docs/main.ts', task, folder], project, env);

/** A page as its shell blocks see it; see tools/docs/shell-blocks.ts. */
interface ShellPage {
  readonly file: string;
  readonly runs: 'run' | 'fresh';
  readonly steps: readonly { readonly line: number; readonly text: string; readonly said?: string }[];
  readonly saved: Readonly<Record<string, string>>;
}

/** command-line.test.ts runs the commands of that page and compares the output of each. */
const pages = (JSON.parse((await docs('shell-blocks', project)).stdout) as readonly ShellPage[]).filter(
  ({ file }) => file !== 'docs/command-line.md',
);

it('has shell blocks of both kinds', () => {
  expect(new Set(pages.map(({ runs }) => runs))).toEqual(new Set(['run', 'fresh']));
});

/** All blocks of a page are one shell's, in their order, behind a mark each. The first that fails ends it. */
const scriptOf = ({ steps }: ShellPage): string =>
  `set -e -o pipefail\n${steps.map(({ line, text }) => `echo "«${line}»"\n${text}`).join('')}echo "«end»"\n`;

/** What is printed, with `…` for what is different each time or of no interest. */
const outputAs = (said: string): RegExp =>
  new RegExp(
    `^${said
      .trimEnd()
      .replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
      .replaceAll('…', '[^]*')}$`,
  );

const expectToHold = ({ steps }: ShellPage, { stdout, stderr }: Said): void => {
  expect(stdout.endsWith('«end»\n'), stdout + stderr).toBe(true);
  const parts = new Map(
    Array.from(stdout.matchAll(/«(\d+)»\n([^«]*)/g), ([, line = '', text = '']) => [Number(line), text.trimEnd()]),
  );
  for (const { line, said } of steps)
    if (said !== undefined) expect(parts.get(line), `line ${line}`).toMatch(outputAs(said));
};

describe('beside a running environment, the shell blocks', () => {
  let environment: Environment;

  beforeAll(async () => {
    environment = await startEnvironment();
  });
  afterAll(() => environment.close());

  it.for(pages.filter(({ runs }) => runs === 'run'))('of $file do what they say', async (page, { skip }) => {
    const shell = openShell(environment);
    onTestFinished(shell.close);
    if (!(await hasCommand(shell, 'curl'))) return skip('curl is not installed');
    const script = scriptOf(page)
      .replaceAll('http://127.0.0.1:8080', environment.portico.url)
      .replaceAll('"$PWD/.portico/settings.json"', environment.portico.config);
    expectToHold(page, await shell.run(script));
  });
});

describe('in an empty folder with the built packages, the shell blocks', () => {
  it.for(pages.filter(({ runs }) => runs === 'fresh'))('of $file do what they say', async (page) => {
    const folder = mkdtempSync(join(tmpdir(), 'portico-fresh-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    symlinkSync(join(project, 'node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    for (const [name, text] of Object.entries(page.saved)) writeFileSync(join(folder, name), text);
    const path = [dirname(process.execPath), join(folder, 'node_modules/.bin'), process.env['PATH']].join(delimiter);
    expectToHold(page, await run('bash', ['-c', scriptOf(page)], folder, { PATH: path, HOME: folder }));
  });
});

type Files = readonly (readonly [name: string, text: string])[];

const folderOf = (pages: Files, others: Files = []): string => {
  const folder = mkdtempSync(join(tmpdir(), 'portico-docs-'));
  const navigation = [{ title: 'All', pages: pages.map(([name]) => name) }];
  const own = [
    ['package.json', '{"scripts":{"test":"","lint":""}}'],
    ['docs/navigation.json', JSON.stringify(navigation)],
  ] as const;
  for (const [name, text] of [...pages, ...others, ...own]) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
};

/** What the check says of a project of these pages, and of these other files. */
const checked = async (pages: Files, others: Files = [], env = process.env): Promise<readonly string[]> => {
  const folder = folderOf(pages, others);
  try {
    return (await docs('check', folder, env)).stderr.trimEnd().split('\n');
  } finally {
    rmSync(folder, { recursive: true });
  }
};

const block = (marks: string, text: string) => `# Bad\n\n\`\`\`${marks}\n${text}\n\`\`\`\n`;

describe('the check of the documentation', () => {
  const good = '# Good\n\n## Here\n\n```ts\nexport const one: number = 1;\n```\n';

  /** What is wrong, a page with that wrong in it, and where and how it is told. */
  const faults: readonly (readonly [what: string, page: string, told: string])[] = [
    ['a link that leads nowhere', '# Bad\n\ntwo\nlines, [gone](gone.md)', '4: the link leads nowhere: gone.md'],
    ['a link in a table', '# Bad\n\n| a |\n| - |\n| [gone](gone.md) |', '5: the link leads nowhere: gone.md'],
    ['a place that no page has', '# Bad\n\n[x](good.md#there)', '3: the link leads to no heading: good.md#there'],
    ['a link out of the project', '# Bad\n\n[up](../../up.md)', '3: the link leads out of the project: ../../up.md'],
    ['an address that is none', '# Bad\n\n[web](http://)', '3: the link is no address: http://'],
    ['JSON that does not parse', block('json', '{"a":}'), '3: the JSON does not parse: SyntaxError: '],
    [
      'settings that are wrong',
      block('json settings', '{"log":{"level":"loud"}}'),
      '3: log.level must be one of error, warn, info, silent',
    ],
    ['a block that is not its file', block('md docs/good.md', 'x'), '3: the block is not docs/good.md as it is: '],
    ['a file that is not there', block('md docs/gone.md', 'x'), '3: there is no file docs/gone.md'],
    ['a shell block that nobody runs', block('sh', 'ls'), '3: nothing holds this shell block: '],
    ['a shell by another name', block('bash', 'ls'), '3: nothing holds this shell block: '],
    ['what no script is', block('sh ci', 'npm test && npm run tests'), '3: no command of the project: npm run tests'],
    ['a script without its run', block('sh ci', 'npm ci && npm lint'), '3: no command of the project: npm lint'],
    ['what no help says', block('sh help', 'portico me wealth'), '3: no example of the help: portico me wealth'],
    ['a mark that nobody knows', block('json setings', '{}'), '3: a block of json has no mark "setings"'],
    ['a block without a language', block('', 'x'), '3: the block names no language'],
    ['what nobody says', block('text said', 'x'), '3: no shell block that is replayed stands before it'],
    [
      'what does not compile, behind another block',
      `${good}\n\`\`\`ts continued\nconst two: string = one;\nconsole.log(two);\n\`\`\`\n`,
      "10: does not compile: TS2322: Type 'number' is not assignable to type 'string'.",
    ],
    ['what continues nothing', block('ts continued', 'export {};'), '3: no block of TypeScript stands before it'],
  ];
  const lost = ['docs/lost.md', '# Lost\n'] as const;
  const stale = ['docs/reference/metrics.md', '# Metrics\n\nNone.\n'] as const;
  let told: readonly string[];

  beforeAll(async () => {
    const bad = faults.map(([, text], at) => [`docs/${at}.md`, text] as const);
    told = await checked([['docs/good.md', good], stale, ...bad], [lost]);
  });

  const toldOf = (file: string) => told.filter((line) => line.startsWith(`${file}:`));

  it.each(faults.map(([what, , expected], at) => [what, `docs/${at}.md`, expected] as const))(
    'tells of %s, and of nothing else',
    (_, file, expected) => {
      expect(toldOf(file)).toEqual([expect.stringContaining(`${file}:${expected}`)]);
    },
  );

  it('tells of a page that nobody finds, and of nothing that holds', () => {
    expect(toldOf(lost[0])).toEqual([`${lost[0]}:1: the page is not in docs/navigation.json`]);
    expect(toldOf('docs/good.md')).toEqual([]);
  });

  it('tells of a reference that is not what the source says, and of one that is missing', () => {
    expect(toldOf(stale[0])).toEqual([`${stale[0]}:3: is not what the source says: npm run docs -- write`]);
    expect(toldOf('docs/reference/settings.md')).toEqual([
      'docs/reference/settings.md:1: is missing: npm run docs -- write',
    ]);
  });

  it('tells of what is open at the end of a block, where it ends', async () => {
    const found = await checked([['docs/open.md', block('ts', 'export {};\n/* and')]]);
    expect(found).toContain("docs/open.md:6: does not compile: TS1010: '*/' expected.");
  });

  it('tells of a compiler that cannot be run', async () => {
    const found = await checked([['docs/good.md', good]], [], { PATH: '/nowhere' });
    expect(found).toContainEqual(expect.stringMatching(/^tsc:1: did not compile the blocks: ./));
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

  /** Built from a copy: somebody may be reading `docs/dist`. */
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

  /** Where the links of a page lead: a file of the site, and a place on it. */
  const linksOf = (page: string) =>
    attributesIn(htmlOf.get(page) ?? '', 'href|src')
      .filter((target) => !/^(?:https?|mailto):/.test(target))
      .map((target) => {
        const [path = '', place = ''] = target.split('#');
        return { target, file: path === '' ? page : posix.join(posix.dirname(page), path), place };
      });

  it('has a page for each of the documentation, and every link on it leads somewhere', () => {
    expect(htmlOf.size).toBe(globSync(['*.md', 'docs/**/*.md'], { cwd: folder }).length);
    const links = [...htmlOf.keys()].flatMap((page) => linksOf(page).map((link) => ({ page, ...link })));
    const broken = links.filter(({ file, place }) => {
      const isPlace = place === '' || attributesIn(htmlOf.get(file) ?? '', 'id').includes(place);
      return !files.includes(file) || !isPlace;
    });
    expect(broken).toEqual([]);
    expect(links.some(({ page, file, place }) => page !== file && place !== '')).toBe(true);
  });

  it('leads from every page to every other', () => {
    for (const page of htmlOf.keys()) {
      const found = new Set(linksOf(page).map(({ file }) => file));
      expect([page, [...htmlOf.keys()].filter((name) => !found.has(name))]).toEqual([page, []]);
    }
  });

  it('leads from the text to a page, to a place on it, and names what is in the project only', () => {
    expect(htmlOf.get('index.html')).toContain('<a href="member-api.html">Member API</a>');
    expect(htmlOf.get('preferences-journey.html')).toContain(
      '<a href="reference/cli.html#portico-journey">reference</a>',
    );
    expect(htmlOf.get('contributing.html')).toContain('<span class="file">examples/swap-adapter</span>');
  });

  it('runs nothing and loads nothing: its policy has the hash of its style, and that alone', () => {
    for (const html of htmlOf.values()) {
      const [, style = ''] = /<style>([^]*)<\/style>/.exec(html) ?? [];
      const hash = createHash('sha256').update(style).digest('base64');
      const policy = `default-src 'none'; style-src 'sha256-${hash}'; img-src 'self'; base-uri 'none'; form-action 'none'`;
      expect(html).toContain(`<meta http-equiv="Content-Security-Policy" content="${policy}">`);
      expect(html).not.toMatch(/<(?:script|iframe|link|form|base|object|embed)\b| style="/i);
    }
  });
});
