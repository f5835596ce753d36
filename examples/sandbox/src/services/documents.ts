import { Readable } from 'node:stream';
import { Router } from '@koa/router';
import type { DocumentAnswer, UseCases } from '@portico/core';
import type { Context } from 'koa';
import { answer, query, refuse, type ServiceState } from '../service.ts';

export const documentsService = (use: UseCases) =>
  new Router<ServiceState>()
    .get('/members/:partyLocator/documents', async (ctx) =>
      answer(ctx, await use.listDocuments(ctx.state.member, query(ctx))),
    )
    .get('/members/:partyLocator/documents/:locator', async (ctx) => {
      const found = await use.getDocument(ctx.state.member, ctx.params['locator'] ?? '', {
        ...given('range', ctx.get('Range')),
        ...given('ifRange', ctx.get('If-Range')),
        ...given('ifNoneMatch', ctx.get('If-None-Match')),
        ...given('ifModifiedSince', ctx.get('If-Modified-Since')),
      });
      found.match(
        (document) => send(ctx, document),
        (failure) => refuse(ctx, failure.kind === 'not-found' ? 404 : 500),
      );
    });

const given = (name: string, value: string) => (value === '' ? {} : { [name]: value });

const statusOf = { whole: 200, part: 206, 'not-modified': 304, 'range-not-satisfiable': 416 } as const;

const send = (ctx: Context, document: DocumentAnswer): void => {
  const { headers } = document;
  ctx.status = statusOf[document.outcome];
  if ('content' in document) {
    ctx.body = Readable.from(document.content, { objectMode: false });
    ctx.type = 'application/pdf';
    ctx.length = Number(headers.contentLength);
  } else ctx.body = '';
  if (headers.etag !== undefined) ctx.set('ETag', headers.etag);
  if (headers.lastModified !== undefined) ctx.set('Last-Modified', headers.lastModified);
  if (headers.acceptRanges !== undefined) ctx.set('Accept-Ranges', headers.acceptRanges);
  if (headers.contentRange !== undefined) ctx.set('Content-Range', headers.contentRange);
};
