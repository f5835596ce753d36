import type { Schema } from '../format.ts';
import { escaped, paragraphs, prose } from './html.ts';

/** The section of a schema in `components`, which opens on demand. Other sections link to its heading. */
export const schemaSection = (name: string, schema: Schema): string =>
  `<details><summary><h3 id="schema-${name}"><code>${name}</code></h3></summary>${paragraphs(schema.description)}<p>${kindOf(schema)}</p>${fieldsOf(schema)}</details>`;

const linkTo = (ref: string): string => {
  // The schema of a service of your own may have references to its parts.
  const [, name = ref] = /^#\/components\/schemas\/([\w.-]+)/.exec(ref) ?? [];
  if (name === ref) return `<code>${escaped(ref)}</code>`;
  return `<a href="#schema-${name}"><code>${name}</code></a>`;
};

/** Describes the values that a schema allows, in a short phrase. */
export const kindOf = (schema: Schema): string => {
  if (schema.$ref !== undefined) return linkTo(schema.$ref);
  if (schema.anyOf) return schema.anyOf.map(kindOf).join(' or ');
  const inherited = schema.allOf ? `all fields of ${schema.allOf.map(kindOf).join(', ')}` : '';
  return [inherited, typeOf(schema), ...limitsOf(schema)].filter(Boolean).join(', ');
};

const typeOf = ({ type, items, format, const: only, enum: values }: Schema): string => {
  if (only !== undefined) return `always ${value(only)}`;
  if (values) return `one of ${values.map(value).join(', ')}`;
  const names = type === undefined ? ['anything'] : [type].flat();
  const first = items ? `list of ${kindOf(items)}` : escaped(String(format ?? names[0]));
  return names.length > 1 ? `${first} or null` : first;
};

const limitsOf = ({
  pattern,
  examples,
  minimum,
  minLength,
  maxLength,
  minProperties,
  additionalProperties,
}: Schema) => [
  minimum !== undefined && `at least ${escaped(String(minimum))}`,
  minProperties !== undefined && 'not empty',
  maxLength !== undefined && escaped(`${minLength ?? 0} to ${maxLength} characters`),
  pattern !== undefined && `matching <code>${escaped(pattern)}</code>`,
  examples !== undefined && `for example ${examples.map(value).join(', ')}`,
  additionalProperties === false && 'no other fields',
  typeof additionalProperties === 'object' && `other fields: ${kindOf(additionalProperties)}`,
];

const value = (any: unknown): string => `<code>${escaped(typeof any === 'string' ? any : JSON.stringify(any))}</code>`;

/** The fields of an object or of the objects in a list, including nested ones. */
const fieldsOf = (schema: Schema): string => {
  const { properties, required = [] } = schema.items ?? schema;
  if (!properties || Object.keys(properties).length === 0) return '';
  const fields = Object.entries(properties).map(([name, field]) => {
    const need = required.includes(name) ? ', <em>required</em>' : '';
    const words = field.description === undefined ? '' : `<br>${prose(field.description)}`;
    return `<li><code class="name">${escaped(name)}</code> <span class="kind">${kindOf(field)}${need}</span>${words}${fieldsOf(field)}</li>`;
  });
  return `<ul class="fields">${fields.join('')}</ul>`;
};
