import { useEffect, useState } from 'react';
import { NavigationType, useLocation, useNavigationType } from 'react-router';
import { Button } from '../design/button.tsx';
import { Notice } from '../design/notice.tsx';
import { PageHeading } from '../design/page-heading.tsx';
import { useSession } from '../session/session-state.ts';
import { useTexts } from '../texts/texts.tsx';

/** Signs out. Opened in another way than by the button, such as by a link on another site, it asks first. */
export const SignOutPage = () => {
  const { signOut } = useSession();
  const { session, errors } = useTexts();
  const isAsked = useNavigationType() === NavigationType.Replace;
  // The button in the header opens this page again.
  const { key } = useLocation();
  const [clicks, setClicks] = useState(0);
  const attempt = isAsked || clicks > 0 ? `${key} ${clicks}` : undefined;
  const [failedAttempt, setFailedAttempt] = useState<string>();
  useEffect(() => {
    if (attempt !== undefined) signOut().catch(() => setFailedAttempt(attempt));
  }, [signOut, attempt]);
  const heading = <PageHeading title={session.signOut} />;
  if (attempt === undefined)
    return (
      <>
        {heading}
        <div className="actions">
          <Button onClick={() => setClicks(1)}>{session.signOut}</Button>
        </div>
      </>
    );
  if (failedAttempt !== attempt)
    return (
      <>
        {heading}
        <p>{session.signingOut}</p>
      </>
    );
  return (
    <>
      {heading}
      <Notice tone="bad" role="alert">
        <p>{session.signOutFailed}</p>
      </Notice>
      <div className="actions">
        <Button onClick={() => setClicks(clicks + 1)}>{errors.tryAgain}</Button>
      </div>
    </>
  );
};
