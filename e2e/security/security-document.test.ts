import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const root = new URL('../../', import.meta.url);
const threats = readFileSync(new URL('SECURITY.md', root), 'utf8')
  .split('## Threats')[1]!
  .split('\n')
  .filter((line) => line.startsWith('|') && !/^\| (?:Threat|-+) /.test(line));

describe('threats in SECURITY.md', () => {
  it('lists threats', () => {
    expect(threats.length).toBeGreaterThan(25);
  });

  it.each(threats.map((line) => [line.split('|')[1]!.trim(), line] as const))('%s', (_, line) => {
    const [, path = '', title = ''] = /`([^`]+\.test\.ts)`: "(.+)"\s*\|$/.exec(line) ?? [];
    const file = new URL(path, root);
    expect(path !== '' && existsSync(file), `${path} does not exist`).toBe(true);
    const titles = Array.from(
      readFileSync(file, 'utf8').matchAll(/\(\s*(?:'((?:[^'\\]|\\.)*)'|"([^"]*)"|`([^`]*)`)\s*,/g),
      ([, ...quoted]) => quoted.find((text) => text !== undefined),
    );
    expect(titles).toContain(title);
  });
});
