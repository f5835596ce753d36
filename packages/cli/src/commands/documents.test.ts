import { createHash } from 'node:crypto';
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

/** A document of every byte there is. */
const pdf = (size: number): Buffer => {
  const bytes = Buffer.alloc(size, Buffer.from(Array.from({ length: 251 }, (_, index) => index)));
  bytes.write('%PDF-1.7\n');
  return bytes;
};

const sha = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** A document service that answers like this, and a directory for what it gives. */
const documentService = async (test: Test, answer: (response: ServerResponse) => void) => {
  const world = await memberSetup(test, (response) => {
    response.setHeader('Content-Type', 'application/pdf');
    answer(response);
  });
  const folder = directory(test);
  return { ...world, folder, file: join(folder, 'eob.pdf'), files: () => readdirSync(folder) };
};

/** Half a document, and its other half when the test says so. */
const inTwoHalves = async (test: Test, whole: Buffer, headers: Readonly<Record<string, string | number>> = {}) => {
  let response: ServerResponse | undefined;
  const service = await documentService(test, (one) => {
    response = one;
    one.writeHead(200, headers);
    one.write(whole.subarray(0, whole.length / 2));
  });
  return {
    ...service,
    finish: () => response?.end(whole.subarray(whole.length / 2)),
    breakOff: () => response?.destroy(),
    /** Resolves when half of it is on the disk, beside where it is to be. */
    half: () =>
      expect
        .poll(() => service.files().map((name) => statSync(join(service.folder, name)).size), {
          interval: 5,
        })
        .toContain(whole.length / 2),
  };
};

describe.concurrent('a document in a file', () => {
  it('is the one that the service has, for nobody else to read', async (test) => {
    const document = pdf(300_000);
    const { env, file, files, service } = await documentService(test, (response) => response.end(document));
    const [people, programs] = await Promise.all([
      portico(test, `me documents get DOC-1 -o ${file}`, { env }),
      portico(test, `me documents get DOC-1 --output ${file}.json --json`, { env }),
    ]);

    expect(people).toMatchObject({ exitCode: 0, stdout: '', stderr: `DOC-1 is in ${file} (300.0 kB)\n` });
    expect(programs).toMatchObject({ exitCode: 0, stderr: '' });
    expect(documentIn(programs)).toEqual({ file: `${file}.json`, bytes: 300_000 });
    expect(sha(readFileSync(file))).toBe(sha(document));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(files().toSorted()).toEqual(['eob.pdf', 'eob.pdf.json']);
    expect(service.heard[0]).toBe('GET /documents/members/PTY-1/documents/DOC-1');
  });

  it('takes the place of an older one when it is there whole, and not before', async (test) => {
    const document = pdf(200_000);
    const { env, file, files, half, finish } = await inTwoHalves(test, document);
    writeFileSync(file, 'the older one');
    const { ended } = startPortico(test, `me documents get DOC-1 -o ${file}`, { env });
    await half();
    expect(readFileSync(file, 'utf8')).toBe('the older one');
    finish();

    expect(await ended).toMatchObject({ exitCode: 0 });
    expect(sha(readFileSync(file))).toBe(sha(document));
    expect(files()).toEqual(['eob.pdf']);
  });

  it.for([
    ['0600', 0o600],
    ['0640', 0o640],
    ['0664', 0o664],
  ] as const)('may be read by whoever could read the older one (%s)', async ([, mode], test) => {
    const { env, file } = await documentService(test, (response) => response.end(pdf(1000)));
    writeFileSync(file, 'the older one');
    chmodSync(file, mode);
    await portico(test, `me documents get DOC-1 -o ${file}`, { env });

    expect(readFileSync(file)).toEqual(pdf(1000));
    expect(statSync(file).mode & 0o777).toBe(mode);
  });
});

describe.concurrent('a document that is written to a link', () => {
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

  it('fails when links lead in a circle', async (test) => {
    const { env, folder, file, files } = await documentService(test, (response) => response.end(pdf(1000)));
    symlinkSync(file, join(folder, 'other'));
    symlinkSync(join(folder, 'other'), file);

    expect(await portico(test, `me documents get DOC-1 -o ${file}`, { env })).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('cannot be written (ELOOP)'),
    });
    expect(files().toSorted()).toEqual(['eob.pdf', 'other']);
  });
});

