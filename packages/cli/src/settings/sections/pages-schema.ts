import { nonEmptyString, section } from '../setting-types.ts';
import { authorizeParameters, signInScope } from './authorization-request-schema.ts';

export const pages = section({
  directory: nonEmptyString('must be a directory, or null')
    .nullable()
    .default(null)
    .describe(
      'Directory of the built pages to serve at /, relative to the working directory, read once at startup; null: no pages',
    ),
  clientId: nonEmptyString('must be a string').default('portico-web').describe('OAuth client id of the pages'),
  scope: signInScope.default('openid profile email').describe('Scopes that the pages request at sign-in'),
  authorizeParameters: authorizeParameters(
    'must not be set here: the pages send it themselves',
    'More query parameters of the authorization request, such as audience; public, because pages read them',
  ),
});
