import type { Coverage } from '@portico/client';

/** The kinds of care that a member can submit a claim for. */
export const kinds = ['professional', 'institutional', 'oral', 'vision', 'pharmacy'] as const;

const fields = ['kind', 'patient', 'provider', 'date', 'amount', 'description'] as const;

export type FieldName = (typeof fields)[number];

/** What the member has entered, by field. A field that is missing is empty. */
export type Draft = ReadonlyMap<string, string>;

/** Why a field is refused. */
export type FieldError = 'missing' | 'unknown' | 'future' | 'invalid' | 'zero';

export interface DraftContext {
  /** The member's local date, such as `2026-03-05`. */
  readonly today: string;
  /** `,` or `.`, as in the member's locale. */
  readonly decimalSign: string;
}

/** All errors of a draft at once, in the order of the form. */
export const errorsOf = (
  draft: Draft,
  coverage: Coverage | undefined,
  { today, decimalSign }: DraftContext,
): ReadonlyMap<FieldName, FieldError> => {
  const value = (name: FieldName) => draft.get(name)?.trim() ?? '';
  const amount = amountIn(value('amount'), decimalSign);
  const errors: Readonly<Partial<Record<FieldName, FieldError | undefined>>> = {
    kind: kinds.some((kind) => kind === value('kind')) ? undefined : 'missing',
    patient: isPatientUnknown(draft, coverage) ? 'unknown' : undefined,
    provider: value('provider') === '' ? 'missing' : undefined,
    date: dateError(value('date'), today),
    amount: amountError(value('amount'), amount),
  };
  return new Map(fields.flatMap((name) => (errors[name] === undefined ? [] : [[name, errors[name]] as const])));
};

const dateError = (date: string, today: string): FieldError | undefined => {
  if (!/^\d{4}-\d\d-\d\d$/.test(date)) return 'missing';
  return date > today ? 'future' : undefined;
};

const amountError = (text: string, amount: number | undefined): FieldError | undefined => {
  if (text === '') return 'missing';
  if (amount === undefined) return 'invalid';
  return amount > 0 ? undefined : 'zero';
};

/**
 * The amount in a text such as `84.5`, `1,234.50` or `$84.50`; `undefined` if it is not clear. With one or two digits
 * after it, a single point or comma is always the decimal sign. Spaces and apostrophes group digits by three.
 */
export const amountIn = (text: string, decimalSign: string): number | undefined => {
  const amount = text.replaceAll(/^[\s\p{Sc}]+|[\s\p{Sc}]+$/gu, '');
  const isSpaced = /^\d{1,3}([\s'’]\d{3})+([.,]\d{1,2})?$/.test(amount);
  const plain = isSpaced ? amount.replaceAll(/[\s'’]/g, '') : amount;
  const groupSign = decimalSign === ',' ? '.' : ',';
  const [isGrouped, isPlain] = [
    new RegExp(`^\\d{1,3}(\\${groupSign}\\d{3})+(\\${decimalSign}\\d{1,2})?$`).test(plain),
    /^\d+([.,]\d{1,2})?$/.test(plain),
  ];
  if (plain.length > 12 || !(isGrouped || isPlain)) return undefined;
  return Number((isGrouped ? plain.replaceAll(groupSign, '') : plain).replace(',', '.'));
};

/** A person who may be the patient. */
export interface Person {
  readonly name: string;
  readonly relationship: string;
}

/**
 * The coverage with the member in place of the subscriber, whose name it has also for a dependent. The relationship is that of
 * the member to the subscriber.
 */
export const coverageOfMember = (coverage: Coverage, name: string | undefined): Coverage => {
  const relationship = (coverage.subscriber?.relationship ?? 'self').toLowerCase();
  if (relationship === 'self') return coverage;
  const { dependents } = coverage;
  return {
    ...coverage,
    subscriber: { ...(name !== undefined && { name }), relationship },
    ...(dependents && {
      dependents: dependents.filter((one) => one.name !== name || one.relationship !== relationship),
    }),
  };
};

/** Who is insured, as far as the coverage is known. The first is the member. */
export const patientsOf = (coverage: Coverage | undefined): readonly Person[] => {
  const { subscriber, dependents } = coverage ?? {};
  if (!subscriber?.name || !dependents) return [];
  const people = [{ name: subscriber.name, relationship: subscriber.relationship ?? 'self' }, ...dependents];
  return people.flatMap(({ name, relationship = 'other' }) => (name === undefined ? [] : [{ name, relationship }]));
};

/** Identifies a patient in a draft. People on one policy may have the same name. */
export const patientId = ({ name, relationship }: Person): string => `${name}, ${relationship}`;

/** The patient of a draft: the member, unless someone else was chosen. `undefined`: the coverage does not have that person. */
export const patientOf = (draft: Draft, coverage: Coverage | undefined): Person | undefined => {
  const patients = patientsOf(coverage);
  const chosen = draft.get('patient');
  if (chosen === undefined) return patients[0];
  // Drafts of earlier versions have only the name.
  const named = patients.filter(({ name }) => name === chosen);
  return patients.find((patient) => patientId(patient) === chosen) ?? (named.length === 1 ? named[0] : undefined);
};

/** Whether the coverage does not have the person who was chosen, or could not be read. */
export const isPatientUnknown = (draft: Draft, coverage: Coverage | undefined): boolean =>
  draft.has('patient') && !patientOf(draft, coverage);

/** The claim to submit, in the recommended format of the OpenAPI document. The draft has no errors. */
export const claimOf = (draft: Draft, coverage: Coverage | undefined, { decimalSign }: DraftContext): object => {
  const value = (name: FieldName) => draft.get(name)?.trim() ?? '';
  const [date, description] = [value('date'), value('description')];
  const billedAmount = amountIn(value('amount'), decimalSign);
  const patient = patientOf(draft, coverage);
  return {
    type: value('kind'),
    ...(patient && { patient }),
    provider: { name: value('provider') },
    serviceDates: { from: date, to: date },
    ...(coverage?.currency && { currency: coverage.currency }),
    billedAmount,
    ...(description && { serviceLines: [{ lineNumber: 1, description, serviceDate: date, units: 1, billedAmount }] }),
  };
};

/** The fields of the form by the first name in a path of the claim, such as `/serviceDates/from`. */
const fieldOf: Readonly<Record<string, FieldName>> = {
  type: 'kind',
  patient: 'patient',
  provider: 'provider',
  serviceDates: 'date',
  billedAmount: 'amount',
  currency: 'amount',
  serviceLines: 'description',
};

/** The messages of a refused claim by field. Messages for other paths are not shown at a field. */
export const refusedFields = (
  errors: readonly { readonly path: string; readonly message: string }[],
): ReadonlyMap<FieldName, string> => {
  const found = new Map(
    errors.flatMap(({ path, message }) => {
      const field = fieldOf[path.split('/')[1] ?? ''];
      return field === undefined ? [] : [[field, message] as const];
    }),
  );
  return new Map(fields.flatMap((name) => (found.has(name) ? [[name, found.get(name)!] as const] : [])));
};
