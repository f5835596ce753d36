import { z } from 'zod';
import { nonEmptyString, section } from '../setting-types.ts';
import { authorizeParameters, signInScope } from './authorization-request-schema.ts';

const colorMessage = 'must be a colour such as #0b3c5d, or null';
const color = z
  .string(colorMessage)
  .regex(/^#[0-9a-f]{6}$/i, colorMessage)
  .nullable()
  .default(null);

const logoMessage = 'must be the path of a file in pages.directory, such as /logo.svg, or null';

/** A path of the same origin: the pages load no images from elsewhere. */
const logo = z
  .string(logoMessage)
  .regex(/^(?:\/[\w-][\w.-]*)+$/, logoMessage)
  .nullable()
  .default(null);

const brand = section({
  name: nonEmptyString('must be a name, or null')
    .max(60, 'must have at most 60 characters')
    .nullable()
    .default(null)
    .describe('Name of the portal; null: "Member portal" in the language of the member'),
  logo: logo.describe('Path of the logo in the header, for example /logo.svg in pages.directory; null: an icon'),
  headerColor: color.describe('Colour of the header, as #rrggbb; the text on it is black or white; null: dark blue'),
  accentColor: color.describe(
    'Colour of buttons, links and bars, as #rrggbb; links become darker or lighter until they can be read; null: blue',
  ),
});

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
  brand: brand.prefault({}).describe('How the insurer appears on the pages; public, because pages read it'),
});
