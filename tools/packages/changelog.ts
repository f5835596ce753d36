/**
 * The changelogs that `changeset version` writes: without commit hashes, and without a line for each change of another
 * package, because all packages have one version.
 */
export default {
  getReleaseLine: ({ summary }: { readonly summary: string }): string =>
    `- ${summary
      .trim()
      .split('\n')
      .map((line, at) => (at === 0 || line === '' ? line : `  ${line}`))
      .join('\n')}`,
  getDependencyReleaseLine: (): string => '',
};
