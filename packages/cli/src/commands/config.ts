import { z } from 'zod';
import type { CommandHandler } from '../program/command.ts';
import { writeJson } from '../output/write-json.ts';
import { type CliError, fail, usageError } from '../output/cli-error.ts';
import { type Settings, settingsSchema } from '../settings/schema.ts';
import { configuredServices, enabledApis, showSettings, withoutSecrets } from '../settings/show.ts';

/** Reports that the settings are valid and which APIs they enable. Settings that enable none are an error by default. */
export const check: CommandHandler = async (context) => {
  const { settings } = context.loaded;
  const problem = noApiEnabled(settings);
  if (problem && context.options['allowEmpty'] !== true) return fail(problem, context);
  const apis = enabledApis(settings);
  const summary = apis.length === 0 ? 'No API is enabled.' : `Enabled: ${apis.map(({ label }) => label).join(', ')}.`;
  const routes = await memberRoutesOf(settings);
  const document = { ok: true, serves: apis.map(({ name }) => name), routes };
  process.stdout.write(
    context.json
      ? `${JSON.stringify(document)}\n`
      : `Configuration is valid. ${summary}\n${routes.map((route) => `  ${route}\n`).join('')}`,
  );
  return 0;
};

/** Prints the effective settings, with secrets hidden. */
export const print: CommandHandler = async ({ loaded, json }) => {
  if (json) writeJson(JSON.stringify(withoutSecrets(loaded.settings, loaded.secrets), undefined, 2));
  else process.stdout.write(showSettings(loaded));
  return 0;
};

/** Prints the JSON Schema of the settings file (draft 2020-12). */
export const schema = async (): Promise<number> => {
  process.stdout.write(schemaText());
  return 0;
};

export const schemaText = (): string =>
  `${JSON.stringify(z.toJSONSchema(settingsSchema, { io: 'input' }), undefined, 2)}\n`;

/** The member routes that are served: those of the configured services. */
const memberRoutesOf = async (settings: Settings): Promise<readonly string[]> => {
  if (!enabledApis(settings).some(({ name }) => name === 'member portal')) return [];
  const { groupsOf, routesOf, routeTable } = await import('@portico/adapters-koa');
  const services = configuredServices(settings).map(([name]) => name);
  return routesOf(groupsOf(routeTable.member, services)).map(({ method, path }) => `${method} ${path}`);
};

/** The error of a command that needs an API to serve. */
export const noApiEnabled = (settings: Settings): CliError | undefined =>
  enabledApis(settings).length > 0
    ? undefined
    : usageError('These settings enable no API.', 'Set identity and downstreams, or search.legs.');
