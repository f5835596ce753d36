/** What a new project is for, as a choice in the first question. */
export const kinds = {
  serve: 'the member API from a settings file, without code',
  embed: 'the member API in a program of your own',
  network: 'searches on Beckn networks',
  pages: 'pages with sign-in, and the member API behind them',
} as const;

export type Kind = keyof typeof kinds;

export const isKind = (value: string): value is Kind => Object.hasOwn(kinds, value);

/** What a new project consists of. */
export interface Project {
  readonly folder: string;
  readonly kind: Kind;
  readonly issuer: string;
}

export const defaults = { folder: 'portal', kind: 'serve', issuer: 'https://identity.example/realms/members' } as const;

/**
 * Returns why this cannot be the issuer of access tokens (OpenID Connect Discovery 1.0, section 3). It is written into JSON
 * and into programs, so it has no characters that end a string.
 */
export const issuerProblem = (issuer: string): string | undefined =>
  /^https?:\/\/[\w.~:[\]-]+(?:\/[\w.~:%/-]*)?$/.test(issuer) && URL.canParse(issuer)
    ? undefined
    : 'must be an http or https URL without query';
