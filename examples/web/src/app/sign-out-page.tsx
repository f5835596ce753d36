import { useEffect, useState } from 'react';
import { NavigationType, useNavigationType } from 'react-router';
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
  const [clicks, setClicks] = useState(0);
  const attempt = clicks + (isAsked ? 1 : 0);
  const [failedAttempt, setFailedAttempt] = useState(0);
  useEffect(() => {
    if (attempt > 0) signOut().catch(() => setFailedAttempt(attempt));
  }, [signOut, attempt]);
  const heading = <PageHeading title={session.signOut} />;
  if (attempt === 0)
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
