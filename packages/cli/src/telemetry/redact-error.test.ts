import { expect, it } from 'vitest';
import { redactError } from './redact-error.ts';

it('redactError keeps the name and the stack of an error, and no line of its message', () => {
  const error = new TypeError('bad value\n    at SSN 123-45-6789\n    at /members/PTY-1:1:2');
  const { name, at } = redactError(error);

  expect([name, at?.length]).toEqual(['TypeError', error.stack!.split('\n').length - 3]);
  expect(JSON.stringify(at)).toContain('redact-error.test.ts');
  expect(JSON.stringify(at)).not.toMatch(/SSN|PTY-1/);
});
