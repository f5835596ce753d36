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

/** The value of `aria-describedby` of a control with `Descriptions`. */
export const describedBy = (id: string, hint: ReactNode, error: string | undefined): string | undefined =>
  [hint === undefined ? '' : `${id}-hint`, error === undefined ? '' : `${id}-error`].filter(Boolean).join(' ') ||
  undefined;

interface DescriptionsProps extends Pick<LabelledProps, 'hint' | 'error'> {
  readonly as: 'span' | 'p';
  readonly id: string;
}

/** The hint and the error of the control with this id. */
export const Descriptions = ({ as: Element, id, hint, error }: DescriptionsProps) => (
  <>
    {hint === undefined ? null : (
      <Element id={`${id}-hint`} className="fine">
        {hint}
      </Element>
    )}
    {error === undefined ? null : (
      <Element id={`${id}-error`} className="error">
        {error}
      </Element>
    )}
  </>
);

interface LabelledControlProps extends LabelledProps {
  readonly name: string | undefined;
  readonly className: string | undefined;
  readonly children: (props: ControlProps) => ReactNode;
}

const LabelledControl = ({ name, label, hint, error, className = '', children }: LabelledControlProps) => {
  const own = useId();
  const id = name === undefined ? own : controlId(name);
  return (
    <div className={`field ${error === undefined ? '' : 'invalid'} ${className}`.trim()}>
      <label htmlFor={id}>{label}</label>
      <Descriptions as="span" {...{ id, hint, error }} />
      {children({
        id,
        'aria-describedby': describedBy(id, hint, error),
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