it.concurrent('a document does not touch the temporary file of another process with the same id', async (test) => {
  const { env, file, folder, files, half, finish } = await inTwoHalves(test, pdf(200_000));
  const { child, ended } = startPortico(test, `me documents get DOC-1 -o ${file}`, { env });
  const other = `eob.pdf.${child.pid}.part`;
  writeFileSync(join(folder, other), 'of another container');
  await half();
  finish();

  expect(await ended).toMatchObject({ exitCode: 0 });
  expect(files().toSorted()).toEqual(['eob.pdf', other]);
  expect(readFileSync(join(folder, other), 'utf8')).toBe('of another container');
});

describe.concurrent('a document that does not come whole', () => {
  it.for([
    ['breaks off, its length known', { 'content-length': 200_000 }],
    ['breaks off, its length unknown', {}],
    ['stalls', {}],
  ] as const)('because it %s makes it 4, and nothing of it is left', async ([what, headers], test) => {
    const { env, file, files, half, breakOff } = await inTwoHalves(test, pdf(200_000), headers);
    writeFileSync(file, 'the older one');
    const { ended } = startPortico(test, `me documents get DOC-1 -o ${file} --json`, {
      env: { ...env, ...(what === 'stalls' && { DOWNSTREAM_TIMEOUT_MS: '2500' }) },
    });
    if (what !== 'stalls') await half().then(breakOff);
    const { exitCode, stdout, stderr } = await ended;

    expect([exitCode, documentIn({ stdout })]).toMatchObject([
      4,
      { ok: false, code: 'upstream-failure', service: 'documents' },
    ]);
    expect(stderr).toMatch(/^portico: The documents service .*\n.*broke off midway\. Nothing of it is left/);
    expect([files(), readFileSync(file, 'utf8')]).toEqual([['eob.pdf'], 'the older one']);
  });

  it.for([
    ['Ctrl-C', 'SIGINT', 130],
    ['SIGTERM', 'SIGTERM', 143],
    ['its terminal, which was closed,', 'SIGHUP', 129],
  ] as const)('because of %s ends, and nothing of it is left', async ([, signal, exitCode], test) => {
    const { env, file, files, half } = await inTwoHalves(test, pdf(200_000));
    const { interrupt } = startPortico(test, `me documents get DOC-1 -o ${file}`, { env });
    await half();
    const ended = await interrupt(signal);

    expect([ended.exitCode, ended.stdout, files()]).toEqual([exitCode, '', []]);
    expect(ended.stderr).toBe(`portico: Interrupted. Nothing of it is left in ${file}.\n`);
  });

  it.for([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)(
    'because of %s before its first byte exits with %i and reports no failure',
    async ([signal, code], test) => {
      const { env, file, files, service } = await documentService(test, () => {});
      const { interrupt } = startPortico(test, `me documents get DOC-1 -o ${file}`, { env });
      await service.asked;
      const { exitCode, stdout, stderr } = await interrupt(signal);

      expect([exitCode, stdout, stderr, files()]).toEqual([code, '', '', []]);
    },
  );

  it.skipIf(process.platform === 'win32')('because there is no room makes it 1, and nothing is left', async (test) => {
    const { env, file, files } = await documentService(test, (response) => response.end(pdf(2_000_000)));
    writeFileSync(file, 'the older one');
    // Of 1024 bytes each: as much as any one file may hold.
    const script = 'ulimit -f 100; portico me documents get DOC-1 -o "$FILE" --json';
    // A compile cache could not be written either.
    const { exitCode, stdout, stderr } = await inShell(test, script, { env: { ...env, FILE: file } }).ended;

    expect([exitCode, documentIn({ stdout })]).toMatchObject([1, { ok: false, code: 'internal' }]);
    expect(stderr).toMatch(/^portico: There is no room left for .*eob\.pdf \(EFBIG\)\.\n {2}Nothing of it is left/);
    expect(stderr).not.toMatch(/^\s+at /m);
    expect([files(), readFileSync(file, 'utf8')]).toEqual([['eob.pdf'], 'the older one']);
  });

  it.runIf(process.platform === 'linux')(
    'on a device that is full makes it 1, and the device stays one',
    async (test) => {
      const { env, folder, files } = await documentService(test, (response) => response.end(pdf(200_000)));
      // By way of a link: what would replace a device must not find the one of this machine.
      const device = join(folder, 'full');
      symlinkSync('/dev/full', device);
      const { exitCode, stdout, stderr } = await portico(test, `me documents get DOC-1 -o ${device}`, { env });

      expect([exitCode, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(/^portico: There is no room left for .*full \(ENOSPC\)\./);
      expect(statSync(device).isCharacterDevice()).toBe(true);
      expect(files()).toEqual(['full']);
    },
  );
});

describe.concurrent('a place that cannot be written to', () => {
  it('makes it 2, whether it is a directory or in one that is not there', async (test) => {
    const { env, folder, files } = await documentService(test, (response) => response.end(pdf(1000)));
    const missing = join(folder, 'nowhere', 'eob.pdf');
    const [aDirectory, inNone] = await Promise.all(
      [folder, missing].map((file) => portico(test, `me documents get DOC-1 -o ${file}`, { env })),
    );

    expect(aDirectory).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: `portico: ${folder} cannot be written (EISDIR).\n  Name another file with -o.\n`,
    });
    expect(inNone).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: `portico: ${missing} cannot be written (ENOENT).\n  Name another file with -o.\n`,
    });
    expect(files()).toEqual([]);
  });
});

