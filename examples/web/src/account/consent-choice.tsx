import { useId } from 'react';
import { Radios } from '../design/forms/radios.tsx';
import type { Texts } from '../texts/en.ts';
import { words } from '../texts/format.ts';
import { nameOf, useFormat, useTexts } from '../texts/texts.tsx';
import type { Choice, ConsentItem } from './consents.ts';

interface ConsentChoiceProps {
  readonly item: ConsentItem;
  readonly choice: Choice;
  /** Without it, the consent cannot be changed. */
  readonly onChange?: (choice: boolean) => void;
}

/** One purpose: what it means, what the member chose before, and the choice. */
export const ConsentChoice = ({ item, choice, onChange }: ConsentChoiceProps) => {
  const texts = useTexts().account.consent;
  const format = useFormat();
  const { purpose = '', state, version, updatedAt } = item;
  const date = updatedAt === undefined ? undefined : format.date(updatedAt);
  const history = [describeState(state, date, texts), version === undefined ? '' : texts.version(version)];
  return (
    <Radios
      name={useId()}
      legend={nameOf(texts.purposes, item.purpose)}
      hint={
        <span className="explanation">
          <span>{Object.hasOwn(texts.explanations, purpose) ? nameOf(texts.explanations, purpose) : null}</span>
          <span>{history.filter(Boolean).join(' ')}</span>
          {onChange === undefined ? <span>{texts.fixed}</span> : null}
        </span>
      }
      options={[
        { value: 'yes', label: texts.yes },
        { value: 'no', label: texts.no },
      ]}
      value={choice === undefined ? undefined : choice ? 'yes' : 'no'}
      isDisabled={onChange === undefined}
      onChange={(value) => onChange?.(value === 'yes')}
    />
  );
};

const describeState = (
  state: string | undefined,
  date: string | undefined,
  texts: Texts['account']['consent'],
): string => {
  const describe = Object.entries(texts.states).find(([known]) => known === state)?.[1];
  if (describe) return describe(date);
  return state === undefined ? texts.notChosen : `${texts.notChosen} (${words(state)})`;
};
