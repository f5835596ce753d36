import { settingsSchema, variables } from '@portico/cli/internals';
import { code, generated, table } from './tables.ts';

/** The parts of the JSON Schema (`portico config schema`) that this page uses. */
interface Schema {
  readonly title?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly required?: readonly string[];
}

/** Returns the page of all settings: path, type, default, environment variable and description. */
export const settingsPage = (): string => {
  const { properties = {} } = settingsSchema.toJSONSchema({ io: 'input' }) as Schema;
  return generated(
    'Settings',
    [
      'This page lists every setting. Precedence: flag, environment variable, settings file (`--config` or `PORTICO_CONFIG`,',
      'JSON), default. The flag is the variable in lower case with hyphens: `LOG_LEVEL` is `--log-level`. A setting without a',
      'variable can only be set in the file. All problems, including unknown settings, are reported together at start, and',
      'the process exits with 2. The [glossary](../glossary.md) explains words such as leg and locator.',
    ].join('\n'),
    [
      '`portico config check` reports problems, `portico config print` shows the effective settings and their sources, and',
      '`portico config schema` prints the JSON Schema of the file. `required` means: required if that section is used.',
    ].join('\n'),
    ...Object.entries(properties).flatMap(([name, schema]) => section(name, schema)),
    '## Secrets',
    secretsIntroduction,
  );
};

const secretsIntroduction = [
  'The value of a secret is written in one of three ways. It is read once, at start:',
  '',
  '```text',
  '{ "env": "SIGNING_KEY" }',
  '{ "file": "/run/secrets/signing-key" }',
  '"the secret itself"',
  '```',
  '',
  'A path is relative to the working directory. A newline at the end of the file is not part of the secret. A missing or empty',
  'variable or file is a problem with the setting, and the process exits with 2. `portico config print`, logs, metrics and error',
  'messages never show a secret; of `redis.url` and `proxy` they show the host, without user and password.',
].join('\n');

const section = (name: string, schema: Schema): readonly string[] => {
  const rows = name === 'downstreams' ? serviceRows(schema) : rowsOf(schema, [name]);
  return [
    `## \`${name}\``,
    ...(schema.description !== undefined && schema.properties ? [`${schema.description}.`] : []),
    table(['Setting', 'Type', 'Default', 'Variable', 'Description'], rows),
    ...(name === 'downstreams'
      ? [
          '### `downstreams.<service>.paths`',
          pathsIntroduction,
          pathTable(schema),
          '### Services of your own',
          ownServicesIntroduction,
          table(['Setting', 'Type', 'Default', 'Variable', 'Description'], ownServiceRows(schema)),
        ]
      : []),
  ];
};

/** Returns a row for each value, including values in objects; objects keyed by an id are listed under `<id>`. */
const rowsOf = (schema: Schema, path: readonly string[], isRequired = false): readonly (readonly string[])[] => {
  const object = objectIn(schema);
  const inner = Object.entries(object?.properties ?? {}).flatMap(([name, property]) =>
    rowsOf(property, [...path, name], object?.required?.includes(name)),
  );
  const keyed = schema.additionalProperties;
  if (typeof keyed === 'object' && keyed.properties) {
    const each = [...path, '<id>'];
    return [row(schema, each, false), ...rowsOf(keyed, each)];
  }
  // An object has its own row if it may be missing or null as a whole.
  const isValue =
    inner.length === 0 || schema.anyOf !== undefined || (path.length > 1 && schema.description !== undefined);
  return isValue ? [row(schema, path, isRequired), ...inner] : inner;
};

const isSecret = ({ title, anyOf = [] }: Schema): boolean => title === 'secret' || anyOf.some(isSecret);

/** The object whose properties are settings of their own. A string or an object, such as a secret, is one value. */
const objectIn = ({ anyOf = [], ...schema }: Schema): Schema | undefined => {
  if (schema.properties) return schema;
  return anyOf.some(({ type }) => type === 'string') ? undefined : anyOf.find(({ properties }) => properties);
};