describe.concurrent('a document for a pipe', () => {
  it('comes through byte for byte, and nothing else does', async (test) => {
    const document = pdf(5_000_000);
    const { env } = await documentService(test, (response) => response.end(document));
    const { exitCode, bytes, stderr } = await portico(test, 'me documents get DOC-1', { env });

    expect([exitCode, bytes.length, sha(bytes), stderr]).toEqual([0, document.length, sha(document), '']);
  });

  it('of which a reader wants only the beginning is no error', async (test) => {
    const { env } = await documentService(test, (response) => response.end(pdf(5_000_000)));
    const script = 'portico me documents get DOC-1 | head -c 8; echo "${PIPESTATUS[0]}"';

    expect(await inShell(test, script, { env }).ended).toMatchObject({ stdout: '%PDF-1.70\n', stderr: '' });
  });

  it('that breaks off makes it 4', async (test) => {
    const { env } = await documentService(test, (response) => {
      response.write(pdf(1000));
      setTimeout(() => response.destroy(), 10);
    });
    const { exitCode, stderr } = await portico(test, 'me documents get DOC-1 -o -', { env });

    expect(exitCode).toBe(4);
    expect(stderr).toMatch(/^portico: The documents service /);
    // What has been passed on cannot be taken back.
    expect(stderr).not.toContain('nothing of it is left');
  });

  it('with --json makes it 2, because a PDF is no JSON document, and none is asked for', async (test) => {
    const { env, service } = await documentService(test, (response) => response.end(pdf(1000)));
    const { exitCode, stdout, stderr } = await portico(test, 'me documents get DOC:1 --json', { env });

    expect([exitCode, documentIn({ stdout })]).toMatchObject([2, { ok: false, code: 'invalid-request' }]);
    expect(stderr).toBe('portico: A PDF is no JSON document.\n  Name a file: -o DOC-1.pdf\n');
    expect(service.heard).toEqual([]);
  });
});

describe.concurrent('what is no document', () => {
  it.for([
    ['not there', 3, 404, 'The documents service found nothing.'],
    ['no PDF', 4, 200, 'The documents service gave an answer that cannot be passed on.'],
  ] as const)('because it is %s makes it %i, and no file', async ([, exitCode, status, message], test) => {
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

it.concurrent('the documents are listed by what they are', async (test) => {
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
