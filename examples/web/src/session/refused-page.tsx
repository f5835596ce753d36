import { Button } from '../ui/button.tsx';
import { Reference } from '../ui/error-text.tsx';
import { useSignOut } from './sign-out.ts';

/** Shown when the server refuses a token that was just issued: another sign-in would not help. */
export const RefusedPage = ({ reference }: { readonly reference: string | undefined }) => {
  const signOut = useSignOut();
  return (
    <main className="sign-in">
      <h1>Member portal</h1>
      <div role="alert" className="error">
        <p>You are signed in, but this service does not accept your sign-in.</p>
        <Reference id={reference} />
      </div>
      <Button onClick={signOut}>Sign out</Button>
    </main>
  );
};
