import { useEffect, useState } from 'react';
import { Button } from '../../design/button.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { useWording } from '../../texts/texts.tsx';
import { startExpiryTimers } from './expiry-timers.ts';

interface ExpiryDialogProps {
  /** When the session ends, in milliseconds of this browser's clock. */
  readonly endsAt: number;
  readonly check: () => Promise<unknown>;
  readonly extend: () => Promise<void>;
}

/**
 * Announces the end of the session two minutes before, or later in a short session, if it has not been extended since it was
 * read: each request of the member extends it, also from another tab. It closes when the session is extended.
 */
export const ExpiryDialog = ({ endsAt, check, extend }: ExpiryDialogProps) => {
  const { texts, locale } = useWording();
  const { session } = texts;
  // The end that was announced, and the end whose dialog the member closed. An end that cannot be extended is announced
  // only once.
  const [announced, setAnnounced] = useState<number>();
  const [seen, setSeen] = useState<number>();
  useEffect(() => {
    const announce = () => void check().then(() => setAnnounced(endsAt));
    return startExpiryTimers(endsAt, announce, () => void check());
  }, [endsAt, check]);
  const close = () => setSeen(endsAt);
  const time = new Intl.DateTimeFormat(locale, { timeStyle: 'short' }).format(endsAt);
  return (
    <Dialog
      isOpen={announced === endsAt && seen !== endsAt}
      title={session.endsSoon.title}
      onCancel={close}
      actions={
        <>
          <Button onClick={() => void extend()}>{session.endsSoon.stay}</Button>
          <Button look="quiet" onClick={close}>
            {texts.app.close}
          </Button>
        </>
      }
    >
      <p>{session.endsSoon.body(time)}</p>
    </Dialog>
  );
};
