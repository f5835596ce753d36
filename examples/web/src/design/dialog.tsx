import { type ReactNode, useEffect, useId, useRef } from 'react';
import './dialog.css';

interface DialogProps {
  readonly isOpen: boolean;
  readonly title: string;
  /** Called when the member closes it with Escape. */
  readonly onCancel: () => void;
  readonly children: ReactNode;
  readonly actions: ReactNode;
}

/** A modal dialog: the rest of the page cannot be used while it is open. */
export const Dialog = ({ isOpen, title, onCancel, children, actions }: DialogProps) => {
  const element = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    if (isOpen) element.current?.showModal();
    else element.current?.close();
  }, [isOpen]);
  return (
    <dialog
      ref={element}
      aria-labelledby={heading}
      onCancel={(event) => {
        // Only `isOpen` closes it.
        event.preventDefault();
        onCancel();
      }}
    >
      <h2 id={heading}>{title}</h2>
      {children}
      <div className="actions">{actions}</div>
    </dialog>
  );
};
