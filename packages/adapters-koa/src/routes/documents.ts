import { Readable } from 'node:stream';
import type { DocumentAnswer, DocumentConditions, DocumentHeaders } from '@portico/core';
import type { Context } from 'koa';
import { documentsOperations } from '../openapi/operations/documents.openapi.ts';
import { documentsSchemas } from '../openapi/schemas/documents.schemas.ts';
import { clientGone } from '../request/client-gone.ts';
import { sendFailure } from '../response/problem.ts';
import { reply } from '../response/reply.ts';
import type { MemberRoutes } from '../routing/route.ts';

export const documentsRoutes: MemberRoutes = {
  schemas: documentsSchemas,
  routes: [
    {
      method: 'GET',
      path: '/me/documents',
      operation: documentsOperations.listDocuments,
      handle:
        ({ listDocuments }) =>
        async (ctx) =>
          reply(ctx, await listDocuments(ctx.state.member, ctx.querystring)),
    },
    {
      method: 'GET',
      path: '/me/documents/{locator}',
      operation: documentsOperations.getDocument,
      handle:
        ({ getDocument }) =>
        async (ctx) => {
          const locator = ctx.params['locator'] ?? '';
          const document = await getDocument(ctx.state.member, locator, conditions(ctx), clientGone(ctx));
          document.match(
            (answer) => sendDocument(ctx, answer, locator),
            (failure) => sendFailure(ctx, failure),
          );
        },
    },
  ],
};

const conditions = ({ headers }: Context): DocumentConditions =>
  Object.fromEntries(
    Object.entries({
      range: headers.range,
      ifRange: headers['if-range'],
      ifNoneMatch: headers['if-none-match'],
      ifModifiedSince: headers['if-modified-since'],
    }).filter(([, value]) => value !== undefined),
  );

const statusOf = { whole: 200, part: 206, 'not-modified': 304, 'range-not-satisfiable': 416 } as const satisfies Record<
  DocumentAnswer['outcome'],
  number
>;

const headerNames = {
  contentLength: 'Content-Length',
  contentRange: 'Content-Range',
  acceptRanges: 'Accept-Ranges',
  etag: 'ETag',
  lastModified: 'Last-Modified',
} as const satisfies Record<keyof DocumentHeaders, string>;

const sendDocument = (ctx: Context, answer: DocumentAnswer, locator: string): void => {
  ctx.status = statusOf[answer.outcome];
  if ('content' in answer) {
    const { content } = answer;
    ctx.body = content instanceof Readable ? content : Readable.from(content, { objectMode: false });
    ctx.set('Content-Type', 'application/pdf');
    // A browser's own viewer runs under this policy.
    ctx.set('Content-Security-Policy', "frame-ancestors 'none'");
    // Ours, not the document service's: what a locator may hold is safe in a header and, without colons, in a file name.
    ctx.set('Content-Disposition', `inline; filename="${locator.replaceAll(':', '-')}.pdf"`);
  } else {
    ctx.body = '';
    ctx.type = '';
  }
  for (const [name, header] of Object.entries(headerNames)) {
    const value = answer.headers[name as keyof DocumentHeaders];
    if (value !== undefined && ('content' in answer || name !== 'contentLength')) ctx.set(header, value);
  }
};
