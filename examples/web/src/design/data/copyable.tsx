import { useRef } from 'react';
import { missing } from '../../texts/format.ts';
import { useTexts } from '../../texts/texts.tsx';
import { Button } from '../button.tsx';
import { Icon } from '../icon.tsx';
import { useToast } from '../toast.tsx';
import { pageIconPaths } from './page-icon-paths.ts';
import './copyable.css';

interface CopyableProps {
  readonly label: string;
  readonly value: string | undefined;
}

/** A number in large type with a button that copies it, within a `dl` of the class `copyables`. */
export const Copyable = ({ label, value }: CopyableProps) => {
  const texts = useTexts().controls;
  const showToast = useToast();
  const shown = useRef<HTMLSpanElement>(null);
  const copy = async (text: string) => {
    try {
      await navigator.clipboard.writeText(text);
      showToast(texts.copied(label));
    } catch {
      // Some browsers block it: the member copies the selection.
      if (shown.current) window.getSelection()?.selectAllChildren(shown.current);
    }
  };
  return (
    <div className="copyable">
      <dt>{label}</dt>
      <dd>
        <span ref={shown} className="mono">
          {value ?? missing}
        </span>
        {value ? (
          <Button look="plain" onClick={() => void copy(value)}>
            <Icon icon={pageIconPaths.copy} />
            <span>
              {texts.copy}
              <span className="visually-hidden">: {label}</span>
            </span>
          </Button>
        ) : null}
      </dd>
    </div>
  );
};
