import fs, { copyFileSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { fakeClock } from '@portico/core/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { directory } from '../program/outside-world.test.support.ts';
import { problemsOf, settingsFile, settingsOf } from './settings-file.test.support.ts';
import { readTls, tlsFiles } from './tls-files.ts';

const certificates = new URL('../../../adapters-http/src/connection/', import.meta.url);
const pathOf = (name: string): string => new URL(`${name}.test.pem`, certificates).pathname;
const pem = (name: string): string => readFileSync(pathOf(name), 'utf8');

/** A directory with the certificate of client-1 and its key. */
const clientDirectory = () => {
  const folder = directory({ onTestFinished });
  const [certFile, keyFile] = [join(folder, 'tls.crt'), join(folder, 'tls.key')];
  copyFileSync(pathOf('client-1'), certFile);
  copyFileSync(pathOf('client-1'), keyFile);
  return { directory: folder, certFile, keyFile };
};

/** Makes every read of a file fail, as when the process has no file descriptor left. Returns how to end that. */
const withoutFileDescriptors = () => {
  const { readFileSync: original } = fs;
  fs.readFileSync = () => {
    throw Object.assign(new Error('too many open files'), { code: 'EMFILE' });
  };
  syncBuiltinESMExports();
  const restore = () => {
    fs.readFileSync = original;
    syncBuiltinESMExports();
  };
  onTestFinished(restore);
  return restore;
};

/** Reads the files with a fake clock. `later` reads them again after the next check for changes. */
const watched = (files: Parameters<typeof tlsFiles>[1]) => {
  const clock = fakeClock();
  const reloads: (readonly [string, string | undefined])[] = [];
  const read = tlsFiles('downstreams.claims.tls', files, {
    clock,
    onReload: (setting, problem) => reloads.push([setting, problem]),
  });
  const later = () => {
    clock.advance(5000);
    return read();
  };
  return { read, later, reloads };
};

describe('tlsFiles', () => {
  it('returns the same object as long as the files do not change', () => {
    const { read, later, reloads } = watched(clientDirectory());
    const first = read();
    expect(first).toEqual({ cert: pem('client-1'), key: pem('client-1') });
    expect(later()).toBe(first);
    expect(reloads).toEqual([]);
  });

  it('reads files that were replaced, once their time to be checked has come', () => {
    const files = clientDirectory();
    const { read, later, reloads } = watched({ ...files, serverName: 'claims.internal' });
    read();
    for (const path of [files.certFile, files.keyFile]) {
      copyFileSync(pathOf('client-2'), `${path}.new`);
      renameSync(`${path}.new`, path);
    }
    expect(read()).toMatchObject({ cert: pem('client-1') });
    expect(later()).toEqual({ cert: pem('client-2'), key: pem('client-2'), serverName: 'claims.internal' });
    expect(reloads).toEqual([['downstreams.claims.tls', undefined]]);
  });

  it('notices a replaced link, as of a Kubernetes secret', () => {
    const { directory } = clientDirectory();
    const link = join(directory, 'ca.crt');
    symlinkSync(pathOf('ca'), link);
    const { later } = watched({ caFile: link });
    symlinkSync(pathOf('server'), `${link}.new`);
    renameSync(`${link}.new`, link);
    expect(later()).toEqual({ ca: pem('server') });
  });

  it('keeps the previous content when a file is broken, and reports it once, without content', () => {
    const files = clientDirectory();
    const { read, later, reloads } = watched(files);
    const first = read();
    writeFileSync(files.keyFile, 'hunter2');
    expect([later(), later()]).toEqual([first, first]);
    rmSync(files.certFile);
    expect(later()).toBe(first);
    expect(reloads).toEqual([
      ['downstreams.claims.tls', 'keyFile must be the key of the certificate, in PEM and not encrypted'],
      ['downstreams.claims.tls', 'certFile cannot be read (ENOENT)'],
    ]);
  });

  it('reads changed files again when they could not be read before', () => {
    const files = clientDirectory();
    const { later, reloads } = watched(files);
    for (const path of [files.certFile, files.keyFile]) copyFileSync(pathOf('client-2'), path);
    const restore = withoutFileDescriptors();
    const cert = [later().cert, later().cert];
    restore();
    expect(cert).toEqual([pem('client-1'), pem('client-1')]);
    expect(later()).toEqual({ cert: pem('client-2'), key: pem('client-2') });
    expect(reloads).toEqual([
      ['downstreams.claims.tls', 'certFile cannot be read (EMFILE)'],
      ['downstreams.claims.tls', undefined],
    ]);
  });

  it('does not start without a file, because other authorities would be trusted', () => {
    expect(() => tlsFiles('downstreams.claims.tls', { caFile: '/nowhere/ca.pem' })).toThrow(
      'downstreams.claims.tls: caFile cannot be read (ENOENT)',
    );
  });

  it('waits for the key when the certificate was replaced first', () => {
    const files = clientDirectory();
    const { later } = watched(files);
    copyFileSync(pathOf('client-2'), files.certFile);
    expect(later()).toMatchObject({ cert: pem('client-1') });
    copyFileSync(pathOf('client-2'), files.keyFile);
    expect(later()).toMatchObject({ cert: pem('client-2'), key: pem('client-2') });
  });
});

describe('readTls', () => {
  it('names a file that cannot be used', () => {
    const { directory, certFile } = clientDirectory();
    const empty = join(directory, 'empty.pem');
    writeFileSync(empty, '');
    expect(readTls({ caFile: directory })).toMatchObject({ error: { message: 'cannot be read (EISDIR)' } });
    expect(readTls({ caFile: empty })).toMatchObject({ error: { file: 'caFile' } });
    expect(readTls({ certFile, keyFile: empty })).toMatchObject({ error: { file: 'keyFile' } });
    expect(readTls({ certFile, keyFile: pathOf('client-2') })).toMatchObject({ error: { file: 'keyFile' } });
  });

  it.each([
    ['is empty', () => ''],
    ['is not PEM', () => 'canary'],
    ['is only a key', (whole: string) => whole.slice(whole.indexOf('-----BEGIN PRIVATE KEY-----'))],
    ['is cut', (whole: string) => whole.slice(0, 200)],
    [
      'has a broken intermediate',
      (whole: string) => `${whole}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`,
    ],
  ])('names the certificate, not its key, when it %s', (_, change) => {
    const { certFile, keyFile } = clientDirectory();
    writeFileSync(certFile, change(pem('client-1')));
    expect(readTls({ certFile, keyFile })).toMatchObject({
      error: { file: 'certFile', message: 'must have certificates in PEM' },
    });
  });
});

const claims = (tls: object) => ({
  '--config': settingsFile({
    identity: { issuer: 'https://identity.example' },
    downstreams: { claims: { url: 'https://claims.example', tls } },
  }),
});

describe('the TLS settings of a service', () => {
  it('are the paths of files that can be used', () => {
    const { certFile, keyFile } = clientDirectory();
    const tls = { caFile: pathOf('ca'), certFile, keyFile, serverName: 'claims.internal' };
    expect(settingsOf({ flags: claims(tls) }).settings.downstreams?.claims?.tls).toEqual(tls);
  });

  it('need a certificate and its key together', () => {
    const { certFile, keyFile } = clientDirectory();
    expect(problemsOf({ flags: claims({ certFile }) })).toMatchObject([
      { setting: 'downstreams.claims.tls.keyFile', message: 'required with certFile' },
    ]);
    expect(problemsOf({ flags: claims({ keyFile }) })).toMatchObject([
      { setting: 'downstreams.claims.tls.certFile', message: 'required with keyFile' },
    ]);
  });

  it('name a file that cannot be read', () => {
    expect(problemsOf({ flags: claims({ caFile: '/nowhere/ca.pem' }) })).toMatchObject([
      { setting: 'downstreams.claims.tls.caFile', message: 'cannot be read (ENOENT)' },
    ]);
  });
});
