import { openApiDocument } from '@portico/adapters-koa';

type Document = ReturnType<typeof openApiDocument>;
type Schema = Document['components']['schemas'][string];

/**
 * The types of the bodies that the client reads, from the schemas of the OpenAPI document. Portico relays them without a
 * check, so only what the schema requires is required, and a code may have a value that is not listed.
 */
export const clientBodies = (document: Document = openApiDocument()): string => {
  const bodies = memberBodies(document);
  const names = reachable(document, [...bodies.values()]);
  const interfaces = names.map((name) => declaration(name, document.components.schemas[name]!));
  const calls = [...bodies].map(([call, name]) => `  readonly ${call}: ${name};`);
  return [
    '// Generated from the OpenAPI document by `npm run docs -- write`.',
    '',
    ...interfaces,
    '/** The body of each member call. Portico relays bodies without a check: a service may send something else. */',
    'export interface MemberBodies {',
    ...calls,
    '}',
    '',
  ].join('\n');
};

/** The schema of the body of each operation of the member API, by the name of the operation. */
const memberBodies = ({ paths }: Document): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(paths)
      .filter(([path]) => path.startsWith('/me/'))
      .flatMap(([, item]) => Object.values(item))
      .flatMap((operation) => {
        const response = operation.responses[200] ?? operation.responses[201];
        const schema = response && 'content' in response ? response.content?.['application/json']?.schema : undefined;
        return schema?.$ref === undefined ? [] : [[operation.operationId, nameIn(schema.$ref)] as const];
      }),
  );

const nameIn = (ref: string): string => ref.replace('#/components/schemas/', '');

/** These schemas and all that they refer to, in the order of the document. */
const reachable = ({ components: { schemas } }: Document, from: readonly string[]): readonly string[] => {
  const found = new Set<string>();
  const visit = (name: string): void => {
    if (found.has(name)) return;
    found.add(name);
    for (const [, other = ''] of JSON.stringify(schemas[name]).matchAll(/"#\/components\/schemas\/(\w+)"/g))
      visit(other);
  };
  from.forEach(visit);
  return Object.keys(schemas).filter((name) => found.has(name));
};

const declaration = (name: string, schema: Schema): string => {
  const bases = (schema.allOf ?? []).map(({ $ref = '' }) => nameIn($ref));
  const heading = `export interface ${name}${bases.length > 0 ? ` extends ${bases.join(', ')}` : ''} {`;
  return [comment(schema, ''), heading, ...fields(schema, '  '), '}', ''].join('\n');
};

const fields = ({ properties = {}, required = [] }: Schema, indent: string): readonly string[] =>
  Object.entries(properties).flatMap(([name, schema]) => [
    ...(schema.description === undefined ? [] : [comment(schema, indent)]),
    `${indent}readonly ${name}${required.includes(name) ? '' : '?'}: ${typeOf(schema, indent)};`,
  ]);

const comment = ({ description = '' }: Schema, indent: string): string => `${indent}/** ${description} */`;

const typeOf = (schema: Schema, indent: string): string => {
  if (schema.$ref !== undefined) return nameIn(schema.$ref);
  if (schema.anyOf) return schema.anyOf.map((each) => typeOf(each, indent)).join(' | ');
  if (schema.enum) return [...schema.enum.map((value) => `'${String(value)}'`), '(string & {})'].join(' | ');
  return (
    [schema.type ?? []]
      .flat()
      .map((type) => namedType(type, schema, indent))
      .join(' | ') || 'unknown'
  );
};

const namedType = (type: string, schema: Schema, indent: string): string => {
  if (type === 'integer') return 'number';
  if (type === 'array') return `readonly ${inArray(schema.items ? typeOf(schema.items, indent) : 'unknown')}[]`;
  if (type !== 'object') return type;
  if (schema.properties) return ['{', ...fields(schema, `${indent}  `), `${indent}}`].join('\n');
  const { additionalProperties: values } = schema;
  return `Readonly<Record<string, ${typeof values === 'object' ? typeOf(values, indent) : 'unknown'}>>`;
};

const inArray = (type: string): string => (/^\{|^\w+$/.test(type) ? type : `(${type})`);
