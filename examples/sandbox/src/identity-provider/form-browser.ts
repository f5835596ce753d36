import type { SandboxUser } from './configuration.ts';

export interface FormBrowser {
  /** The cookies of one host, as a `Cookie` header sends them. */
  cookies(hostname: string): ReadonlyMap<string, string>;
  /** Sends one request with the cookies of its host, and keeps those of the response. Redirects are not followed. */
  request(url: string, init?: RequestInit): Promise<Response>;
  /** Follows redirects to the last page. */
  visit(url: string, init?: FormRequest): Promise<Page>;
  /** Visits a URL that leads to the sign-in page of the sandbox, and signs in there. */
  signIn(url: string, user: Pick<SandboxUser, 'username' | 'password'>): Promise<Page>;
  /** Visits the sign-out page of the sandbox, and confirms. */
  signOut(url: string): Promise<Page>;
}

type FormRequest = Pick<RequestInit, 'method' | 'body'>;

interface Page {
  readonly url: string;
  readonly status: number;
  readonly text: string;
}

/** A browser without scripts, for tests: it keeps cookies by host, follows redirects and submits forms. */
export const formBrowser = (
  fetch: (url: string, init: RequestInit) => Promise<Response> = globalThis.fetch,
): FormBrowser => {
  const jars = new Map<string, Map<string, string>>();
  const jarOf = (hostname: string) => {
    const jar = jars.get(hostname) ?? new Map<string, string>();
    jars.set(hostname, jar);
    return jar;
  };

  const request = async (url: string, init: RequestInit = {}): Promise<Response> => {
    const jar = jarOf(new URL(url).hostname);
    const headers = new Headers(init.headers);
    if (jar.size > 0) headers.set('cookie', [...jar].map((pair) => pair.join('=')).join('; '));
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const cookie of response.headers.getSetCookie()) keep(jar, cookie);
    return response;
  };

  const visit = async (url: string, init: FormRequest = {}): Promise<Page> => {
    const response = await request(url, { ...init, headers: { accept: 'text/html' } });
    const text = await response.text();
    const location = response.headers.get('location');
    return location === null ? { url, status: response.status, text } : visit(new URL(location, url).href);
  };

  const submit = (url: string, fields: Readonly<Record<string, string>>) =>
    visit(url, { method: 'POST', body: new URLSearchParams(fields) });

  return {
    cookies: jarOf,
    request,
    visit,
    signIn: async (url, { username, password }) => submit((await visit(url)).url, { username, password }),
    signOut: async (url) => {
      const page = await visit(url);
      return submit(valueIn(page.text, 'action'), { xsrf: valueIn(page.text, 'value'), logout: 'yes' });
    },
  };
};

const keep = (jar: Map<string, string>, cookie: string): void => {
  const [, name = '', value = ''] = /^([^=]*)=([^;]*)/.exec(cookie) ?? [];
  const expired = /;\s*max-age=0/i.test(cookie) || /;\s*expires=thu, 01 jan 1970/i.test(cookie);
  if (expired) jar.delete(name);
  else jar.set(name, value);
};

const valueIn = (html: string, attribute: string): string =>
  new RegExp(`${attribute}="([^"]+)"`).exec(html.slice(html.indexOf('<form')))?.[1] ?? '';
