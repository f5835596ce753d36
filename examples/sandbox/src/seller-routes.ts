import type { Rotation } from './network/key-ring.ts';
import { type Seller, type SellerBehaviour, sellerFaults } from './search/seller-behaviour.ts';

/** A seller that the control API changes. */
export type ControlledSeller = Pick<Seller, 'setBehaviour'> & { rotateKey?(oldKeyValidMs: number): Rotation };

/** Applies `PUT` or `DELETE /sellers/{seller}`. Returns the response, or the error as a string. */
export const changeSeller = async (seller: ControlledSeller, input: unknown): Promise<object | string> => {
  const behaviour = input === null ? { fault: null } : parseBehaviour(input);
  if (typeof behaviour === 'string') return behaviour;
  await seller.setBehaviour(behaviour);
  return behaviour;
};

const maxMs = 600_000;
const defaultOldKeyValidMs = 60_000;

/** Applies `POST /sellers/{seller}/key`. Returns the response, or the error as a string. */
export const rotateKey = ({ rotateKey: rotate }: ControlledSeller, input: unknown): object | string => {
  const { oldKeyValidMs = defaultOldKeyValidMs } = (input ?? {}) as { readonly oldKeyValidMs?: unknown };
  if (!isMs(oldKeyValidMs)) return `oldKeyValidMs must be a number of milliseconds from 0 to ${maxMs}.`;
  return rotate?.(oldKeyValidMs) ?? 'This seller has no key to rotate.';
};

/** Returns the error as a string. */
const parseBehaviour = (value: unknown): Partial<SellerBehaviour> | string => {
  const { fault, delayMs } = (value ?? {}) as { readonly fault?: unknown; readonly delayMs?: unknown };
  if (delayMs !== undefined && !isRange(delayMs))
    return `delayMs must be two numbers of milliseconds, the least and the most, from 0 to ${maxMs}.`;
  const delay = delayMs === undefined ? {} : { delayMs };
  const known = sellerFaults.find((one) => one === fault);
  if (known) return { fault: known, ...delay };
  return fault === undefined && delayMs !== undefined ? delay : unknown('fault', fault, sellerFaults);
};

const isMs = (value: unknown): value is number => typeof value === 'number' && value >= 0 && value <= maxMs;

const isRange = (value: unknown): value is readonly [number, number] =>
  Array.isArray(value) && value.length === 2 && value.every(isMs) && value[0]! <= value[1]!;

export const unknown = (what: string, value: unknown, known: readonly string[]): string =>
  value === undefined
    ? `The ${what} is missing. Use one of ${known.join(', ')}.`
    : `Unknown ${what} ${JSON.stringify(value)}. Use one of ${known.join(', ')}.`;
