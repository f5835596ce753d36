import { type ComponentProps, type ReactNode, useId } from 'react';
import './field.css';

/** The id of the control with this name, for links of the error summary. */
export const controlId = (name: string): string => `field-${name}`;

interface LabelledProps {
  readonly label: string;
  readonly hint?: ReactNode;
  /** What is wrong with the value, and how to correct it. */
  readonly error?: string | undefined;
}

interface ControlProps {
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': true | undefined;
}

interface LabelledControlProps extends LabelledProps {
  readonly id: string;
  readonly className?: string;
  readonly children: (props: ControlProps) => ReactNode;
}

const LabelledControl = ({ id, label, hint, error, className = '', children }: LabelledControlProps) => {
  const describedBy = [hint === undefined ? '' : `${id}-hint`, error === undefined ? '' : `${id}-error`];
  return (
    <div className={`field ${error === undefined ? '' : 'invalid'} ${className}`.trim()}>
      <label htmlFor={id}>{label}</label>
      {hint === undefined ? null : (
        <span id={`${id}-hint`} className="fine">
          {hint}
        </span>
      )}
      {error === undefined ? null : (
        <span id={`${id}-error`} className="error">
          {error}
        </span>
      )}
      {children({
        'aria-describedby': describedBy.filter(Boolean).join(' ') || undefined,
        'aria-invalid': error === undefined ? undefined : true,
      })}
    </div>
  );
};

type FieldProps = LabelledProps &
  Omit<ComponentProps<'input'>, 'id' | 'className'> & { readonly className?: string | undefined };

/** An input with its label, a hint and the error of its value (GOV.UK Design System, "Text input"). */
export const Field = ({ label, hint, error, className, ...input }: FieldProps) => {
  const own = useId();
  const id = input.name === undefined ? own : controlId(input.name);
  return (
    <LabelledControl id={id} label={label} hint={hint} error={error} {...(className && { className })}>
      {(props) => <input id={id} {...input} {...props} />}
    </LabelledControl>
  );
};

type SelectProps = LabelledProps &
  Omit<ComponentProps<'select'>, 'id' | 'className'> & { readonly className?: string | undefined };

/** A choice of one of many options. */
export const Select = ({ label, hint, error, className, children, ...select }: SelectProps) => {
  const own = useId();
  const id = select.name === undefined ? own : controlId(select.name);
  return (
    <LabelledControl id={id} label={label} hint={hint} error={error} {...(className && { className })}>
      {(props) => (
        <select id={id} {...select} {...props}>
          {children}
        </select>
      )}
    </LabelledControl>
  );
};
