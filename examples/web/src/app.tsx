import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useAuth } from 'react-oidc-context';
import { createBrowserRouter, NavLink, Outlet, RouterProvider, ScrollRestoration, useNavigate } from 'react-router';
import { ServicesContext } from './api/services.ts';
import { Account } from './account/account.tsx';
import type { PageConfig } from './config.ts';
import { Dashboard } from './dashboard/dashboard.tsx';
import { SearchPage } from './search/search-page.tsx';
import { Session } from './session/session.tsx';
import { useSignOut } from './session/sign-out.ts';
import { BrokenPage } from './ui/broken-page.tsx';
import { Button } from './ui/button.tsx';
import { OfflineNotice } from './ui/offline-notice.tsx';
import { usePageHeading } from './ui/page-heading.ts';

/** A failed card shows its error and a button to try again: requests are not retried automatically. */
const queries = new QueryClient({
  defaultOptions: {
    // Offline, a request fails at once instead of pausing without a message.
    queries: { retry: false, staleTime: 30_000, refetchOnWindowFocus: false, networkMode: 'always' },
    mutations: { networkMode: 'always' },
  },
});

export const App = ({ config }: { readonly config: PageConfig }) => (
  <QueryClientProvider client={queries}>
    <Session config={config}>
      <ServicesContext value={config.services}>
        <Pages personas={config.personas} />
      </ServicesContext>
    </Session>
  </QueryClientProvider>
);

/** Created only after sign-in: until then the URL is the identity provider's callback. */
const Pages = ({ personas }: Pick<PageConfig, 'personas'>) => {
  const [router] = useState(() =>
    createBrowserRouter([
      {
        Component: Shell,
        ErrorBoundary: BrokenPage,
        children: [
          { path: '/', Component: Dashboard, ErrorBoundary: BrokenPage },
          { path: '/account', Component: Account, ErrorBoundary: BrokenPage },
          { path: '/search', element: <SearchPage personas={personas} />, ErrorBoundary: BrokenPage },
          { path: '/sign-out', Component: SignOut, ErrorBoundary: BrokenPage },
          { path: '*', Component: NoSuchPage },
        ],
      },
    ]),
  );
  return <RouterProvider router={router} />;
};

function Shell() {
  const navigate = useNavigate();
  const { user } = useAuth();
  return (
    <>
      <a className="skip" href="#content">
        Skip to content
      </a>
      <header>
        <span className="brand">Member portal</span>
        <nav aria-label="Pages">
          <NavLink to="/" end>
            Dashboard
          </NavLink>
          <NavLink to="/account">Account</NavLink>
          <NavLink to="/search">Search</NavLink>
        </nav>
        <span className="who">{user?.profile.name}</span>
        {/* A page, so that the guard for unsaved changes applies; it replaces the history entry, so that Back skips it. */}
        <Button look="quiet" onClick={() => void navigate('/sign-out', { replace: true })}>
          Sign out
        </Button>
      </header>
      <main id="content" tabIndex={-1}>
        <OfflineNotice />
        <Outlet />
      </main>
      <ScrollRestoration />
    </>
  );
}

function SignOut() {
  const signOut = useSignOut();
  useEffect(signOut, [signOut]);
  return <p className="notice">Signing out …</p>;
}

function NoSuchPage() {
  const heading = usePageHeading('Page not found');
  return (
    <h1 ref={heading} tabIndex={-1}>
      Page not found
    </h1>
  );
}
