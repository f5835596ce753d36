import type { Coverage } from '@portico/client';
import { Field, Select } from '../../design/forms/field.tsx';
import type { FieldErrors } from '../../design/forms/error-summary.tsx';
import { Radios } from '../../design/forms/radios.tsx';
import { nameOf, useTexts } from '../../texts/texts.tsx';
import {
  type Draft,
  type FieldName,
  isPatientUnknown,
  kinds,
  type Person,
  patientId,
  patientOf,
  patientsOf,
} from './claim-draft.ts';
import { exampleAmount } from './error-texts.ts';

interface ClaimFieldsProps {
  readonly draft: Draft;
  readonly errors: FieldErrors;
  readonly coverage: Coverage | undefined;
  readonly context: { readonly today: string; readonly locale: string };
  readonly isDisabled: boolean;
  readonly onChange: (name: FieldName, value: string) => void;
}

/** The fields of a claim. */
export const ClaimFields = ({ draft, errors, coverage, context, isDisabled, onChange }: ClaimFieldsProps) => {
  const { claims, claimNames } = useTexts();
  const texts = claims.submit;
  // Controls that are `disabled` would lose the focus.
  const choose = isDisabled ? () => {} : onChange;
  const currency = coverage?.currency;
  const field = (name: FieldName) => ({
    name,
    value: draft.get(name) ?? '',
    error: errors.get(name),
    readOnly: isDisabled,
    autoComplete: 'off',
    onChange: ({ target }: { readonly target: { readonly value: string } }) => onChange(name, target.value),
  });
  return (
    <>
      <Radios
        name="kind"
        legend={texts.kind.legend}
        error={errors.get('kind')}
        options={kinds.map((value) => ({ value, label: claimNames.kinds[value], hint: texts.kind.hints[value] }))}
        value={kinds.find((kind) => kind === draft.get('kind'))}
        onChange={(kind) => choose('kind', kind)}
      />
      <Patient {...{ draft, errors, coverage }} onChange={choose} />
      <Field label={texts.provider.label} hint={texts.provider.hint} maxLength={200} {...field('provider')} />
      <Field
        type="date"
        className="short"
        label={texts.date.label}
        hint={texts.date.hint}
        max={context.today}
        {...field('date')}
      />
      <Field
        className="short"
        label={currency === undefined ? texts.amount.labelPlain : texts.amount.label(currency)}
        hint={texts.amount.hint(exampleAmount(context.locale))}
        inputMode="decimal"
        maxLength={20}
        {...field('amount')}
      />
      <Field label={texts.description.label} hint={texts.description.hint} maxLength={200} {...field('description')} />
    </>
  );
};

/** A choice only where the policy covers several people, or does not have the person who was chosen. */
const Patient = ({ draft, errors, coverage, onChange }: Omit<ClaimFieldsProps, 'context' | 'isDisabled'>) => {
  const texts = useTexts().claims.submit.patient;
  const patients = patientsOf(coverage);
  const patient = patientOf(draft, coverage);
  if (patients.length < 2 && !isPatientUnknown(draft, coverage)) return null;
  // The first is the member.
  const labelOf = ({ name, relationship }: Person, index: number) =>
    index === 0 ? texts.you(name) : `${name} (${nameOf(texts.relationships, relationship)})`;
  return (
    <Select
      name="patient"
      label={texts.label}
      error={errors.get('patient')}
      value={patient ? patientId(patient) : ''}
      onChange={({ target }) => onChange('patient', target.value)}
    >
      {/* Without it, the browser would show the first person. */}
      {patient ? null : <option value="">{texts.choose}</option>}
      {patients.map((person, index) => (
        <option key={patientId(person)} value={patientId(person)}>
          {labelOf(person, index)}
        </option>
      ))}
    </Select>
  );
};
