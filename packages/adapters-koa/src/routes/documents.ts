import { Readable } from 'node:stream';
import {
  type DocumentResponse,
  type DocumentConditions,
  documentHeaderFields,
  documentStatus,
  readDocumentConditions,
} from '@portico/core';
import type { Context } from 'koa';
import { documentsOperations } from '../openapi/operations/documents.openapi.ts';
import { documentsSchemas } from '../openapi/schemas/documents.schemas.ts';
import { disconnectSignal } from '../request/disconnect-signal.ts';
import { sendFailure } from '../response/problem.ts';
import { reply } from '../response/reply.ts';
import type { MemberRoutes } from '../routing/route.ts';

export const documentsRoutes: MemberRoutes = {
  service: 'documents',
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
          const document = await getDocument(ctx.state.member, locator, conditions(ctx), disconnectSignal(ctx));
          document.match(
            (response) => sendDocument(ctx, response, locator),
            (failure) => sendFailure(ctx, failure),
          );
        },
    },
  ],
};

/** Ranges are defined only for GET (RFC 9110, section 14.2). */
const conditions = ({ headers, method }: Context): DocumentConditions => {
  const all = readDocumentConditions((name) => headers[name] as string | undefined);
  if (method !== 'HEAD') return all;
  const { range: _, ifRange: __, ...others } = all;
  return others;
};

const sendDocument = (ctx: Context, response: DocumentResponse, locator: string): void => {
  ctx.status = documentStatus[response.outcome];
  if ('content' in response) {
    const { content } = response;
    ctx.body = content instanceof Readable ? content : Readable.from(content, { objectMode: false });
    ctx.set('Content-Type', 'application/pdf');
    // Relaxed, because the PDF viewers of browsers run under this policy.
    ctx.set('Content-Security-Policy', "frame-ancestors 'none'");
    // Not taken from the document service. A locator is safe in a header and, without colons, in a file name.
    ctx.set('Content-Disposition', `inline; filename="${locator.replaceAll(':', '-')}.pdf"`);
  } else {
    ctx.body = '';
    ctx.type = '';
  }
  ctx.set(documentHeaderFields(response));
};
