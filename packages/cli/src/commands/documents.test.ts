import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { problemOf, upstream } from '@portico/core';
import { describe, expect, it } from 'vitest';
import {
  directory,
  documentIn,
  inShell,
  memberSetup,
  portico,
  sendStatus,
  startPortico,
  type Test,
} from '../program/binary.test.support.ts';
import { sendJson } from '../program/outside-world.test.support.ts';

/** Content with every byte value, and the header of a PDF. */
const pdf = (size: number): Buffer => {
  const bytes = Buffer.alloc(size, Buffer.from(Array.from({ length: 251 }, (_, index) => index)));
  bytes.write('%PDF-1.7\n');
  return bytes;
};

const sha = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** Starts a documents service, and creates a directory for the downloaded files. */
const documentService = async (test: Test, handle: (response: ServerResponse) => void) => {
  const setup = await memberSetup(test, (response) => {
    response.setHeader('Content-Type', 'application/pdf');
    handle(response);
  });
  const folder = directory(test);
  return { ...setup, folder, file: join(folder, 'eob.pdf'), files: () => readdirSync(folder) };
};

/** Starts a documents service that sends half of a document, and the rest when the test calls `finish`. */
const halfwayService = async (test: Test, whole: Buffer, headers: Readonly<Record<string, string | number>> = {}) => {
  let response: ServerResponse | undefined;
  const service = await documentService(test, (one) => {
    response = one;
    one.writeHead(200, headers);
    one.write(whole.subarray(0, whole.length / 2));
  });
  return {
    ...service,
    finish: () => response?.end(whole.subarray(whole.length / 2)),
    disconnect: () => response?.destroy(),
    /** Resolves when half of the document is in the temporary file. */
    halfWritten: () =>
      expect
        .poll(() => service.files().map((name) => statSync(join(service.folder, name)).size), {
          interval: 5,
        })
        .toContain(whole.length / 2),
  };
};

describe.concurrent('portico me documents get -o', () => {
  it('writes the document of the service to a file that only the owner can read', async (test) => {
    const document = pdf(300_000);
    const { env, file, files, service } = await documentService(test, (response) => response.end(document));
    const [people, programs] = await Promise.all([
      portico(test, `me documents get DOC-1 -o ${file}`, { env }),
      portico(test, `me documents get DOC-1 --output ${file}.json --json`, { env }),
    ]);

    expect(people).toMatchObject({ exitCode: 0, stdout: '', stderr: `Saved DOC-1 to ${file} (300.0 kB).\n` });
    expect(programs).toMatchObject({ exitCode: 0, stderr: '' });
    expect(documentIn(programs)).toEqual({ file: `${file}.json`, bytes: 300_000 });
    expect(sha(readFileSync(file))).toBe(sha(document));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(files().toSorted()).toEqual(['eob.pdf', 'eob.pdf.json']);
    expect(service.received[0]).toBe('GET /documents/members/PTY-1/documents/DOC-1');
  });

  it('replaces an existing file only when the document is complete', async (test) => {
    const document = pdf(200_000);
    const { env, file, files, halfWritten, finish } = await halfwayService(test, document);
    writeFileSync(file, 'the old file');
    const ended = portico(test, `me documents get DOC-1 -o ${file}`, { env });
    await halfWritten();
    expect(readFileSync(file, 'utf8')).toBe('the old file');
    finish();

    expect(await ended).toMatchObject({ exitCode: 0 });
    expect(sha(readFileSync(file))).toBe(sha(document));
    expect(files()).toEqual(['eob.pdf']);
  });

  it.for([
    ['0600', 0o600],
    ['0640', 0o640],
    ['0664', 0o664],
  ] as const)('keeps mode %s of an existing file', async ([, mode], test) => {
    const { env, file } = await documentService(test, (response) => response.end(pdf(1000)));
    writeFileSync(file, 'the old file');
    chmodSync(file, mode);
    await portico(test, `me documents get DOC-1 -o ${file}`, { env });

    expect(readFileSync(file)).toEqual(pdf(1000));
    expect(statSync(file).mode & 0o777).toBe(mode);
  });
});

