import { X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { checkTls, type TlsSettings } from '@portico/adapters-http';
import type { ServerTls } from '@portico/adapters-koa';
import type { Clock } from '@portico/core';
import { systemClock } from '@portico/core/system';
import { err, fromThrowable, ok, type Result } from 'neverthrow';
import { codeOf } from './file-problems.ts';

/** The files of a CA and of a certificate with its key, as in the settings. */
export interface TlsFiles {
  readonly caFile?: string | undefined;
  readonly certFile?: string | undefined;
  readonly keyFile?: string | undefined;
  readonly serverName?: string | undefined;
}

/** The setting of a file, and what it contains. */
const pemNames = { caFile: 'ca', certFile: 'cert', keyFile: 'key' } as const;

type FileName = keyof typeof pemNames;

/** Called when files have changed. `problem`: why they cannot be used; the previous ones stay in use. */
export type OnTlsReload = (setting: string, problem: string | undefined) => void;

/** A file that cannot be used. The message contains nothing of the file. */
interface FileProblem {
  readonly file: FileName;
  readonly message: string;
}

/** How often changed files are looked for, at most. */
const checkIntervalMs = 5000;

/**
 * Returns a function with the current content of the files. It looks for changes when it is called, at most every 5
 * seconds: an adapter calls it for each request, a server for each connection. Nothing has to be closed, and a mounted
 * Kubernetes secret, which is replaced by a link, is noticed. Files that cannot be used leave the previous ones in use.
 */
export const tlsFiles = (
  setting: string,
  files: TlsFiles,
  { clock = systemClock, onReload = () => {} }: { readonly clock?: Clock; readonly onReload?: OnTlsReload } = {},
): (() => TlsSettings) => {
  let version = versionOf(files);
  const first = readTls(files);
  // Without their content, other authorities would be trusted. The settings were checked a moment ago.
  if (first.isErr()) throw new Error(`${setting}: ${messageOf(first.error)}`);
  let current = first.value;
  let nextCheckAt = clock.monotonic() + checkIntervalMs;
  let reported: string | undefined;
  return () => {
    if (clock.monotonic() < nextCheckAt) return current;
    nextCheckAt = clock.monotonic() + checkIntervalMs;
    // Before the files are read: a change while they are read is noticed at the next check.
    const next = versionOf(files);
    const isChanged = next !== version;
    // Files with a problem are read again even if they do not change: perhaps only the read failed (EMFILE).
    if (!isChanged && reported === undefined) return current;
    version = next;
    const reading = readTls(files);
    if (reading.isOk()) current = reading.value;
    const found = reading.isErr() ? messageOf(reading.error) : undefined;
    if (isChanged || found !== reported) onReload(setting, found);
    reported = found;
    return current;
  };
};

/** The certificate of a server with these settings of `listen`; none without `tls`. Both files are required settings. */
export const serverTls = (
  { tls }: { readonly tls?: TlsFiles },
  onReload?: OnTlsReload,
): { readonly tls?: () => ServerTls } =>
  tls ? { tls: tlsFiles('listen.tls', tls, { ...(onReload && { onReload }) }) as () => ServerTls } : {};

const messageOf = ({ file, message }: FileProblem): string => `${file} ${message}`;

/** Reads the files and checks that they can be used. */
export const readTls = (files: TlsFiles): Result<TlsSettings, FileProblem> => {
  const pem: { [Name in (typeof pemNames)[FileName]]?: string } = {};
  for (const { name, path } of pathsOf(files))
    try {
      pem[pemNames[name]] = readFileSync(path, 'utf8');
    } catch (error) {
      return err({ file: name, message: `cannot be read (${codeOf(error)})` });
    }
  const { ca, cert, key } = pem;
  const problem =
    problemOf('caFile', 'must have certificates in PEM', () => ca !== undefined && checkTls({ ca })) ??
    problemOf('certFile', 'must have certificates in PEM', () => cert !== undefined && checkCertificates(cert)) ??
    problemOf(
      'keyFile',
      'must be the key of the certificate, in PEM and not encrypted',
      () => cert !== undefined && key !== undefined && checkTls({ cert, key }),
    );
  const { serverName } = files;
  return problem ? err(problem) : ok({ ...pem, ...(serverName !== undefined && { serverName }) });
};

/** Checks also those after the first. Node itself ignores an empty file. */
const checkCertificates = (cert: string): void => {
  void new X509Certificate(cert);
  createSecureContext({ cert });
};

const problemOf = (file: FileName, message: string, check: () => unknown): FileProblem | undefined =>
  fromThrowable(check)().isOk() ? undefined : { file, message };

const pathsOf = (files: TlsFiles): readonly { readonly name: FileName; readonly path: string }[] =>
  (Object.keys(pemNames) as FileName[]).flatMap((name) => {
    const path = files[name];
    return path === undefined ? [] : [{ name, path }];
  });

/** The change time also differs when a file was replaced by one of the same size and date. */
const versionOf = (files: TlsFiles): string =>
  pathsOf(files)
    .map(({ path }) => {
      try {
        const { dev, ino, size, ctimeNs } = statSync(path, { bigint: true });
        return `${dev}:${ino}:${size}:${ctimeNs}`;
      } catch (error) {
        return codeOf(error);
      }
    })
    .join();
