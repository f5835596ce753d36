/* oxlint-disable react/no-children-prop -- children are required, and tests are not JSX */
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createCaller } from '../../api/client.ts';
import { CallerContext } from '../../api/context.ts';
import { storageOf } from '../../session/storage.test.support.ts';
import { useSubmit } from './use-submit.ts';

let replies: (Response | Error)[];
let keys: (string | null)[];

beforeEach(() => {
  [replies, keys] = [[], []];
  vi.stubGlobal('window', { location: { origin: 'http://127.0.0.1' }, sessionStorage: storageOf() });
  vi.stubGlobal('fetch', async (_url: string, { headers }: RequestInit) => {
    keys.push(new Headers(headers).get('Idempotency-Key'));
    const reply = replies.shift()!;
    if (reply instanceof Error) throw reply;
    return reply;
  });
});
afterEach(() => void vi.unstubAllGlobals());

type Submit = ReturnType<typeof useSubmit>['mutateAsync'];

const Form = ({ onRendered }: { readonly onRendered: (submit: Submit) => void }) => {
  onRendered(useSubmit().mutateAsync);
  return null;
};

/** Submits a claim as the form does. */
const submitOnPage = (): Submit => {
  const rendered: Submit[] = [];
  const form = createElement(Form, { onRendered: (submit) => void rendered.push(submit) });
  const session = createElement(CallerContext, {
    value: createCaller('', { session: true }, () => {}),
    children: form,
  });
  renderToStaticMarkup(createElement(QueryClientProvider, { client: new QueryClient(), children: session }));
  return rendered[0]!;
};

it('a claim whose response was lost keeps its key after another claim was filed', async () => {
  const submit = submitOnPage();
  const [lost, other] = [{ billedAmount: 84.5 }, { billedAmount: 20 }];
  replies = [new TypeError('lost'), ...Array.from({ length: 3 }, () => Response.json({}, { status: 201 }))];
  await expect(submit(lost)).rejects.toThrow();
  await submit(other);
  await submit(lost);
  await submit(lost);
  expect(keys.map((key) => keys.indexOf(key))).toEqual([0, 1, 0, 3]);
});

const refused = () => Response.json({ code: 'rate-limited' }, { status: 429 });

it('the outcome of a claim is known when its first attempt is refused', async () => {
  replies = [refused()];
  await expect(submitOnPage()({ billedAmount: 84.5 })).rejects.toMatchObject({ isOutcomeUnknown: false });
});

it('the outcome of a claim whose response was lost stays unknown when the next attempt is refused', async () => {
  const submit = submitOnPage();
  replies = [new TypeError('lost'), refused()];
  for (const _ of replies.slice())
    await expect(submit({ billedAmount: 84.5 })).rejects.toMatchObject({ isOutcomeUnknown: true });
});
