import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { directory } from '../program/outside-world.test.support.ts';

it('writeAtomically leaves no partial file when the process ends before the content', async (test) => {
  const folder = directory(test);
  const program = `
    import { writeAtomically } from ${JSON.stringify(import.meta.resolve('./atomic-file.ts'))};
    import { readdirSync } from 'node:fs';
    async function* content() {
      yield Buffer.from('private');
      process.stdout.write(String(readdirSync(${JSON.stringify(folder)}).length), () => process.exit(3));
      await new Promise(() => {});
    }
    await writeAtomically(${JSON.stringify(join(folder, 'eob.pdf'))}, content(), { mode: 0o600 });
  `;
  const flags = ['--conditions=@portico/source', '--input-type=module', '--eval', program];

  await expect(promisify(execFile)(process.execPath, flags)).rejects.toMatchObject({ code: 3, stdout: '1' });
  expect(readdirSync(folder)).toEqual([]);
});
