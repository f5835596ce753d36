import { preferenceNames, type Preferences } from '@portico/core';
import { err, ok, type Result } from 'neverthrow';
import { usageError, type CliError } from '../output/cli-error.ts';

const words: Readonly<Record<string, boolean>> = {
  on: true,
  off: false,
  true: true,
  false: false,
  yes: true,
  no: false,
};

/** `email=on sms=off` as a change of preferences. All that is wrong is said at once. */
export const parsePreferenceChange = (assignments: readonly string[]): Result<Partial<Preferences>, CliError> => {
  const change = new Map<string, boolean>();
  const errors: { path: string; message: string }[] = [];
  for (const assignment of assignments) {
    const [, name = assignment, word = ''] = /^([^=]*)=(.*)$/s.exec(assignment) ?? [];
    const value = Object.hasOwn(words, word.toLowerCase()) ? words[word.toLowerCase()] : undefined;
    if (!(preferenceNames as readonly string[]).includes(name))
      errors.push({ path: name, message: `is not one of ${preferenceNames.join(', ')}` });
    else if (value === undefined) errors.push({ path: name, message: `say ${name}=on or ${name}=off` });
    else if (change.has(name) && change.get(name) !== value) errors.push({ path: name, message: 'is both on and off' });
    else change.set(name, value);
  }
  if (errors.length === 0) return ok(Object.fromEntries(change));
  const refusal = usageError('These are not preferences that can be set.');
  return err({ ...refusal, document: { ...refusal.document, errors } as CliError['document'] });
};

export const onOff = (value: boolean | undefined): string => (value === undefined ? '-' : value ? 'on' : 'off');
