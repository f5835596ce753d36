import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { directory } from '../program/outside-world.test.support.ts';
import { writeAtomically } from './atomic-file.ts';

it.skipIf(process.getuid?.() === 0)(
  'writeAtomically does not replace a read-only file (skipped for root)',
  async (test) => {
    const file = join(directory(test), 'eob.pdf');
    writeFileSync(file, 'keep', { mode: 0o400 });
    await expect(writeAtomically(file, 'new', { mode: 0o600 })).rejects.toMatchObject({ code: 'EACCES' });
    expect(readFileSync(file, 'utf8')).toBe('keep');
  },
);

it('writeAtomically removes the partial file as soon as it is interrupted, although the content does not end', async (test) => {
  const folder = directory(test);
  const interruption = new AbortController();
  const [started, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  async function* content() {
    yield Buffer.from('private');
    started.resolve();
    await released.promise;
  }
  const settings = { mode: 0o600, signal: interruption.signal };
  const written = writeAtomically(join(folder, 'eob.pdf'), content(), settings);
  await started.promise;
  expect(readdirSync(folder)).toEqual([expect.stringMatching(/^eob\.pdf\..*\.part$/)]);
  interruption.abort();
  await expect.poll(() => readdirSync(folder)).toEqual([]);
  released.resolve();
  await expect(written).rejects.toThrow();
  expect(readdirSync(folder)).toEqual([]);
});
