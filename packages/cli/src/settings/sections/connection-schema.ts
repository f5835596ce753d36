import { environmentProxy, fixedProxy } from '@portico/adapters-http';
import { isObject } from '@portico/core';
import { fromThrowable } from 'neverthrow';
import { z } from 'zod';
import { fieldsOf, nonEmptyString, type Problem, problemIf, section } from '../setting-types.ts';
import { loadedVariables } from '../secrets.ts';
import { readTls, type TlsFiles } from '../tls-files.ts';

const path = nonEmptyString('must be a path');
const relative = 'relative to the working directory';

/** Reports the files that cannot be used, and a certificate without its key. */
const checkFiles = (files: TlsFiles, context: z.core.$RefinementCtx<TlsFiles>): void => {
  const [one, other] = files.keyFile === undefined ? ['certFile', 'keyFile'] : ['keyFile', 'certFile'];
  if ((files.certFile === undefined) !== (files.keyFile === undefined))
    return context.addIssue({ code: 'custom', message: `required with ${one}`, path: [other] });
  const reading = readTls(files);
  if (reading.isErr()) context.addIssue({ code: 'custom', message: reading.error.message, path: [reading.error.file] });
};

/** `downstreams.<name>.tls` (contract, section 9). */
export const tls = section({
  caFile: path
    .optional()
    .describe(`PEM file of the only certificate authorities to trust, ${relative}; default: those of Node`),
  certFile: path.optional().describe(`PEM file of the client certificate, ${relative}`),
  keyFile: path.optional().describe(`PEM file of the key of certFile, not encrypted, ${relative}`),
  serverName: nonEmptyString('must be a host name')
    .optional()
    .describe("Name in the certificate of the service; default: the host of the service's URL"),
})
  .superRefine((files, context) => checkFiles(files, context))
  .optional()
  .describe('Certificate authority and client certificate for this service. The files are read again when they change');

/** `listen.tls`. */
export const listenTls = section({
  certFile: path.describe(`PEM file of the certificate and its intermediates, ${relative}`),
  keyFile: path.describe(`PEM file of the key of certFile, not encrypted, ${relative}`),
})
  .superRefine((files, context) => checkFiles(files, context))
  .nullable()
  .default(null)
  .describe('Serves HTTPS instead of HTTP. The files are read again when they change; null: HTTP');

/** Problems of services whose `tls` would have no effect. */
export const tlsProblems = (downstreams: unknown): readonly Problem[] =>
  Object.entries(fieldsOf(downstreams)).flatMap(([service, settings]) => {
    const { url, tls } = fieldsOf(settings);
    const isPlain = typeof url === 'string' && URL.parse(url)?.protocol === 'http:';
    return problemIf(isPlain && isObject(tls), 'requires an https url', 'downstreams', service, 'tls');
  });

/** Throws a TypeError, without the URL, when the proxy cannot be used. */
export const proxySelector = (setting: string | undefined, variables: Readonly<Record<string, string | undefined>>) => {
  if (setting === undefined) return undefined;
  return setting === 'environment' ? environmentProxy(variables) : fixedProxy(setting);
};

const canBeProxy = (setting: string): boolean => setting === 'environment' || fromThrowable(fixedProxy)(setting).isOk();

const proxyMessage = 'must be environment, an http or https URL, or null';

/** `proxy` (contract, section 9). */
export const proxy = z
  .string(proxyMessage)
  .refine(canBeProxy, proxyMessage)
  .nullable()
  .default('environment')
  .describe(
    'Proxy for every outgoing request except to Redis. environment: HTTPS_PROXY, HTTP_PROXY and NO_PROXY; a URL, which may contain user and password; null: none',
  );

/** Why the variables of `"environment"` cannot be used. */
export const proxyVariableProblem = (setting: string | null | undefined): string | undefined => {
  try {
    if (setting === 'environment') environmentProxy(loadedVariables());
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : proxyMessage;
  }
};
