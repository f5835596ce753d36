import { expect, it } from 'vitest';
import { repositoryOf } from './repository.ts';

it.each([
  ['owner/name', 'https://github.com/owner/name/edit/main/docs/a.md'],
  ['github:owner/name', 'https://github.com/owner/name/edit/main/docs/a.md'],
  ['gitlab:owner/name', 'https://gitlab.com/owner/name/-/edit/main/docs/a.md'],
  ['git@github.com:owner/name.git', 'https://github.com/owner/name/edit/main/docs/a.md'],
  ['https://git.example.com/owner/name', 'https://git.example.com/owner/name/edit/main/docs/a.md'],
  [{ url: 'git+https://github.com/owner/name.git' }, 'https://github.com/owner/name/edit/main/docs/a.md'],
  [{ url: 'git+ssh://git@github.com/owner/name.git' }, 'https://github.com/owner/name/edit/main/docs/a.md'],
])('the field repository %j leads to the page that edits a file', (field, edit) => {
  expect(repositoryOf(field)?.editUrl('docs/a.md')).toBe(edit);
});

it.each([undefined, 'file:///srv/portico', 'javascript:alert(1)'])('a site has no edit links with %j', (field) => {
  expect(repositoryOf(field)).toBeUndefined();
});
