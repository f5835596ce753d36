import { z } from 'zod';
import type { CommandHandler } from '../program/command.ts';
import { settingsSchema } from '../settings/schema.ts';
import { enabledApis, showSettings, withoutSecrets } from '../settings/show.ts';

/** Reports that the settings are valid and which APIs they enable. */
export const check: CommandHandler = async ({ loaded: { settings }, json }) => {
  const apis = enabledApis(settings);
  const summary =
    apis.length === 0
      ? 'No API is enabled: set identity and downstreams, or search.legs.'
      : `Enabled: ${apis.map(({ label }) => label).join(', ')}.`;
  const document = { ok: true, serves: apis.map(({ name }) => name) };
  process.stdout.write(json ? `${JSON.stringify(document)}\n` : `Configuration is valid. ${summary}\n`);
  return 0;
};

/** Prints the effective settings, with secrets hidden. */
export const print: CommandHandler = async ({ loaded, json }) => {
  process.stdout.write(
    json ? `${JSON.stringify(withoutSecrets(loaded.settings), undefined, 2)}\n` : showSettings(loaded),
  );
  return 0;
};

/** Prints the JSON Schema of the settings file (draft 2020-12). */
export const schema = async (): Promise<number> => {
  process.stdout.write(`${JSON.stringify(z.toJSONSchema(settingsSchema, { io: 'input' }), undefined, 2)}\n`);
  return 0;
};
