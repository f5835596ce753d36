import { z } from 'zod';
import type { LoadedSettings } from '../settings/load.ts';
import { settingsSchema } from '../settings/schema.ts';
import { showSettings, withoutSecrets } from '../settings/show.ts';

/** Says that the settings are right and what would be served with them. */
export const checkConfig = ({ settings }: LoadedSettings, json: boolean): string => {
  const serves = settings.identity ? ['member portal'] : [];
  if (json) return `${JSON.stringify({ ok: true, serves })}\n`;
  return `The settings are right; portico serve would serve ${serves[0] ?? 'nothing: set identity and downstreams'}.\n`;
};

/** The settings in force, without secrets. */
export const printConfig = (loaded: LoadedSettings, json: boolean): string =>
  json ? `${JSON.stringify(withoutSecrets(loaded.settings), undefined, 2)}\n` : showSettings(loaded);

/** The settings file as a JSON Schema (draft 2020-12). */
export const configSchema = (): string =>
  `${JSON.stringify(z.toJSONSchema(settingsSchema, { io: 'input' }), undefined, 2)}\n`;
