import { serviceNames } from '@portico/core';

/** What `portico init` needs to know. */
export interface Answers {
  readonly issuer: string;
  /** The base URL of each service. */
  readonly services: Readonly<Record<string, string>>;
  readonly port: number;
  readonly hasPages: boolean;
}

/** Names under `.example`, which exist nowhere (RFC 2606): `portico doctor` shows which of them are still to be set. */
export const exampleService = (name: string): string => `https://${name}.example`;

export const defaultAnswers: Answers = {
  issuer: 'https://identity.example/realms/members',
  services: Object.fromEntries(serviceNames.map((name) => [name, exampleService(name)])),
  port: 8080,
  hasPages: false,
};

/** The settings file for these answers. `schemaFile` is relative to it. */
export const startingSettings = ({ issuer, services, port, hasPages }: Answers, schemaFile: string): object => ({
  $schema: `./${schemaFile}`,
  listen: { port },
  identity: { issuer, audience: ['portico'] },
  downstreams: Object.fromEntries(Object.entries(services).map(([name, url]) => [name, { url }])),
  ...(hasPages && { pages: { directory: 'pages', clientId: 'portico-web' } }),
});
