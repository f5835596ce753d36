import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { folderOf, licencesOfInstalled, published } from './published.ts';

const root = new URL('../../', import.meta.url);

it('licencesOfInstalled has every dependency of the published packages', () => {
  const dependencies = published.flatMap((name) => {
    const file = readFileSync(new URL(`${folderOf(name)}/package.json`, root), 'utf8');
    return Object.keys((JSON.parse(file) as { readonly dependencies?: object }).dependencies ?? {});
  });
  const names = new Set([...licencesOfInstalled().keys()].map((id) => id.slice(0, id.lastIndexOf('@'))));
  expect(dependencies.length).toBeGreaterThan(20);
  expect(dependencies.filter((name) => !names.has(name))).toEqual([]);
});
