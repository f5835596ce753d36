import { type ReactNode, useId } from 'react';

interface SwitchProps {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly checked: boolean;
  readonly isDisabled?: boolean;
  readonly onChange: (checked: boolean) => void;
}

export const Switch = ({ label, hint, checked, isDisabled = false, onChange }: SwitchProps) => {
  const id = useId();
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
        {checked ? 'On' : 'Off'}
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
