import { type ReactNode, useId } from 'react';
import { useTexts } from '../../texts/texts.tsx';
import './switch.css';

interface SwitchProps {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly checked: boolean;
  readonly isDisabled?: boolean;
  readonly onChange: (checked: boolean) => void;
}

/** A setting that is on or off. */
export const Switch = ({ label, hint, checked, isDisabled = false, onChange }: SwitchProps) => {
  const id = useId();
  const texts = useTexts().controls;
  return (
    <div className="switch">
      <label htmlFor={id}>{label}</label>
      {hint === undefined ? null : (
        <span id={`${id}-hint`} className="fine">
          {hint}
        </span>
      )}
      {/* In words, too; screen readers get the state from the switch. */}
      <span className="state" aria-hidden="true">
        {checked ? texts.on : texts.off}
      </span>
      <input
        id={id}
        type="checkbox"
        role="switch"
        checked={checked}
        disabled={isDisabled}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onChange={(event) => onChange(event.target.checked)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          // Enter would submit the form.
          event.preventDefault();
          onChange(!checked);
        }}
      />
    </div>
  );
};
