import { expect, it } from 'vitest';
import { iconOf } from './document-icon.ts';

it('a document of a type that is not known has the icon of documents', () => {
  expect(['id-card', 'constructor', undefined].map(iconOf)).toEqual(['card', 'documents', 'documents']);
});
