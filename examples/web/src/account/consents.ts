import type { ConsentItem, ConsentState } from '../api/resources.ts';
import type { Edits, Values } from '../form/edits.ts';

const isGranted = (item: ConsentItem): boolean => item.state === 'granted';

/** Whether each consent is granted, by its locator. Consents without a unique locator are left out: they cannot be identified. */
export const grantsOf = ({ consents = [] }: ConsentState): Values<boolean> =>
  new Map(
    consents.flatMap((item) => {
      const namesakes = consents.filter(({ locator }) => locator === item.locator);
      return item.locator === undefined || namesakes.length > 1 ? [] : [[item.locator, isGranted(item)] as const];
    }),
  );

/** The state with these consents granted or not; the others are unchanged. */
export const withGrants = (state: ConsentState, edits: Edits<boolean>): ConsentState => {
  const grants = grantsOf(state);
  return {
    ...state,
    consents: (state.consents ?? []).map((item) => {
      const isOn = grants.has(item.locator ?? '') ? edits.get(item.locator ?? '') : undefined;
      return isOn === undefined || isOn === isGranted(item) ? item : { ...item, state: nextState(item, isOn) };
    }),
  };
};

/** A granted consent is withdrawn; one that was never granted keeps its state. */
const nextState = (item: ConsentItem, isOn: boolean): string => {
  if (isOn) return 'granted';
  return isGranted(item) ? 'withdrawn' : (item.state ?? 'denied');
};
