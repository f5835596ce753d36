import { createContext, type ReactNode, use, useCallback, useState } from 'react';
import { useTexts } from '../texts/texts.tsx';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';
import './toast.css';

const ToastContext = createContext<(text: string) => void>(() => {});

/** Shows a short message at the edge of the window, which screen readers read out, until it is closed or replaced. */
export const useToast = (): ((text: string) => void) => use(ToastContext);

export const ToastProvider = ({ children }: { readonly children: ReactNode }) => {
  const { app } = useTexts();
  const [text, setText] = useState('');
  const close = useCallback(() => setText(''), []);
  return (
    <ToastContext value={setText}>
      {children}
      <div className="toasts">
        {/* Always there: screen readers announce only changes of a region that they know. */}
        <output>
          {text === '' ? null : (
            <span className="toast">
              <Icon name="success" />
              <span>{text}</span>
              <Button look="plain" onClick={close} aria-label={app.close}>
                <Icon name="close" />
              </Button>
            </span>
          )}
        </output>
      </div>
    </ToastContext>
  );
};
