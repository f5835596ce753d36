import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { check, lineOf } from './project-check.ts';

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
const checked = async (pages: Files, others: Files = []): Promise<readonly string[]> => {
  const folder = folderOf(pages, others);
  try {
    return (await check(folder)).problems.map(lineOf);
  } finally {
    rmSync(folder, { recursive: true });
  }
};

const block = (marks: string, text: string) => `# Bad\n\n\`\`\`${marks}\n${text}\n\`\`\`\n`;

const record = (name: string, length: number, last = 'Consequences') => {
  const parts = ['Status', 'Context', 'Decision', 'Alternatives considered', last].map((part) => `**${part}**: one`);
  return [`docs/decisions/${name}.md`, [...parts, ...Array.from({ length }, String)].join('\n')] as const;
};

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
    [
      'an import of something that the saved file of the page does not export',
      `${block('ts save=one.ts', 'export const one = 1;')}\n\`\`\`ts\nimport { two } from './one.ts';\nconsole.log(two);\n\`\`\`\n`,
      "8: does not compile: TS2305: Module '\"./one.ts\"' has no exported member 'two'.",
    ],
    ['a continuation without a block', block('ts continued', 'export {};'), '3: no TypeScript block precedes it'],
  ];
  const unlisted = ['docs/lost.md', '# Lost\n'] as const;
  const stale = ['docs/reference/metrics.md', '# Metrics\n\nNone.\n'] as const;
  const facts = [
    '# Facts',
    '`limits.maxRequestBytes` (default 256 KiB), `downstreams.<name>.timeoutMs` (default 5000), `portico_redis_up`',
    '`limits.maxRequestBytes` (default 255 KiB)',
    '`metrics.host` (`METRICS_HOTS`, default `127.0.0.1`)',
    '`SEARCH_TIMEOUT_MS` (default 9,000)',
    '`portico_redis_is_up`',
    '`limits.maxRequestByte` (default 256 KiB)',
  ].join('\n');
  const statuses = [
    '# Codes',
    '| No such route | 404    | `no-such-route` |',
    '| Too large     | 400    | `too-large`     |',
    'A 502 `upstream-error` and a 503 `overloaded`',
    '| `GET /me/claims/{locator}` | claims | `GET /members/{partyLocator}/claims/{locator}` |',
    '| `GET /me/claim/{locator}` | claims | `GET /claims/{locator}` |',
  ].join('\n');
  const figures = [
    '# Project',
    '- 14,827 requests/s; Fastify: 8,109 requests/s, or 1.97 times; 9.8 MB for PDFs of 100 MB',
    '- 8,216 requests/s; Fastify: 8,109 requests/s, or 1.35 times',
  ].join('\n');
  const rows = [
    { title: '1 kB of JSON', unit: 'requests/s', own: 14827.4, other: { value: 8108.9, ratio: 1.966 } },
    { title: 'memory while PDFs of 100 MB stream', unit: 'MB', own: 9.777 },
  ];
  const records = [record('0001-good', 20), record('0002-long', 21), record('0003-part', 1, 'Effects')];
  let reported: readonly string[];

  beforeAll(async () => {
    const bad = faults.map(([, text], at) => [`docs/${at}.md`, text] as const);
    reported = await checked(
      [
        ['docs/good.md', good],
        ['docs/facts.md', facts],
        ['docs/codes.md', statuses],
        ['docs/why-portico.md', figures],
        ['docs/rate-limits.md', '# Limits\n\n- at most 100,000\n  callers; waits at most 200 ms for Redis\n'],
        stale,
        ...bad,
        ...records,
      ],
      [unlisted, ['docs/performance/speed.json', JSON.stringify({ rows })]],
    );
  });

  const reportsOn = (file: string) => reported.filter((line) => line.startsWith(`${file}:`));

  it.each(faults.map(([what, , expected], at) => [what, `docs/${at}.md`, expected] as const))(
    'reports %s, and nothing else',
    (_, file, expected) => {
      expect(reportsOn(file)).toEqual([expect.stringContaining(`${file}:${expected}`)]);
    },
  );

  it('reports defaults, variables and metrics that differ from the reference', () => {
    expect(reportsOn('docs/facts.md')).toEqual([
      'docs/facts.md:3: the default of limits.maxRequestBytes is 262144, not 255 KiB',
      'docs/facts.md:4: METRICS_HOTS is not the variable of metrics.host',
      'docs/facts.md:5: the default of SEARCH_TIMEOUT_MS is 10000, not 9,000',
      'docs/facts.md:6: no such metric: portico_redis_is_up',
      'docs/facts.md:7: no such setting: limits.maxRequestByte',
    ]);
  });

  it('reports statuses, error codes, routes and default paths that differ from the code', () => {
    expect(reportsOn('docs/codes.md')).toEqual([
      'docs/codes.md:3: the status of too-large is 413',
      'docs/codes.md:4: no such error code: upstream-error',
      'docs/codes.md:6: no such route: GET /me/claim/{locator}',
      'docs/codes.md:6: /claims/{locator} is no default path of claims',
    ]);
  });

  it('reports a sentence that states another value than the code, wherever its lines break', () => {
    expect(reportsOn('docs/rate-limits.md')).toEqual([
      'docs/rate-limits.md:1: does not state the value of the code: at most 250 ms for Redis',
    ]);
  });

  it('reports each member route that the contract lacks', async () => {
    const lines = (
      await checked([
        [
          'docs/contract.md',
          '# Contract\n\n| `GET /me/coverage` | eligibility | `GET /members/{partyLocator}/coverage` |\n',
        ],
      ])
    ).filter((line) => line.endsWith(' is missing'));
    expect(lines).toContain('docs/contract.md:1: PUT /me/consent is missing');
    expect(lines).not.toContain('docs/contract.md:1: GET /me/coverage is missing');
  });

  it('reports rates and ratios that are not in the record of the benchmark', () => {
    expect(reportsOn('docs/why-portico.md')).toEqual([
      'docs/why-portico.md:3: 8,216 requests/s is not in docs/performance/speed.json',
      'docs/why-portico.md:3: 1.35 times is not in docs/performance/speed.json',
    ]);
  });

  it('requires the five parts of a decision record in order, and at most 25 lines', () => {
    expect(records.flatMap(([file]) => reportsOn(file))).toEqual([
      'docs/decisions/0002-long.md:1: 26 lines: at most 25 are allowed',
      'docs/decisions/0003-part.md:1: the parts must be: Status, Context, Decision, Alternatives considered, Consequences',
    ]);
  });

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
    // A project of its own: with a syntax error, the compiler reports no type errors.
    const report = await checked([['docs/open.md', block('ts', 'export {};\n/* and')]]);
    expect(report).toContain("docs/open.md:6: does not compile: TS1010: '*/' expected.");
  });

  it('reports a compiler that cannot be run', async () => {
    vi.stubEnv('PATH', '/nowhere');
    onTestFinished(() => void vi.unstubAllEnvs());
    const report = await checked([['docs/good.md', good]]);
    expect(report).toContainEqual(expect.stringMatching(/^tsc:1: did not compile the blocks: ./));
  });
});
