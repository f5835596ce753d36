import { z } from 'zod';
import type { CommandHandler } from '../program/call.ts';
import { settingsSchema } from '../settings/schema.ts';
import { enabledApis, showSettings, withoutSecrets } from '../settings/show.ts';

/** Says that the settings are right and what would be served with them. */
export const check: CommandHandler = async ({ loaded: { settings }, json }) => {
  const serves = enabledApis(settings);
  const what = serves.join(' and ') || 'nothing: set identity and downstreams, or search.legs';
  process.stdout.write(
    json ? `${JSON.stringify({ ok: true, serves })}\n` : `The settings are right; portico serve would serve ${what}.\n`,
  );
  return 0;
};

/** The settings in force, without secrets. */
export const print: CommandHandler = async ({ loaded, json }) => {
  process.stdout.write(
    json ? `${JSON.stringify(withoutSecrets(loaded.settings), undefined, 2)}\n` : showSettings(loaded),
  );
  return 0;
};

/** The settings file as a JSON Schema (draft 2020-12). */
export const schema = async (): Promise<number> => {
  process.stdout.write(`${JSON.stringify(z.toJSONSchema(settingsSchema, { io: 'input' }), undefined, 2)}\n`);
  return 0;
};
