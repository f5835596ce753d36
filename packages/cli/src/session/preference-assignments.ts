import { preferenceNames, type Preferences } from '@portico/core';
import { err, ok, type Result } from 'neverthrow';
import { usageError, type CliError } from '../output/cli-error.ts';

const values: Readonly<Record<string, boolean>> = {
  on: true,
  off: false,
  true: true,
  false: false,
  yes: true,
  no: false,
};

/** Parses assignments such as `email=on sms=off`. Reports all problems at once. */
export const parsePreferenceChange = (assignments: readonly string[]): Result<Partial<Preferences>, CliError> => {
  const change = new Map<string, boolean>();
  const errors: { path: string; message: string }[] = [];
  for (const assignment of assignments) {
    const [, name = assignment, word = ''] = /^([^=]*)=(.*)$/s.exec(assignment) ?? [];
    const value = Object.hasOwn(values, word.toLowerCase()) ? values[word.toLowerCase()] : undefined;
    if (!(preferenceNames as readonly string[]).includes(name))
      errors.push({ path: name, message: `unknown preference; must be one of ${preferenceNames.join(', ')}` });
    else if (value === undefined) errors.push({ path: name, message: `must be ${name}=on or ${name}=off` });
    else if (change.has(name) && change.get(name) !== value)
      errors.push({ path: name, message: 'is set to both on and off' });
    else change.set(name, value);
  }
  if (errors.length === 0) return ok(Object.fromEntries(change));
  const error = usageError('Invalid preferences.');
  return err({ ...error, document: { ...error.document, errors } });
};

export const onOff = (value: boolean | undefined): string => (value === undefined ? '-' : value ? 'on' : 'off');