const row = (schema: Schema, path: readonly string[], isRequired: boolean): readonly string[] => [
  code(path.join('.')),
  formOf(schema),
  isRequired ? 'required' : defaultOf(schema),
  variableOf(path),
  schema.description ?? '',
];

const formOf = (schema: Schema): string => {
  const { title, type, format, enum: values, minimum, maximum, items, anyOf } = schema;
  if (title === 'secret') return '[secret](#secrets)';
  if (Array.isArray(type)) return type.map((each: string) => formOf({ ...schema, type: each })).join(' or ');
  if (anyOf) return anyOf.map(formOf).join(' or ');
  if (values) return values.map(code).join(', ');
  if (type === 'integer') return `integer, ${minimum} to ${maximum}`;
  if (type === 'array') return `array of ${formOf(items ?? {})}`;
  if (type === 'boolean') return 'boolean';
  if (type === 'null') return '`null`';
  if (type === 'object') return 'object';
  return { uri: 'URL', duration: 'ISO 8601 duration' }[format ?? ''] ?? 'string';
};

const defaultOf = (schema: Schema): string => {
  if (schema.default !== undefined) return code(JSON.stringify(schema.default));
  // zod omits the default of a value that it transforms, as it does a secret.
  return isSecret(schema) && schema.anyOf?.some(({ type }) => type === 'null') ? code('null') : '';
};

const variableOf = (path: readonly string[]): string => {
  const found = variables.find(({ paths }) => paths.some((each) => each.join('.') === path.join('.')));
  if (!found) return '';
  return code(found.env) + (found.flag === undefined ? ' (no flag)' : '');
};

/** Returns one row per setting that all six services share; paths have their own table. */
const serviceRows = ({ properties = {} }: Schema): readonly (readonly string[])[] => {
  const names = Object.keys(properties);
  const [first = ''] = names;
  const service = properties[first] ?? {};
  const { paths: _paths, ...common } = service.properties ?? {};
  return Object.entries(common).flatMap(([name, property]) => {
    const environmentVariables = new Set(names.map((each) => variableOf(['downstreams', each, name])));
    const rows = rowsOf(property, ['downstreams', '<service>', name], service.required?.includes(name));
    return rows.map(([setting = '', type = '', fallback = '', , description = ''], index) => [
      setting,
      type,
      fallback,
      index === 0 ? [...environmentVariables].join(', ') : '',
      description,
    ]);
  });
};

const ownServicesIntroduction = [
  'Any other name (lower-case letters, digits and hyphens) is a [service of your own](../how-to/add-a-service.md). It has the',
  'settings that all services share, except `paths`, and these:',
].join('\n');

/** The rows that only a service of your own has. */
const ownServiceRows = ({ properties = {}, additionalProperties }: Schema): readonly (readonly string[])[] => {
  const own = typeof additionalProperties === 'object' ? (additionalProperties.properties ?? {}) : {};
  const builtIn = Object.values(properties)[0]?.properties ?? {};
  return Object.entries(own)
    .filter(([name]) => !Object.hasOwn(builtIn, name))
    .flatMap(([name, property]) => rowsOf(property, ['downstreams', '<name>', name]))
    .map(([setting = '', ...cells]) => [setting.replace('<id>', '<route>'), ...cells]);
};

const pathsIntroduction = [
  'Path and query of each operation. A template starts with `/` and may contain `{partyLocator}` and `{locator}`, which are',
  'replaced with percent-encoded values.',
].join('\n');

const pathTable = ({ properties = {} }: Schema): string =>
  table(
    ['Setting', 'Default'],
    Object.entries(properties).flatMap(([service, { properties: own = {} }]) =>
      Object.entries(own['paths']?.properties ?? {}).map(([operation, { description = '' }]) => [
        code(`downstreams.${service}.paths.${operation}`),
        code(description.replace(/^Default: /, '')),
      ]),
    ),
  );
