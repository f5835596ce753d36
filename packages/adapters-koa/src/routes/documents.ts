import { documentsOperations } from '../openapi/operations/documents.openapi.ts';
import { documentsSchemas } from '../openapi/schemas/documents.schemas.ts';
import { disconnectSignal } from '../request/disconnect-signal.ts';
import { conditionsOf, sendDocument } from '../response/send-document.ts';
import { sendFailure } from '../response/problem.ts';
import { readRoute } from '../routing/read-route.ts';
import type { MemberRoutes } from '../routing/route.ts';

export const documentsRoutes: MemberRoutes = {
  service: 'documents',
  schemas: documentsSchemas,
  routes: [
    readRoute('/me/documents', documentsOperations.listDocuments, ({ listDocuments }) => listDocuments),
    {
      method: 'GET',
      path: '/me/documents/{locator}',
      operation: documentsOperations.getDocument,
      handle:
        ({ getDocument }) =>
        async (ctx) => {
          const locator = ctx.params['locator'] ?? '';
          const document = await getDocument(ctx.state.member, locator, conditionsOf(ctx), disconnectSignal(ctx));
          document.match(
            // A locator is safe in a header and, without colons, in a file name.
            (response) => sendDocument(ctx, response, 'application/pdf', locator.replaceAll(':', '-')),
            (failure) => sendFailure(ctx, failure),
          );
        },
    },
  ],
};