describe.concurrent('links as the output file', () => {
  it.for([
    ['relative', (folder: string) => ({ at: folder, target: 'real.pdf' })],
    ['absolute', (folder: string) => ({ at: folder, target: join(folder, 'real.pdf') })],
    [
      'in a linked folder',
      (folder: string) => {
        mkdirSync(join(folder, 'deep', 'links'), { recursive: true });
        symlinkSync(join(folder, 'deep', 'links'), join(folder, 'links'));
        return { at: join(folder, 'links'), target: '../../real.pdf' };
      },
    ],
  ] as const)('creates the missing target of a link that is %s, and keeps the link', async ([, prepare], test) => {
    const { env, folder } = await documentService(test, (response) => response.end(pdf(1000)));
    const { at, target } = prepare(folder);
    const link = join(at, 'link.pdf');
    symlinkSync(target, link);
    const { exitCode } = await portico(test, `me documents get DOC-1 -o ${link}`, { env });

    expect([exitCode, lstatSync(link).isSymbolicLink()]).toEqual([0, true]);
    expect(readFileSync(join(folder, 'real.pdf'))).toEqual(pdf(1000));
  });

  it('fails for circular links', async (test) => {
    const { env, folder, file, files } = await documentService(test, (response) => response.end(pdf(1000)));
    symlinkSync(file, join(folder, 'other'));
    symlinkSync(join(folder, 'other'), file);

    expect(await portico(test, `me documents get DOC-1 -o ${file}`, { env })).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('(ELOOP)'),
    });
    expect(files().toSorted()).toEqual(['eob.pdf', 'other']);
  });
});

it.concurrent('portico me documents get does not touch the temporary file of another process with the same id', async (test) => {
  const { env, file, folder, files, halfWritten, finish } = await halfwayService(test, pdf(200_000));
  const other = `eob.pdf.${process.pid}.part`;
  writeFileSync(join(folder, other), 'of another container');
  const ended = portico(test, `me documents get DOC-1 -o ${file}`, { env });
  await halfWritten();
  finish();

  expect(await ended).toMatchObject({ exitCode: 0 });
  expect(files().toSorted()).toEqual(['eob.pdf', other]);
  expect(readFileSync(join(folder, other), 'utf8')).toBe('of another container');
});

