import { serviceNames } from '@portico/core';

/** What `portico init` needs to know. */
export interface Answers {
  readonly issuer: string;
  /** The base URL of each service. */
  readonly services: Readonly<Record<string, string>>;
  readonly port: number;
  readonly hasPages: boolean;
  /** Whether the pages sign members in with browser sessions. */
  readonly hasSessions: boolean;
}

/** Names under `.example`, which exist nowhere (RFC 2606): `portico doctor` shows which of them are still to be set. */
export const exampleService = (name: string): string => `https://${name}.example`;

export const defaultAnswers: Answers = {
  issuer: 'https://identity.example/realms/members',
  services: Object.fromEntries(serviceNames.map((name) => [name, exampleService(name)])),
  port: 8080,
  hasPages: false,
  hasSessions: false,
};

/** The variables that the settings file names for sessions. `PORTICO_CLIENT_SECRET` is for the client of the commands. */
export const sessionVariables = { clientSecret: 'CLIENT_SECRET', key: 'SESSION_KEY' } as const;

/** The settings file for these answers. `schemaFile` is relative to it. */
export const startingSettings = (
  { issuer, services, port, hasPages, hasSessions }: Answers,
  schemaFile: string,
): object => ({
  $schema: `./${schemaFile}`,
  listen: { port, ...(hasSessions && { publicUrl: `http://localhost:${port}` }) },
  identity: {
    issuer,
    audience: ['portico'],
    ...(hasSessions && { client: { id: 'portico-portal', secret: { env: sessionVariables.clientSecret } } }),
  },
  downstreams: Object.fromEntries(Object.entries(services).map(([name, url]) => [name, { url }])),
  ...(hasSessions && { session: { keys: [{ env: sessionVariables.key }] } }),
  ...(hasPages && { pages: { directory: 'pages', ...(!hasSessions && { clientId: 'portico-web' }) } }),
});
