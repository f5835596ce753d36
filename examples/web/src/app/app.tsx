import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { createBrowserRouter, matchPath, RouterProvider } from 'react-router';
import { ServicesContext } from '../api/services.ts';
import { ConfigContext, type PageConfig } from '../config.ts';
import { ToastProvider } from '../design/toast.tsx';
import { BrokenPage } from './broken-page.tsx';
import { signOutPath } from '../session/return-path.ts';
import type { SessionComponent } from '../session/session.tsx';
import { loadPageTexts } from '../texts/texts.tsx';
import { areas, type PageRoute } from './areas.ts';
import { BrandContext } from '../brand/brand.ts';
import { Shell } from './shell.tsx';

/** A failed card shows its error and a button to try again: requests are not retried automatically. */
const queries = new QueryClient({
  defaultOptions: {
    // Offline, a request fails at once instead of pausing without a message.
    queries: { retry: false, staleTime: 30_000, refetchOnWindowFocus: false, networkMode: 'always' },
    mutations: { networkMode: 'always' },
  },
});

interface AppProps {
  readonly config: PageConfig;
  readonly session: SessionComponent;
}

export const App = ({ config, session: Session }: AppProps) => (
  <QueryClientProvider client={queries}>
    <ConfigContext value={config}>
      <BrandContext value={config.brand ?? {}}>
        <ToastProvider>
          <Session>
            <ServicesContext value={config.services}>
              <Pages />
            </ServicesContext>
          </Session>
        </ToastProvider>
      </BrandContext>
    </ConfigContext>
  </QueryClientProvider>
);

/**
 * The texts of the dashboard are loaded with those that every page needs. React Router shows no error of a lazy route, so the
 * page that offers a reload takes the place of one whose script is missing, as after a release.
 */
const loadPage = async ({ path, load }: PageRoute) => {
  const [Component] = await Promise.all([load(), path === '/' ? undefined : loadPageTexts()]).catch(() => [BrokenPage]);
  return { Component };
};

const notFound: PageRoute = {
  path: '*',
  load: async () => (await import('./not-found-page.tsx')).NotFoundPage,
};

const signOut: PageRoute = {
  path: signOutPath,
  load: async () => (await import('./sign-out-page.tsx')).SignOutPage,
};

const allPages = [...areas.flatMap(({ pages }) => pages), signOut, notFound];

const loadAllPages = (): void => {
  for (const page of allPages) void loadPage(page);
};

/** Loads the script of a page while it is not yet known whether the member is signed in. */
export const preloadPage = (pathname: string): void => {
  const page = allPages.find(({ path }) => matchPath(path, pathname));
  if (page) void loadPage(page);
};

const whenIdle = (callback: () => void): void => {
  // Safari has no `requestIdleCallback`.
  if ('requestIdleCallback' in window) window.requestIdleCallback(callback);
  else setTimeout(callback, 2000);
};

/**
 * Loads the scripts of the other pages when the first has its script and its data, so that they open at once, and also
 * offline. Earlier, they would delay the data: browsers open few connections to a host.
 */
const loadOtherPages = (isPageLoaded: () => boolean): (() => void) => {
  let isWaiting = true;
  const loadIfIdle = () => {
    if (!isWaiting || !isPageLoaded() || queries.isFetching() > 0) return;
    stop();
    loadAllPages();
  };
  const unsubscribe = queries.getQueryCache().subscribe(() => whenIdle(loadIfIdle));
  const stop = () => {
    isWaiting = false;
    unsubscribe();
  };
  return stop;
};

/** Created only after sign-in: until then the URL may be the identity provider's callback. */
const Pages = () => {
  const [router] = useState(() =>
    createBrowserRouter([
      {
        Component: Shell,
        ErrorBoundary: BrokenPage,
        // Until the script of the first page has arrived.
        HydrateFallback: Shell,
        children: allPages.map((page) => ({ path: page.path, ErrorBoundary: BrokenPage, lazy: () => loadPage(page) })),
      },
    ]),
  );
  useEffect(() => loadOtherPages(() => router.state.initialized), [router]);
  return <RouterProvider router={router} />;
};
