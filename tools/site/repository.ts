/** Where the project is hosted, for links of the site. */
export interface Repository {
  readonly url: string;
  /** The page that edits this file of the project. */
  editUrl(path: string): string;
}

/** The field `repository` of a package.json (npm documentation, package.json). */
export type RepositoryField = string | { readonly url: string } | undefined;

const shorthands: Readonly<Record<string, string>> = {
  'github:': 'https://github.com/',
  'gitlab:': 'https://gitlab.com/',
  'bitbucket:': 'https://bitbucket.org/',
};

/** Reads the field. Undefined if it is absent, or names nothing that a browser can open. */
export const repositoryOf = (field: RepositoryField): Repository | undefined => {
  const text = typeof field === 'string' ? field : field?.url;
  if (text === undefined) return undefined;
  const short = /^(github:|gitlab:|bitbucket:)?([\w.-]+\/[\w.-]+)$/.exec(text);
  const full = short
    ? `${shorthands[short[1] ?? 'github:']}${short[2]}`
    : text.replace(/^git\+/, '').replace(/^(?:ssh:\/\/)?git@([\w.-]+)[:/]/, 'https://$1/');
  const url = full.replace(/\.git$/, '');
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) return undefined;
  const edit = new URL(url).hostname.startsWith('gitlab.') ? '-/edit' : 'edit';
  return { url, editUrl: (path) => `${url}/${edit}/main/${path}` };
};
