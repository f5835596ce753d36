import { z } from 'zod';
import type { LoadedSettings } from '../settings/load.ts';
import { settingsSchema } from '../settings/schema.ts';
import { halvesOf, showSettings, withoutSecrets } from '../settings/show.ts';

/** Says that the settings are right and what would be served with them. */
export const checkConfig = ({ settings }: LoadedSettings, json: boolean): string => {
  const serves = halvesOf(settings);
  if (json) return `${JSON.stringify({ ok: true, serves })}\n`;
  const what = serves.join(' and ') || 'nothing: set identity and downstreams, or search.legs';
  return `The settings are right; portico serve would serve ${what}.\n`;
};

/** The settings in force, without secrets. */
export const printConfig = (loaded: LoadedSettings, json: boolean): string =>
  json ? `${JSON.stringify(withoutSecrets(loaded.settings), undefined, 2)}\n` : showSettings(loaded);

/** The settings file as a JSON Schema (draft 2020-12). */
export const configSchema = (): string =>
  `${JSON.stringify(z.toJSONSchema(settingsSchema, { io: 'input' }), undefined, 2)}\n`;
