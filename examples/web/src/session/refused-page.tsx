import { Masthead } from '../app/masthead.tsx';
import { Button } from '../design/button.tsx';
import { Notice } from '../design/notice.tsx';
import { Reference } from '../errors/error-text.tsx';
import { useTexts } from '../texts/texts.tsx';
import './session.css';

interface RefusedPageProps {
  readonly reference: string | undefined;
  readonly signOut: () => void;
}

/** Shown when the server does not accept a session that has just begun: another sign-in would not help. */
export const RefusedPage = ({ reference, signOut }: RefusedPageProps) => {
  const { session, errors } = useTexts();
  return (
    <>
      <Masthead />
      <main className="sign-in">
        <div className="card">
          <h1>{errors.summary}</h1>
          <Notice tone="bad" role="alert">
            <p>{session.notAccepted}</p>
            <Reference id={reference} />
          </Notice>
          <Button onClick={signOut}>{session.signOut}</Button>
        </div>
      </main>
    </>
  );
};
