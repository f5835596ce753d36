import { curlLines } from './curl.ts';
import type { MediaType, OpenApiDocument, Operation, Parameter, Reference, RequestBody, Response } from '../format.ts';
import { escaped, paragraphs, prose } from './html.ts';
import { kindOf } from './page-schema.ts';
import { resolved } from '../reference.ts';

export interface Route {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
  readonly parameters: readonly (Parameter | Reference)[];
}

export const routeTitle = ({ method, path }: Pick<Route, 'method' | 'path'>): string =>
  `<code><b>${method.toUpperCase()}</b> ${escaped(path)}</code>`;

/** The section of one operation: parameters, request body, responses and a curl example. */
export const operationSection = (route: Route, { components }: OpenApiDocument): string => {
  const { method, path, operation } = route;
  const { operationId: id, summary, description, security = [], requestBody, responses } = operation;
  const parameters = [...(operation.parameters ?? []), ...route.parameters].map((parameter) =>
    resolved(parameter, components.parameters),
  );
  const responseRows = Object.entries(responses).map(([status, response]) =>
    responseRow(status, resolved(response, components.responses)),
  );
  const pathParameters = parameters.filter((parameter) => parameter.in === 'path');
  const curl = curlLines(method, path, operation, pathParameters).map(
    (line) => `<pre><code>${escaped(line)}</code></pre>`,
  );
  return [
    `<article aria-labelledby="${id}"><h3 id="${id}">${routeTitle(route)}</h3>`,
    `<p class="summary">${prose(summary)}</p>${paragraphs(description)}${access(security)}`,
    part('Parameters', `<dl>${parameters.map(parameterRow).join('')}</dl>`),
    requestBody ? part('Request body', bodyOf(requestBody)) : '',
    part('Responses', `<dl>${responseRows.join('')}</dl>`),
    part('Example', curl.join('')),
    '</article>',
  ].join('');
};

const part = (title: string, content: string): string => `<h4>${title}</h4>${content}`;

const access = (security: NonNullable<Operation['security']>): string => {
  const names = security.flatMap((each) => Object.keys(each));
  return names.length === 0 ? '' : `<p>Credentials: <a href="#credentials">${names.map(escaped).join(', ')}</a>.</p>`;
};

const parameterRow = ({ name, in: place, required, description, schema }: Parameter): string =>
  `<dt><code>${escaped(name)}</code> <span class="kind">${place}, ${required ? '<em>required</em>' : 'optional'}, ${kindOf(schema)}</span></dt><dd>${prose(description)}</dd>`;

const bodyOf = ({ description, content }: RequestBody): string => {
  const types = Object.entries(content).map(([type, media]) => `<li>${mediaType(type, media)}</li>`);
  return `${paragraphs(description)}<ul>${types.join('')}</ul>`;
};

const responseRow = (status: string, { description, headers, content = {} }: Response): string => {
  const names = Object.keys(headers).map((name) => `<a href="#headers"><code>${escaped(name)}</code></a>`);
  const types = Object.entries(content).map(([type, media]) => mediaType(type, media));
  return `<dt><b>${status}</b> ${types.join('; ') || '<span class="kind">no body</span>'}</dt><dd>${prose(description)}<details><summary>Headers of ${status}</summary><p>${names.join(', ')}</p></details></dd>`;
};

const mediaType = (type: string, { schema }: MediaType): string =>
  `<code>${escaped(type)}</code>${schema ? ` <span class="kind">${kindOf(schema)}</span>` : ''}`;
