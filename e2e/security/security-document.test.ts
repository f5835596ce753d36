import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { project, projectFile } from '../project-file.ts';

const threats = projectFile('SECURITY.md')
  .split('## Threats')[1]!
  .split('\n')
  .filter((line) => line.startsWith('|') && !/^\| (?:Threat|-+) /.test(line));

/** Titles of tests that run: `it('…',` and `it.each(…)('…',`, but not `it.skip('…',`. */
const titleOf = /(?:\b(?:it|describe)(?:\.concurrent)?|\))\(\s*(?:'((?:[^'\\]|\\.)*)'|"([^"]*)"|`([^`]*)`)\s*,/g;

/** What browser sessions must withstand, by words of their rows. */
const sessionThreats = [
  'session fixation',
  'another site that sends requests',
  'signs the member out',
  'shadows',
  'copied cookie',
  'reaches the page',
  'oversized',
  'key that leaked',
  '`return_to`',
  'begun in another browser',
  'injected into another sign-in',
  'mix-up',
  'clocks that differ',
  'used twice',
  'refresh that ends after the logout',
  'logout token that is sent again',
  'logout token that arrives during a sign-in',
];

describe('threats in SECURITY.md', () => {
  it.each(sessionThreats)('include one of browser sessions: %s', (words) => {
    const rows = threats.filter((line) => line.split('|')[1]!.includes(words));
    expect(rows.map((line) => line.includes('`packages/adapters-session/'))).toEqual([true]);
  });

  it.each(threats.map((line) => [line.split('|')[1]!.trim(), line] as const))(
    'SECURITY.md names an existing test for the threat: %s',
    (_, line) => {
      const [, path = '', title = ''] = /`([^`]+\.test\.ts)`: "(.+)"\s*\|$/.exec(line) ?? [];
      expect(path !== '' && existsSync(project + path), `${path} does not exist`).toBe(true);
      const titles = Array.from(projectFile(path).matchAll(titleOf), ([, ...quoted]) =>
        quoted.find((text) => text !== undefined),
      );
      expect(titles).toContain(title);
    },
  );
});
