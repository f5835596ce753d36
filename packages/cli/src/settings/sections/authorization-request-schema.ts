import { maxAgePattern, protocolParameters } from '@portico/adapters-session/defaults';
import { z } from 'zod';
import { scopePattern } from '../setting-types.ts';

const scopeMessage = 'must be scopes separated by single spaces, one of them openid';

/** The scope of a sign-in with OpenID Connect. */
export const signInScope = z
  .string(scopeMessage)
  .refine((value) => scopePattern.test(value) && value.split(' ').includes('openid'), scopeMessage);

/** Additional parameters of the authorization request. `reservedMessage`: why one of the protocol is refused. */
export const authorizeParameters = (reservedMessage: string, description: string) =>
  z
    .record(z.string(), z.string('must be a string').describe('Value of this parameter'), 'must be an object')
    .superRefine((parameters, context) => {
      for (const name of Object.keys(parameters).filter((name) => protocolParameters.has(name)))
        context.addIssue({ code: 'custom', message: reservedMessage, path: [name] });
      if (!maxAgePattern.test(parameters['max_age'] ?? '0'))
        context.addIssue({ code: 'custom', message: 'must be a whole number of seconds', path: ['max_age'] });
    })
    .default({})
    .describe(description);
