import { useBrandName } from '../brand/brand.ts';
import { Button } from '../design/button.tsx';
import { Notice } from '../design/notice.tsx';
import { useTitle } from '../design/page-heading.tsx';
import { Masthead } from '../frame/masthead.tsx';
import { LanguageChoice } from '../frame/language-choice.tsx';
import { useTexts } from '../texts/texts.tsx';
import './session.css';

interface SignInPageProps {
  readonly signIn: () => void;
  /** Why the member has to sign in (again). */
  readonly notice?: string | undefined;
}

export const SignInPage = ({ signIn, notice }: SignInPageProps) => {
  const { session } = useTexts();
  const name = useBrandName();
  // In place of the title of a page, which may have the number of a claim.
  useTitle(session.signIn);
  return (
    <>
      <Masthead />
      <main className="sign-in">
        <div className="card">
          <h1>{name}</h1>
          <p className="lead">{session.welcome}</p>
          {notice === undefined ? null : (
            <Notice tone="warn" role="alert">
              <p>{notice}</p>
            </Notice>
          )}
          <Button onClick={signIn}>{session.signIn}</Button>
        </div>
        <LanguageChoice />
      </main>
    </>
  );
};

/** Shown for the short time until it is known whether the member is signed in. */
export const SigningIn = () => {
  const { session } = useTexts();
  const name = useBrandName();
  return (
    <>
      <Masthead />
      <main>
        <h1 className="visually-hidden">{name}</h1>
        <p className="fine">{session.signingIn}</p>
      </main>
    </>
  );
};
