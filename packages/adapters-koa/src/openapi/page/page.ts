import { createHash } from 'node:crypto';
import type { OpenApiDocument } from '../format.ts';
import { headerName } from '../headers.ts';
import { errorCodes } from '../problems.ts';
import { escaped, paragraphs, prose } from './html.ts';
import { operationSection, routeTitle } from './page-operation.ts';
import { kindOf, schemaSection } from './page-schema.ts';
import { style } from './page-style.ts';

/** Allows only this style sheet: no scripts, images or fonts (Content Security Policy Level 3, section 6.6). */
export const contentSecurityPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Renders the document as one HTML page without scripts or external resources. */
export const page = (document: OpenApiDocument): string => {
  const { info, tags, paths, components } = document;
  const routes = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method, path, operation })),
  );
  const groups = tags.map((tag) => ({
    ...tag,
    routes: routes.filter(({ operation }) => operation.tags.includes(tag.name)),
  }));
  const list = groups.map(
    ({ name, routes }) =>
      `<h3>${name}</h3><ul>${routes.map((route) => `<li><a href="#${route.operation.operationId}">${routeTitle(route)}</a></li>`).join('')}</ul>`,
  );
  const sections = groups.map(({ name, description, routes }) =>
    section(
      `tag-${name}`,
      name,
      paragraphs(description) + routes.map((route) => operationSection(route, document)).join(''),
    ),
  );
  const schemas = Object.entries(components.schemas).map(([name, schema]) => schemaSection(name, schema));
  const title = `${escaped(info.title)} ${escaped(info.version)}: HTTP API`;
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title><style>${style}</style></head>
<body>
<a class="skip" href="#main">Skip to the operations</a>
<header><h1>${title}</h1>${paragraphs(info.description)}<p>Machine-readable version: <a href="/openapi.json">openapi.json</a>. In the examples, <code>$PORTICO</code> is the base URL of this server, such as <code>http://127.0.0.1:8080</code>, and <code>$PORTICO_TOKEN</code> is a member’s access token.</p></header>
<nav aria-labelledby="list"><h2 id="list">Operations</h2>${list.join('')}<h3>Reference</h3><ul><li><a href="#errors">Error codes</a></li><li><a href="#schemas">Schemas</a></li><li><a href="#headers">Headers</a></li><li><a href="#credentials">Credentials</a></li></ul></nav>
<main id="main" tabindex="-1">
${sections.join('\n')}
${section('errors', 'Error codes', errorList())}
${section('schemas', 'Schemas', schemas.join(''))}
${section('headers', 'Headers', headersOf(document))}
${section('credentials', 'Credentials', credentialsOf(document))}
</main>
</body>
</html>
`;
};

const section = (id: string, title: string, content: string): string =>
  `<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${content}</section>`;

const errorList = (): string => {
  const rows = errorCodes.map(
    ({ code, status, description }) => `<dt><code>${code}</code> ${status}</dt><dd>${prose(description)}</dd>`,
  );
  return `<dl>${rows.join('')}</dl>`;
};

const headersOf = ({ components }: OpenApiDocument): string => {
  const rows = Object.entries(components.headers).map(
    ([name, { description, schema }]) =>
      `<dt><code>${headerName(name)}</code> <span class="kind">${kindOf(schema)}</span></dt><dd>${prose(description)}</dd>`,
  );
  return `<details><summary>All response headers</summary><dl>${rows.join('')}</dl></details>`;
};

const credentialsOf = ({ components }: OpenApiDocument): string =>
  `<dl>${Object.entries(components.securitySchemes)
    .map(([name, { description }]) => `<dt><code>${name}</code></dt><dd>${prose(description)}</dd>`)
    .join('')}</dl>`;