describe.concurrent('an incomplete download', () => {
  it.for([
    ['the service disconnects after sending Content-Length', { 'content-length': 200_000 }],
    ['the service disconnects without Content-Length', {}],
    ['the service stalls', {}],
  ] as const)('exits with 4 and keeps the existing file when %s', async ([what, headers], test) => {
    const { env, file, files, halfWritten, disconnect } = await halfwayService(test, pdf(200_000), headers);
    writeFileSync(file, 'the old file');
    const ended = portico(test, `me documents get DOC-1 -o ${file} --json`, {
      env: { ...env, ...(what === 'the service stalls' && { DOWNSTREAM_TIMEOUT_MS: '2500' }) },
    });
    if (what !== 'the service stalls') await halfWritten().then(disconnect);
    const { exitCode, stdout, stderr } = await ended;

    expect([exitCode, documentIn({ stdout })]).toMatchObject([
      4,
      { ok: false, code: 'upstream-failure', service: 'documents' },
    ]);
    expect(stderr).toMatch(
      /^portico: The documents service .*\n {2}The download was interrupted\. .*eob\.pdf was not written\./,
    );
    expect([files(), readFileSync(file, 'utf8')]).toEqual([['eob.pdf'], 'the old file']);
  });

  it.for([
    ['Ctrl-C', 'SIGINT', 130],
    ['a closed terminal', 'SIGHUP', 129],
  ] as const)('removes the partial file after %s', async ([, signal, exitCode], test) => {
    const { env, file, files, halfWritten } = await halfwayService(test, pdf(200_000));
    const { interrupt } = startPortico(test, `me documents get DOC-1 -o ${file}`, { env });
    await halfWritten();
    const ended = await interrupt(signal);

    expect([ended.exitCode, ended.stdout, files()]).toEqual([exitCode, '', []]);
    expect(ended.stderr).toBe(`portico: Interrupted. ${file} was not written.\n`);
  });

  it.skipIf(process.platform === 'win32')(
    'keeps the other output of a shell whose stdout is named as the file, also by another name',
    async (test) => {
      const { env, file, folder } = await documentService(test, (response) => response.end(pdf(1000)));
      const link = join(folder, 'link');
      symlinkSync('/dev/stdout', link);
      for (const name of ['/dev/stdout', '/proc/$$/fd/1', link]) {
        const script = `{ echo first; portico me documents get DOC-1 -o ${name}; echo last; } > "$FILE"`;
        await inShell(test, script, { env: { ...env, FILE: file } }).ended;

        expect(readFileSync(file)).toEqual(Buffer.concat([Buffer.from('first\n'), pdf(1000), Buffer.from('last\n')]));
      }
    },
  );

  it.skipIf(process.platform === 'win32')(
    'reports that the output is incomplete after Ctrl-C when it is a pipe',
    async (test) => {
      const { env, file } = await halfwayService(test, pdf(200_000));
      execFileSync('mkfifo', [file]);
      const reader = spawn('cat', [file]);
      test.onTestFinished(() => void reader.kill());
      const { interrupt } = startPortico(test, `me documents get DOC-1 -o ${file}`, { env });
      await once(reader.stdout, 'data');
      const ended = await interrupt('SIGINT');

      expect([ended.exitCode, ended.stderr]).toEqual([130, 'portico: Interrupted. The output is incomplete.\n']);
    },
  );

  it.skipIf(process.platform === 'win32')('writes the whole document to a slow process substitution', async (test) => {
    const { env, file } = await documentService(test, (response) => response.end(pdf(200_000)));
    const script = 'portico me documents get DOC-1 -o >(sleep 1; cat > "$FILE"); wait $!';
    await inShell(test, script, { env: { ...env, FILE: file } }).ended;

    expect(sha(readFileSync(file))).toBe(sha(pdf(200_000)));
  });

  it('exits on Ctrl-C before the first byte with 130 and without an error message', async (test) => {
    const { env, file, files, service } = await documentService(test, () => {});
    const { interrupt } = startPortico(test, `me documents get DOC-1 -o ${file}`, { env });
    await service.firstRequest;
    const { exitCode, stdout, stderr } = await interrupt('SIGINT');

    expect([exitCode, stdout, stderr, files()]).toEqual([130, '', '', []]);
  });

  it.skipIf(process.platform === 'win32')(
    'exits with 1 and keeps the existing file when the disk is full',
    async (test) => {
      const { env, file, files } = await documentService(test, (response) => response.end(pdf(2_000_000)));
      writeFileSync(file, 'the old file');
      // The maximum size of a file, in blocks of 1024 bytes.
      const script = 'ulimit -f 100; portico me documents get DOC-1 -o "$FILE" --json';
      const { exitCode, stdout, stderr } = await inShell(test, script, { env: { ...env, FILE: file } }).ended;

      expect([exitCode, documentIn({ stdout })]).toMatchObject([1, { ok: false, code: 'internal' }]);
      expect(stderr).toMatch(
        /^portico: No space left to write .*eob\.pdf \(EFBIG\)\.\n {2}.*eob\.pdf was not written\./,
      );
      expect(stderr).not.toMatch(/^\s+at /m);
      expect([files(), readFileSync(file, 'utf8')]).toEqual([['eob.pdf'], 'the old file']);
    },
  );

  it.runIf(process.platform === 'linux')(
    'exits with 1 for a full device, and does not replace the device',
    async (test) => {
      const { env, folder, files } = await documentService(test, (response) => response.end(pdf(200_000)));
      // Through a link, so that a bug cannot replace the device of this machine.
      const device = join(folder, 'full');
      symlinkSync('/dev/full', device);
      const { exitCode, stdout, stderr } = await portico(test, `me documents get DOC-1 -o ${device}`, { env });

      expect([exitCode, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(/^portico: No space left to write .*full \(ENOSPC\)\./);
      expect(statSync(device).isCharacterDevice()).toBe(true);
      expect(files()).toEqual(['full']);
    },
  );
});

describe.concurrent('an output file that cannot be written', () => {
  it('exits with 2 when the output file is a directory, or its directory is missing', async (test) => {
    const { env, folder, files } = await documentService(test, (response) => response.end(pdf(1000)));
    const missing = join(folder, 'nowhere', 'eob.pdf');
    const [isDirectory, noDirectory] = await Promise.all(
      [folder, missing].map((file) => portico(test, `me documents get DOC-1 -o ${file}`, { env })),
    );

    expect(isDirectory).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: `portico: Cannot write ${folder} (EISDIR).\n  Choose another file with -o.\n`,
    });
    expect(noDirectory).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: `portico: Cannot write ${missing} (ENOENT).\n  Choose another file with -o.\n`,
    });
    expect(files()).toEqual([]);
  });
});

