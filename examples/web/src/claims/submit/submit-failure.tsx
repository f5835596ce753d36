import { Button } from '../../design/button.tsx';
import { Notice } from '../../design/notice.tsx';
import { ErrorText } from '../../errors/error-text.tsx';
import { useSession } from '../../session/session-state.ts';
import { useTexts } from '../../texts/texts.tsx';
import { SubmitFailed } from './use-submit.ts';

/** What happened to a claim that could not be submitted, and what to do. */
export const SubmitFailure = ({ error }: { readonly error: Error }) => {
  const { claims, session } = useTexts();
  const { hasEnded, signIn } = useSession();
  const texts = claims.submit.failed;
  if (hasEnded)
    return (
      <Notice tone="warn" role="alert">
        <p>{texts.ended}</p>
        <div className="actions">
          <Button look="quiet" onClick={signIn}>
            {session.signInAgain}
          </Button>
        </div>
      </Notice>
    );
  const isUnknown = !(error instanceof SubmitFailed) || error.isOutcomeUnknown;
  return (
    <Notice tone="bad" role="alert">
      <strong>{isUnknown ? texts.unknownTitle : texts.title}</strong>
      <p>{isUnknown ? texts.unknown : texts.later}</p>
      <p>
        <ErrorText error={error.cause} />
      </p>
    </Notice>
  );
};
