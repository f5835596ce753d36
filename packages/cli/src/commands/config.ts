import { checkCollisions } from '@portico/core';
import { err, ok, type Result } from 'neverthrow';
import { z } from 'zod';
import { type CommandHandler, stringOption } from '../session/command.ts';
import { writeJson } from '../output/write-json.ts';
import { type CliError, fail, usageError } from '../output/cli-error.ts';
import { namesOf, type ServedServices, servicesIn } from '../settings/own-services.ts';
import { type Settings, settingsSchema } from '../settings/schema.ts';
import { enabledApis } from '../settings/configured-services.ts';
import { showSettings, withoutSecrets } from '../output/settings-view.ts';

/** Reports that the settings are valid and which APIs they enable. Settings that enable none are an error by default. */
export const check: CommandHandler = async (context) => {
  const { settings } = context.loaded;
  const found = await servicesOf(settings, stringOption(context, 'with'));
  if (found.isErr()) return fail(found.error, context);
  const services = found.value;
  const apis = enabledApis(settings, namesOf(services));
  if (apis.length === 0 && context.options['allowEmpty'] !== true) return fail(noApiEnabled, context);
  const summary = apis.length === 0 ? 'No API is enabled.' : `Enabled: ${apis.map(({ label }) => label).join(', ')}.`;
  const routes = apis.some(({ name }) => name === 'member portal') ? await memberRoutesOf(services) : [];
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
  if (json) writeJson(JSON.stringify(withoutSecrets(loaded.shown, loaded.secrets), undefined, 2));
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

/** The services that are served: those in the settings, and those that the module of `--with` binds. */
const servicesOf = async (settings: Settings, file: string | undefined): Promise<Result<ServedServices, CliError>> => {
  if (file === undefined) return ok(servicesIn(settings));
  const { extensionFailed, loadExtension } = await import('../serve/extension.ts');
  const { boundServices, composeInstance } = await import('../serve/compose.ts');
  const extension = await loadExtension(file);
  if (extension.isErr()) return err(extension.error);
  try {
    const container = await composeInstance(settings, undefined, extension.value);
    const services = boundServices(container);
    checkCollisions(services.own);
    return ok(services);
  } catch (error) {
    return err(extensionFailed(file, error));
  }
};

/** The member routes of these services. */
const memberRoutesOf = async ({ builtIn, own }: ServedServices): Promise<readonly string[]> => {
  const { servedMemberRoutes } = await import('@portico/adapters-koa');
  return servedMemberRoutes(builtIn, own).map(({ method, path }) => `${method} ${path}`);
};

/** The error of a command that needs an API to serve. */
export const noApiEnabled = usageError(
  'These settings enable no API.',
  'Give a settings file with --config or PORTICO_CONFIG. It needs identity and downstreams, or search.legs.',
);
