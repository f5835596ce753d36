import { maxPageBytes, problemOf, problemText, upstream } from '@portico/core';
import type { Operation, Schema } from './format.ts';
import { headerRefs, memberHeaders } from './headers.ts';
import { pageProblems } from './problems.ts';
import { bearer } from './responses.ts';
import { closed, eventStream, schemaOf } from './schemas/schema-builders.ts';

/** A part of `GET /me`, and the operation of its own route. */
export interface DocumentedPart {
  readonly name: string;
  readonly operation: Operation;
}

/** The operation `GET /me` of a server with these parts. The schema and the example of each body are those of its route. */
export const meOperation = (parts: readonly DocumentedPart[]): Operation => ({
  operationId: 'me',
  tags: ['page'],
  summary: 'Read several resources at once',
  description: `Reads all parts at once, each with its own deadline, and responds when the last one has settled. A part that fails does not change the status: it has the problem that its own route would return, and \`partial\` is true. With \`Accept: text/event-stream\`, each part is sent as it settles. For the rate limit per member, each part counts as one request; a part beyond it has a 429 problem. The bodies have at most ${maxPageBytes / 1_048_576} MiB together; a part that does not fit has a 502 problem.`,
  security: bearer,
  parameters: [
    {
      name: 'include',
      in: 'query',
      description: `The names of the parts, separated by commas: ${parts.map(({ name }) => name).join(', ')}. Each at most once. Default: all of them.`,
      schema: { type: 'string', pattern: '^[a-z0-9-]+(?:,[a-z0-9-]+)*$' },
      ...(parts[0] && {
        example: parts
          .slice(0, 2)
          .map(({ name }) => name)
          .join(','),
      }),
    },
  ],
  responses: {
    200: {
      description: 'The parts. The status is 200 even if every part failed.',
      headers: { ...memberHeaders, ...headerRefs('Vary.page', 'X-Accel-Buffering') },
      content: {
        'application/json': { schema: schemaOf('MemberPage'), example: exampleOf(parts) },
        'text/event-stream': { schema: streamSchema, example: streamExample },
      },
    },
    ...pageProblems,
  },
});

const status: Schema = { type: 'integer', description: 'The status that the part’s own route would return.' };

const problem: Schema = { ...schemaOf('Problem'), description: 'Why the part failed.' };

/** The schema `MemberPage` of a server with these parts. */
export const pageSchema = (parts: readonly DocumentedPart[]): Schema =>
  closed('The parts by name.', {
    partial: { type: 'boolean', description: 'Whether a part failed.' },
    parts: {
      type: 'object',
      properties: Object.fromEntries(
        parts.map(({ name, operation }) => [
          name,
          closed(
            `Response of the operation ${operation.operationId}.`,
            { status, body: contentOf(operation)?.schema ?? {}, problem },
            ['status'],
          ),
        ]),
      ),
      additionalProperties: false,
    },
  });

const streamSchema: Schema = eventStream(
  'a `part` event with the `name` and the fields of each part as it settles, then a `done` event with `partial`.',
  ['part', 'done'],
  [
    closed('The data of a `part` event.', { name: { type: 'string' }, status, body: {}, problem }, ['name', 'status']),
    closed('The data of the `done` event.', { partial: { type: 'boolean' } }),
  ],
);

const streamExample =
  'event: part\ndata: {"name":"coverage","status":200,"body":{…}}\n\nevent: done\ndata: {"partial":false}\n\n';

const contentOf = ({ responses }: Operation) => {
  const response = responses[200];
  return response && 'content' in response ? response.content?.['application/json'] : undefined;
};

/** The first part with the example of its route, and the second one with a failure. */
const exampleOf = ([first, second]: readonly DocumentedPart[]) => ({
  partial: second !== undefined,
  parts: {
    ...(first && { [first.name]: { status: 200, body: contentOf(first.operation)?.example ?? {} } }),
    ...(second && { [second.name]: { status: 502, problem: failureOf(second.operation.tags[0]) } }),
  },
});

const failureOf = (service: string): unknown =>
  JSON.parse(problemText(problemOf(upstream(service, 'timeout')), '00000000-0000-4000-8000-000000000000').text);
