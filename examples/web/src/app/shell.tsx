import { Outlet, ScrollRestoration, useNavigate } from 'react-router';
import { Button } from '../design/button.tsx';
import { Icon } from '../design/icon.tsx';
import { OfflineNotice } from './offline-notice.tsx';
import { Bell } from '../notifications/bell.tsx';
import { signOutPath } from '../session/return-path.ts';
import { useSession } from '../session/session-state.ts';
import { useTexts } from '../texts/texts.tsx';
import { LanguageChoice } from '../frame/language-choice.tsx';
import { Masthead } from '../frame/masthead.tsx';
import { Navigation, useAreas } from './navigation.tsx';
import { PageLink, PagePathsContext } from '../frame/page-link.tsx';
import './shell.css';

/** What all pages have in common. */
export const Shell = () => {
  const navigate = useNavigate();
  const { name } = useSession();
  const { app, session } = useTexts();
  const paths = useAreas().flatMap(({ pages }) => pages.map(({ path }) => path));
  return (
    <PagePathsContext value={paths}>
      <a className="skip" href="#content">
        {app.skip}
      </a>
      <Masthead>
        {name === undefined ? null : (
          <span className="who">
            <span className="visually-hidden">{app.signedInAs('')}</span>
            {name}
          </span>
        )}
        <PageLink page="/notifications" className="bell">
          <Bell />
        </PageLink>
        {/* A page, so that the guard for unsaved changes applies; it replaces the history entry, so that Back skips it. */}
        <Button look="quiet" onClick={() => void navigate(signOutPath, { replace: true })}>
          <Icon icon="signOut" />
          <span className="sign-out-label">{session.signOut}</span>
        </Button>
      </Masthead>
      <Navigation />
      <main id="content" tabIndex={-1}>
        <OfflineNotice />
        <Outlet />
      </main>
      <footer>
        <p className="fine">{app.privacy}</p>
        <LanguageChoice />
      </footer>
      <ScrollRestoration />
    </PagePathsContext>
  );
};