describe.concurrent('a document on stdout', () => {
  it('writes exactly the bytes of the document to stdout', async (test) => {
    const document = pdf(5_000_000);
    const { env } = await documentService(test, (response) => response.end(document));
    const { exitCode, bytes, stderr } = await portico(test, 'me documents get DOC-1', { env });

    expect([exitCode, bytes.length, sha(bytes), stderr]).toEqual([0, document.length, sha(document), '']);
  });

  it('does not fail when the reader of stdout stops early', async (test) => {
    const { env } = await documentService(test, (response) => response.end(pdf(5_000_000)));
    const script = 'portico me documents get DOC-1 | head -c 8; echo "${PIPESTATUS[0]}"';

    expect(await inShell(test, script, { env }).ended).toMatchObject({ stdout: '%PDF-1.70\n', stderr: '' });
  });

  it('exits with 4 when the service disconnects', async (test) => {
    const { env } = await documentService(test, (response) => {
      response.write(pdf(1000));
      setTimeout(() => response.destroy(), 10);
    });
    const { exitCode, stderr } = await portico(test, 'me documents get DOC-1 -o -', { env });

    expect(exitCode).toBe(4);
    expect(stderr).toMatch(/^portico: The documents service /);
    expect(stderr).toContain('The output is incomplete.');
    expect(stderr).not.toContain('was not written');
  });

  it('exits with 2 for --json without a file, and sends no request', async (test) => {
    const { env, service } = await documentService(test, (response) => response.end(pdf(1000)));
    const { exitCode, stdout, stderr } = await portico(test, 'me documents get DOC:1 --json', { env });

    expect([exitCode, documentIn({ stdout })]).toMatchObject([2, { ok: false, code: 'invalid-request' }]);
    expect(stderr).toBe(
      'portico: --json cannot be used when the PDF is written to stdout.\n  Write to a file: -o DOC-1.pdf\n',
    );
    expect(service.received).toEqual([]);
  });
});

describe.concurrent('a response without a document', () => {
  it.for([
    [3, 'a missing document', 404, 'There is no document DOC-1.\n  To list the documents: portico me documents'],
    [4, 'a response that is not a PDF', 200, problemOf(upstream('documents', 'malformed')).detail],
  ] as const)('exits with %i for %s, and creates no file', async ([exitCode, , status, message], test) => {
    const { env } = await memberSetup(test, (response) => sendStatus(response, status, { secret: 'hunter2' }));
    const file = join(directory(test), 'eob.pdf');

    expect(await portico(test, `me documents get DOC-1 -o ${file}`, { env })).toMatchObject({
      exitCode,
      stdout: '',
      stderr: `portico: ${message}\n`,
    });
    expect(existsSync(file)).toBe(false);
  });
});

it.concurrent('portico me documents lists documents with their locator, type, title and date', async (test) => {
  const documents = [
    { kind: 'pdf', locator: 'DOC-1', title: 'Explanation of benefits', type: 'eob', date: '2026-03-05', pages: 2 },
  ];
  const { env } = await memberSetup(test, (response) => sendJson(response, { documents }));

  expect(await portico(test, 'me documents', { env })).toMatchObject({
    exitCode: 0,
    stdout: 'Locator  Type  Title                    Date\nDOC-1    eob   Explanation of benefits  5 Mar 2026\n',
    stderr: '',
  });
});
