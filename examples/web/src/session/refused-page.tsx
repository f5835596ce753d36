import { useState } from 'react';
import { Button } from '../design/button.tsx';
import { Reference } from '../errors/error-text.tsx';
import { useTexts } from '../texts/texts.tsx';
import { ProblemPage } from './problem-page.tsx';

interface RefusedPageProps {
  readonly reference: string | undefined;
  /** Rejects if the member is still signed in. */
  readonly signOut: () => Promise<void>;
}

/** Shown when the server does not accept a session that has just begun: another sign-in would not help. */
export const RefusedPage = ({ reference, signOut }: RefusedPageProps) => {
  const { session } = useTexts();
  const [hasFailed, setHasFailed] = useState(false);
  const onClick = () => void signOut().catch(() => setHasFailed(true));
  return (
    <ProblemPage action={<Button onClick={onClick}>{session.signOut}</Button>}>
      <p>{session.notAccepted}</p>
      <Reference id={reference} />
      {hasFailed ? <p>{session.signOutFailed}</p> : null}
    </ProblemPage>
  );
};
