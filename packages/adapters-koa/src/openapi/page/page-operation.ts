import { curlLines } from './curl.ts';
import type { MediaType, OpenApiDocument, Operation, Parameter, RequestBody, Response } from '../format.ts';
import { escaped, paragraphs, prose } from './html.ts';
import { kindOf } from './page-schema.ts';
import { resolved } from '../reference.ts';

interface Route {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

export const routeTitle = ({ method, path }: Pick<Route, 'method' | 'path'>): string =>
  `<code><b>${method.toUpperCase()}</b> ${escaped(path)}</code>`;

/** The section of one operation. Parameters, headers and errors open on demand, so that the page stays short. */
export const operationSection = (route: Route, { components }: OpenApiDocument): string => {
  const { method, path, operation } = route;
  const { operationId: id, summary, description, security, requestBody } = operation;
  const parameters = (operation.parameters ?? []).map((parameter) => resolved(parameter, components.parameters));
  const responses = Object.entries(operation.responses).map(
    ([status, response]) => [status, resolved(response, components.responses)] as const,
  );
  const curl = curlLines(
    method,
    path,
    operation,
    parameters.filter((parameter) => parameter.in === 'path'),
  );
  return [
    `<article aria-labelledby="${id}"><h3 id="${id}">${routeTitle(route)}</h3>`,
    `<p class="summary">${prose(summary)}${access(security)}</p><div class="columns"><div>`,
    paragraphs(description),
    onDemand(`Parameters: ${namesOf(parameters)}`, `<dl>${parameters.map(parameterRow).join('')}</dl>`),
    requestBody ? bodyOf(requestBody) : '',
    `<h4>Responses</h4><dl>${responses.filter(isSuccess).map(responseRow).join('')}</dl>`,
    onDemand('Headers', `<dl>${responses.map(headersRow).join('')}</dl>`),
    errorsOf(responses.filter((response) => !isSuccess(response))),
    `</div><div><h4>Example</h4>${curl.map((line) => `<pre><code>${escaped(line)}</code></pre>`).join('')}`,
    ...responses.map((response) => exampleOf(id, response)),
    '</div></div></article>',
  ].join('');
};

type Documented = readonly [status: string, response: Response];

const isSuccess = ([status]: Documented): boolean => Number(status) < 400;

const onDemand = (title: string, content: string): string => `<details><summary>${title}</summary>${content}</details>`;

const namesOf = (parameters: readonly Parameter[]): string =>
  parameters.map(({ name, required }) => `<code>${escaped(name)}</code>${required ? ' (required)' : ''}`).join(', ');

const access = (security: Operation['security']): string => {
  const names = security.flatMap((each) => Object.keys(each));
  return names.length === 0 ? '' : ` · credentials: <a href="#credentials">${names.map(escaped).join(', ')}</a>`;
};

const parameterRow = ({ name, in: place, required, description, schema }: Parameter): string =>
  `<dt><code>${escaped(name)}</code> <span class="kind">${place}, ${required ? '<em>required</em>' : 'optional'}, ${kindOf(schema)}</span></dt><dd>${prose(description)}</dd>`;

const bodyOf = ({ description, content }: RequestBody): string => {
  const types = Object.entries(content).map(([type, media]) => `<li>${mediaType(type, media)}</li>`);
  return `<h4>Request body</h4>${paragraphs(description)}<ul>${types.join('')}</ul>`;
};

const responseRow = ([status, { description, content = {} }]: Documented): string => {
  const types = Object.entries(content).map(([type, media]) => mediaType(type, media));
  return `<dt><b>${status}</b> ${types.join('; ') || '<span class="kind">no body</span>'}</dt><dd>${prose(description)}</dd>`;
};

const headersRow = ([status, { headers }]: Documented): string => {
  const names = Object.keys(headers).map((name) => `<a href="#headers"><code>${escaped(name)}</code></a>`);
  return `<dt><b>${status}</b></dt><dd>${names.join(', ')}</dd>`;
};

/** One line with the statuses of the errors, which opens to their codes and descriptions. */
const errorsOf = (errors: readonly Documented[]): string => {
  const rows = errors.map(([status, { description, content = {} }]) => {
    const code = Object.values(content).map(({ schema }) => {
      const name = schema?.properties?.['code']?.const;
      return typeof name === 'string' ? ` <a href="#errors"><code>${escaped(name)}</code></a>` : '';
    });
    return `<dt><b>${status}</b>${code.join('')}</dt><dd>${prose(description)}</dd>`;
  });
  return onDemand(`Errors: ${errors.map(([status]) => status).join(' ')}`, `<dl>${rows.join('')}</dl>`);
};

/** The example of a JSON response. It scrolls, so it is reachable by keyboard. */
const exampleOf = (id: string, [status, { content = {} }]: Documented): string => {
  const example = content['application/json']?.example;
  const label = `Example of the response ${status} of ${id}`;
  return example === undefined
    ? ''
    : `<pre class="sample" role="region" tabindex="0" aria-label="${label}"><code>${escaped(JSON.stringify(example, null, 2))}</code></pre>`;
};

const mediaType = (type: string, { schema }: MediaType): string =>
  `<code>${escaped(type)}</code>${schema ? ` <span class="kind">${kindOf(schema)}</span>` : ''}`;
