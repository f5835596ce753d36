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
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': true | undefined;
}

interface LabelledControlProps extends LabelledProps {
  readonly name: string | undefined;
  readonly className: string | undefined;
  readonly children: (props: ControlProps) => ReactNode;
}

const LabelledControl = ({ name, label, hint, error, className = '', children }: LabelledControlProps) => {
  const own = useId();
  const id = name === undefined ? own : controlId(name);
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
        id,
        'aria-describedby': describedBy.filter(Boolean).join(' ') || undefined,
        'aria-invalid': error === undefined ? undefined : true,
      })}
    </div>
  );
};

type FieldProps = LabelledProps &
  Omit<ComponentProps<'input'>, 'id' | 'className'> & { readonly className?: string | undefined };

/** An input with its label, a hint and the error of its value (GOV.UK Design System, "Text input"). */
export const Field = ({ label, hint, error, className, ...input }: FieldProps) => (
  <LabelledControl name={input.name} {...{ label, hint, error, className }}>
    {(props) => <input {...input} {...props} />}
  </LabelledControl>
);

type SelectProps = LabelledProps &
  Omit<ComponentProps<'select'>, 'id' | 'className'> & { readonly className?: string | undefined };

/** A choice of one of many options. */
export const Select = ({ label, hint, error, className, children, ...select }: SelectProps) => (
  <LabelledControl name={select.name} {...{ label, hint, error, className }}>
    {(props) => (
      <select {...select} {...props}>
        {children}
      </select>
    )}
  </LabelledControl>
);
