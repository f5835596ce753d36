import type { ConsentState } from '@portico/client';
import type { Edits, Values } from '../form/edits.ts';

export type ConsentItem = NonNullable<ConsentState['consents']>[number];

/** The member's choice; undefined before the first one. */
export type Choice = boolean | undefined;

const choices: Readonly<Record<string, boolean>> = { granted: true, denied: false, withdrawn: false };

export const choiceOf = ({ state = '' }: ConsentItem): Choice =>
  Object.hasOwn(choices, state) ? choices[state] : undefined;

/** The choice of each consent, by its locator. Consents without a unique locator are left out: they cannot be identified. */
export const choicesOf = ({ consents = [] }: ConsentState): Values<Choice> =>
  new Map(
    consents.flatMap((item) => {
      const namesakes = consents.filter(({ locator }) => locator === item.locator);
      return item.locator === undefined || namesakes.length > 1 ? [] : [[item.locator, choiceOf(item)] as const];
    }),
  );

/** The consents whose choice, by locator, differs from the one in the state. */
export const changesOf = (
  state: ConsentState,
  chosen: (locator: string) => Choice,
): ReadonlyMap<ConsentItem, boolean> => {
  const choices = choicesOf(state);
  return new Map(
    (state.consents ?? []).flatMap((item) => {
      const { locator = '' } = item;
      const choice = choices.has(locator) ? chosen(locator) : undefined;
      return choice === undefined || choice === choiceOf(item) ? [] : [[item, choice] as const];
    }),
  );
};

/** The state with these choices; the other consents are unchanged. */
export const withChoices = (state: ConsentState, edits: Edits<Choice>): ConsentState => {
  const changes = changesOf(state, (locator) => edits.get(locator));
  return {
    ...state,
    consents: (state.consents ?? []).map((item) => {
      const choice = changes.get(item);
      return choice === undefined ? item : { ...item, state: nextState(item, choice) };
    }),
  };
};

/** Whether one of these choices was made for another purpose or another version of the text than the newest state has. */
export const hasOtherText = (shown: ConsentState, newest: ConsentState, edits: Edits<Choice>): boolean =>
  [...changesOf(newest, (locator) => edits.get(locator)).keys()].some(({ locator, purpose, version }) => {
    const seen = shown.consents?.find((item) => item.locator === locator);
    return seen?.purpose !== purpose || seen?.version !== version;
  });

/** What becomes of a consent: a granted consent is withdrawn, any other consent is refused. */
export const nextState = (item: ConsentItem, choice: boolean): 'granted' | 'withdrawn' | 'denied' => {
  if (choice) return 'granted';
  return choiceOf(item) ? 'withdrawn' : 'denied';
};
