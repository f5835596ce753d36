import { Readable } from 'node:stream';
import { Router } from '@koa/router';
import {
  type DocumentResponse,
  documentHeaderFields,
  documentStatus,
  readDocumentConditions,
  type UseCases,
} from '@portico/core';
import type { Context } from 'koa';
import { respond, query, refuse, type ServiceState } from '../service.ts';

export const documentsService = (use: UseCases) =>
  new Router<ServiceState>()
    .get('/members/:partyLocator/documents', async (ctx) =>
      respond(ctx, await use.listDocuments(ctx.state.member, query(ctx))),
    )
    .get('/members/:partyLocator/documents/:locator', async (ctx) => {
      const conditions = readDocumentConditions((name) => ctx.get(name) || undefined);
      const result = await use.getDocument(ctx.state.member, ctx.params['locator'] ?? '', conditions);
      result.match(
        (document) => send(ctx, document),
        (failure) => refuse(ctx, failure.kind === 'not-found' ? 404 : 500),
      );
    });

const send = (ctx: Context, document: DocumentResponse): void => {
  ctx.status = documentStatus[document.outcome];
  if ('content' in document) {
    ctx.body = Readable.from(document.content, { objectMode: false });
    ctx.type = 'application/pdf';
  } else ctx.body = '';
  ctx.set(documentHeaderFields(document));
};
