import { globSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, it } from 'vitest';
import { instructionsOf } from './dockerfile.ts';
import { project, projectFile } from '../project-file.ts';

it('the Dockerfile copies the package.json of every package, and no source, before it installs dependencies', () => {
  const instructions = instructionsOf(projectFile('docs/deploy/Dockerfile'));
  const install = instructions.findIndex(({ text }) => text.startsWith('npm ci'));
  const copied = instructions
    .slice(0, install)
    .filter(({ name }) => name === 'COPY')
    .map(({ text }) => text);
  const packages = globSync('packages/*/package.json', { cwd: project }).toSorted();
  expect(copied).toEqual([
    'package.json package-lock.json tsconfig.base.json ./',
    ...packages.map((path) => `${path} ${dirname(path)}/`),
  ]);
});

it('the Dockerfile makes all that it copies into the image readable for its user', () => {
  const instructions = instructionsOf(projectFile('docs/deploy/Dockerfile'));
  const copied = instructions.flatMap(({ name, text }) => {
    const [, path] = /^--from=build \/portico\/(\S+) /.exec(text) ?? [];
    return name === 'COPY' && path !== undefined ? [path] : [];
  });
  const lastRun = instructions.findLast(({ name }) => name === 'RUN');
  expect(lastRun?.text).toContain(`&& chmod -R go+rX ${copied.join(' ')}`);
});
