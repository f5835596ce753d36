import { randomUUID } from 'node:crypto';
import { serviceNames } from '@portico/core';
import { type JWTPayload } from 'jose';
import { type Provider, type ResourceServer, errors } from 'oidc-provider';

export const tokenExchangeGrant = 'urn:ietf:params:oauth:grant-type:token-exchange';
const accessTokenType = 'urn:ietf:params:oauth:token-type:access_token';

/** The services for which a token can be exchanged. Each accepts tokens with its name as the audience. */
const audiences: ReadonlySet<string> = new Set(serviceNames);

interface Parameters {
  readonly subject_token?: string;
  readonly subject_token_type?: string;
  readonly audience?: string;
}

/** Adds token exchange (RFC 8693) to the provider: a member's token becomes a token of the same member for one service. */
export const registerTokenExchange = (
  provider: Provider,
  resourceServer: Omit<ResourceServer, 'audience' | 'scopes' | 'identifier'>,
  verify: (token: string) => Promise<JWTPayload>,
): void =>
  provider.registerGrantType<Parameters>(
    tokenExchangeGrant,
    async (ctx) => {
      const { client, params } = ctx.oidc;
      const { subject_token: subjectToken, subject_token_type: type, audience = '' } = params;
      if (!subjectToken || type !== accessTokenType)
        throw new errors.InvalidRequest('subject_token must be an access token');
      if (!audiences.has(audience)) throw new errors.InvalidTarget('audience must be a service');
      const subject = await verify(subjectToken).catch(() => {
        throw new errors.InvalidGrant('the subject token is not valid');
      });
      const accountId = subject.sub ?? '';
      const token = new provider.AccessToken({ client, accountId, gty: 'token_exchange', grantId: randomUUID() });
      token.resourceServer = new provider.ResourceServer(`urn:portico:${audience}`, { ...resourceServer, audience });
      ctx.body = {
        access_token: await token.save(),
        issued_token_type: accessTokenType,
        expires_in: token.expiration,
        token_type: token.tokenType,
      };
    },
    ['subject_token', 'subject_token_type', 'audience'],
  );
