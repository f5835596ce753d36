import type { IncomingMessage } from 'node:http';
import type { Context, Next } from 'koa';
import { type Provider, errors } from 'oidc-provider';

/** Serves `/sign-in/:uid`, where the provider redirects a browser that is not signed in. */
export const signInPage =
  (provider: Provider, accepts: (username: string, password: string) => boolean, accounts: readonly SampleAccount[]) =>
  async (ctx: Context, next: Next): Promise<void> => {
    if (!ctx.path.startsWith('/sign-in/')) return next();
    ctx.set('Cache-Control', 'no-store');
    const pending = await provider.interactionDetails(ctx.req, ctx.res).catch(() => undefined);
    if (ctx.path !== `/sign-in/${pending?.uid}`) {
      ctx.status = 400;
      return errorPage(ctx, {
        error: 'invalid_request',
        error_description: 'This sign-in has expired. Start again from the application.',
      });
    }

    // A client may request consent; the sandbox always grants it.
    if (pending?.prompt.name === 'consent') return finish(ctx, provider, { consent: {} });
    if (ctx.method !== 'POST') return render(ctx, signInForm(accounts));

    const form = await formOf(ctx.req);
    const username = form.get('username') ?? '';
    if (accepts(username, form.get('password') ?? '')) {
      return finish(ctx, provider, { login: { accountId: username } });
    }
    render(ctx, signInForm(accounts, username, 'Invalid username or password.'), 401);
  };

/** The provider's form has no button: this page adds one. */
export const signOutPage = (ctx: Context, form: string): void =>
  render(ctx, {
    title: 'Sign out',
    body: `${form}<button type="submit" form="op.logoutForm" name="logout" value="yes" autofocus>Sign out</button>`,
  });

export const signedOutPage = (ctx: Context): void =>
  render(ctx, { title: 'Signed out', body: '<p>You are signed out. You can close this page.</p>' });

/** The provider's forms for device codes (RFC 8628) have no button: these pages add one. */
export const deviceCodePage = (ctx: Context, form: string): void =>
  render(ctx, {
    title: 'Enter the code',
    body: `${form}<button type="submit" form="op.deviceInputForm">Continue</button>`,
  });

export const deviceConfirmPage = (
  ctx: Context,
  form: string,
  _client: unknown,
  _device: unknown,
  userCode: string,
): void =>
  render(ctx, {
    title: 'Confirm the code',
    body: `<p>Does your terminal show <code>${escape(userCode)}</code>?</p>${form}<button type="submit" form="op.deviceConfirmForm" autofocus>Continue</button>`,
  });

export const deviceSignedInPage = (ctx: Context): void =>
  render(ctx, { title: 'Signed in', body: '<p>You are signed in. You can close this page.</p>' });

export const errorPage = (
  ctx: Context,
  { error, error_description: description = '' }: { error: string; error_description?: string | undefined },
): void =>
  render(
    ctx,
    { title: 'Sign-in failed', body: `<p><code>${escape(error)}</code> ${escape(description)}</p>` },
    ctx.status,
  );

interface Page {
  readonly title: string;
  /** Renders HTML; escape everything that comes from a request before. */
  readonly body: string;
}

interface SampleAccount {
  readonly username: string;
  readonly password: string;
}

const signInForm = (accounts: readonly SampleAccount[], username = '', problem?: string): Page => ({
  title: 'Sign in',
  body: `
  ${problem === undefined ? '' : `<p id="problem" role="alert">${escape(problem)}</p>`}
  <form method="post"${problem === undefined ? '' : ' aria-describedby="problem"'}>
    <p><label for="username">Username</label>
    <input id="username" name="username" value="${escape(username)}" autocomplete="username" autocapitalize="none" required></p>
    <p><label for="password">Password</label>
    <input id="password" name="password" type="password" autocomplete="current-password" required></p>
    <button type="submit">Sign in</button>
  </form>
  <p>Sample accounts of this sandbox:</p>
  <ul>${accounts.map(({ username: name, password }) => `<li><code>${escape(name)}</code> / <code>${escape(password)}</code></li>`).join('')}</ul>`,
});

const render = (ctx: Context, { title, body }: Page, status = 200): void => {
  ctx.status = status;
  ctx.type = 'html';
  // No form-action: browsers apply it to the redirect after the form, which leads to the client.
  ctx.set('Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'");
  ctx.body = `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>${title} · Portico sandbox</title>
  <style>
    :root { color-scheme: light dark }
    body { font: 1rem/1.5 system-ui, sans-serif; max-width: 20rem; margin: 12vh auto; padding: 0 1rem }
    label, input, button { display: block; width: 100%; box-sizing: border-box; font: inherit }
    input, button { padding: .5rem }
    [role=alert] { color: light-dark(#a40000, #ff9c9c) }
  </style>
</head>
<body>
<main>
  <h1>${title}</h1>
  ${body}
</main>
</body>
</html>`;
};

const finish = async (
  ctx: Context,
  provider: Provider,
  result: Parameters<Provider['interactionResult']>[2],
): Promise<void> => {
  ctx.redirect(await provider.interactionResult(ctx.req, ctx.res, result));
  ctx.status = 303;
};

const formOf = async (request: IncomingMessage, limitBytes = 8192): Promise<URLSearchParams> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > limitBytes) throw new errors.InvalidRequest('the form data is too large', 413);
    chunks.push(chunk);
  }
  return new URLSearchParams(Buffer.concat(chunks).toString('utf8'));
};

const escape = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
