import { settingsSchema } from '@portico/cli/internals';
import { variables } from '@portico/cli/internals';
import { code, generated, table } from './tables.ts';

/** What we read of the JSON Schema that `portico config schema` prints. */
interface Schema {
  readonly type?: string;
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

/** Every setting: its path, what it may be, its default, its variable, and what it means. */
export const settingsPage = (): string => {
  const { properties = {} } = settingsSchema.toJSONSchema({ io: 'input' }) as Schema;
  return generated(
    'Settings',
    [
      'A flag beats an environment variable, which beats the file (`--config` or `PORTICO_CONFIG`, JSON), which beats the',
      'default. The flag is the variable in small letters: `PORT` is `--port`. Every problem is reported at once, and the',
      'process ends with 2 before anything has started. Unknown settings are problems, too.',
    ].join('\n'),
    [
      '`portico config check` says what is wrong, `portico config print` what is in force and where it comes from,',
      '`portico config schema` prints the JSON Schema from which this page is made. What is `needed` is so where its part of',
      'the settings is used.',
    ].join('\n'),
    ...Object.entries(properties).flatMap(([name, schema]) => section(name, schema)),
  );
};

const section = (name: string, schema: Schema): readonly string[] => {
  const rows = name === 'downstreams' ? serviceRows(schema) : rowsOf(schema, [name]);
  return [
    `## \`${name}\``,
    ...(schema.description !== undefined && schema.properties ? [`${schema.description}.`] : []),
    table(['setting', 'is', 'default', 'variable', 'means'], rows),
    ...(name === 'downstreams' ? ['### `downstreams.<service>.paths`', pathsIntroduction, pathTable(schema)] : []),
  ];
};

/** A row for each value, and for each value in an object; what is keyed by an id, under `<id>`. */
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
  // An object is a row of its own where it may be missing or null as a whole.
  const isValue =
    inner.length === 0 || schema.anyOf !== undefined || (path.length > 1 && schema.description !== undefined);
  return isValue ? [row(schema, path, isRequired), ...inner] : inner;
};

const objectIn = (schema: Schema): Schema | undefined =>
  schema.properties ? schema : schema.anyOf?.find(({ properties }) => properties);

const row = (schema: Schema, path: readonly string[], isRequired: boolean): readonly string[] => [
  code(path.join('.')),
  formOf(schema),
  isRequired ? 'needed' : defaultOf(schema),
  variableOf(path),
  schema.description ?? '',
];

const formOf = (schema: Schema): string => {
  const { type, format, enum: values, minimum, maximum, items, anyOf } = schema;
  if (anyOf) return anyOf.map(formOf).join(', or ');
  if (values) return values.map(code).join(', ');
  if (type === 'integer') return `${minimum} to ${maximum}`;
  if (type === 'array') return `list of: ${formOf(items ?? {})}`;
  if (type === 'boolean') return '`true` or `false`';
  if (type === 'null') return '`null`';
  if (type === 'object') return 'object';
  return { uri: 'address', duration: 'ISO 8601 duration' }[format ?? ''] ?? 'text';
};

const defaultOf = (schema: Schema): string =>
  schema.default === undefined ? '' : code(JSON.stringify(schema.default));

const variableOf = (path: readonly string[]): string => {
  const found = variables.find(({ paths }) => paths.some((each) => each.join('.') === path.join('.')));
  if (!found) return '';
  return code(found.env) + (found.flag === undefined ? ' (no flag)' : '');
};

/** The six services have the same settings, but for their paths. */
const serviceRows = ({ properties = {} }: Schema): readonly (readonly string[])[] => {
  const names = Object.keys(properties);
  const [first = ''] = names;
  const service = properties[first] ?? {};
  const { paths: _theirOwn, ...common } = service.properties ?? {};
  return Object.entries(common).flatMap(([name, property]) => {
    const path = ['downstreams', first, name];
    const [, is = '', otherwise = '', , means = ''] = row(property, path, service.required?.includes(name) ?? false);
    const theirs = new Set(names.map((each) => variableOf(['downstreams', each, name])));
    return [[code(`downstreams.<service>.${name}`), is, otherwise, [...theirs].join(', '), means]];
  });
};

const pathsIntroduction = [
  'What each operation asks for. `{partyLocator}` and `{locator}` are put in percent-encoded; a template begins with `/`',
  'and knows no others.',
].join('\n');

const pathTable = ({ properties = {} }: Schema): string =>
  table(
    ['setting', 'default'],
    Object.entries(properties).flatMap(([service, { properties: own = {} }]) =>
      Object.entries(own['paths']?.properties ?? {}).map(([operation, { description = '' }]) => [
        code(`downstreams.${service}.paths.${operation}`),
        code(description.replace(/^Default: /, '')),
      ]),
    ),
  );
