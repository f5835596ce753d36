import { createContext, type MouseEvent, type ReactNode, use, useCallback, useEffect, useState } from 'react';
import { useTexts } from '../texts/texts.tsx';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';
import './toast.css';

const ToastContext = createContext<(text: string) => void>(() => {});

interface Toast {
  readonly text: string;
  /** What had the focus when it was shown. */
  readonly origin: Element | null;
}

/**
 * Shows a short message at the edge of the window, which screen readers read out, until it is closed or replaced; an empty
 * one closes it.
 */
export const useToast = (): ((text: string) => void) => use(ToastContext);

export const ToastProvider = ({ children }: { readonly children: ReactNode }) => {
  const { app } = useTexts();
  const [{ text, origin }, setToast] = useState<Toast>({ text: '', origin: null });
  const show = useCallback((shown: string) => setToast({ text: shown, origin: document.activeElement }), []);
  const close = useCallback(() => setToast({ text: '', origin: null }), []);
  useEffect(() => {
    if (text === '') return undefined;
    // It may cover what has the focus.
    const onKey = ({ key }: KeyboardEvent) => {
      if (key === 'Escape') close();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [text, close]);
  const onClose = (event: MouseEvent) => {
    // By keyboard: the button disappears with its focus.
    if (event.detail === 0 && origin instanceof HTMLElement) origin.focus();
    close();
  };
  return (
    <ToastContext value={show}>
      {children}
      <div className="toasts">
        {/* Always there: screen readers announce only changes of a region that they know. */}
        <output>
          {text === '' ? null : (
            <span className="toast">
              <Icon icon="success" />
              <span>{text}</span>
              <Button look="plain" onClick={onClose} aria-label={app.close}>
                <Icon icon="close" />
              </Button>
            </span>
          )}
        </output>
      </div>
    </ToastContext>
  );
};
