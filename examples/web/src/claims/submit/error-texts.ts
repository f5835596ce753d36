import type { FieldErrors } from '../../design/forms/error-summary.tsx';
import type { Texts } from '../../texts/en.ts';
import type { FieldError, FieldName } from './claim-draft.ts';

/** An amount as the member would write it. */
export const exampleAmount = (locale: string): string =>
  new Intl.NumberFormat(locale, { minimumFractionDigits: 2 }).format(84.5);

/** What is wrong with each field, and how to correct it. */
export const errorTexts = (
  errors: ReadonlyMap<FieldName, FieldError>,
  texts: Texts['claims']['submit'],
  { locale }: { readonly locale: string },
): FieldErrors => {
  const { kind, patient, provider, date, amount } = texts;
  const byField: Readonly<Partial<Record<FieldName, Readonly<Partial<Record<FieldError, string>>>>>> = {
    kind: { missing: kind.missing },
    patient: { unknown: patient.unknown },
    provider: { missing: provider.missing },
    date: { missing: date.missing, future: date.future },
    amount: { missing: amount.missing, invalid: amount.invalid(exampleAmount(locale)), zero: amount.zero },
  };
  return new Map([...errors].map(([name, error]) => [name, byField[name]?.[error] ?? texts.refused(error)]));
};
