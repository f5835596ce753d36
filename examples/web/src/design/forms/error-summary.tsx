import { useEffect, useRef, useState } from 'react';
import { useTexts } from '../../texts/texts.tsx';
import { controlId } from './field.tsx';
import './error-summary.css';

/** The error of each field, by the name of the field, in the order of the form. */
export type FieldErrors = ReadonlyMap<string, string>;

interface ErrorSummaryProps {
  readonly errors: FieldErrors;
  /** Increases with each failed submission, so that the summary takes the focus each time. */
  readonly attempt: number;
}

/** The state of an error summary: `show` the errors of a submission, `remove` that of a field whose value has changed. */
export const useErrorSummary = () => {
  const [summary, setSummary] = useState<ErrorSummaryProps>({ errors: new Map(), attempt: 0 });
  const show = (errors: FieldErrors) =>
    setSummary(({ attempt }) => ({ errors, attempt: errors.size > 0 ? attempt + 1 : attempt }));
  const remove = (name: string) =>
    setSummary((before) => ({ ...before, errors: new Map([...before.errors].filter(([field]) => field !== name)) }));
  return { summary, show, remove };
};

/**
 * All errors of a form, each with a link to its field (GOV.UK Design System, "Error summary"). It takes the focus when the
 * member submits a form with errors.
 */
export const ErrorSummary = ({ errors, attempt }: ErrorSummaryProps) => {
  const texts = useTexts();
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (attempt > 0) element.current?.focus();
  }, [attempt]);
  if (errors.size === 0) return null;
  return (
    <div ref={element} className="error-summary" role="alert" tabIndex={-1}>
      <h2>{texts.errors.summary}</h2>
      <ul>
        {[...errors].map(([name, error]) => (
          <li key={name}>
            <a
              href={`#${controlId(name)}`}
              onClick={(event) => {
                // The router must not take it as a navigation.
                event.preventDefault();
                document.getElementById(controlId(name))?.focus();
              }}
            >
              {error}
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
};
