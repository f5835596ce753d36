import type { ReactNode } from 'react';
import { controlId, describedBy, Descriptions } from './field.tsx';
import './radios.css';

interface RadiosProps<Value extends string> {
  readonly name: string;
  /** The question. */
  readonly legend: ReactNode;
  readonly hint?: ReactNode;
  readonly error?: string | undefined;
  readonly options: readonly { readonly value: Value; readonly label: string; readonly hint?: string }[];
  readonly value: Value | undefined;
  readonly isDisabled?: boolean;
  readonly onChange: (value: Value) => void;
}

const classOf = (options: RadiosProps<string>['options'], error: string | undefined): string => {
  const isInline = options.length === 2 && options.every(({ hint }) => hint === undefined);
  return `radios${isInline ? ' inline' : ''}${error === undefined ? '' : ' invalid'}`;
};

/** A choice of one of a few options, all of them visible (GOV.UK Design System, "Radios"). */
export const Radios = <Value extends string>(props: RadiosProps<Value>) => {
  const { name, legend, hint, error, options, value, isDisabled = false, onChange } = props;
  const id = controlId(name);
  return (
    <fieldset className={classOf(options, error)} aria-describedby={describedBy(id, hint, error)}>
      <legend>{legend}</legend>
      <Descriptions as="p" {...{ id, hint, error }} />
      {options.map((option, index) => (
        <label key={option.value} className="radio">
          <input
            type="radio"
            id={index === 0 ? id : undefined}
            name={name}
            checked={value === option.value}
            disabled={isDisabled}
            onChange={() => onChange(option.value)}
          />
          <span>
            {option.label}
            {option.hint === undefined ? null : <span className="fine">{option.hint}</span>}
          </span>
        </label>
      ))}
    </fieldset>
  );
};
