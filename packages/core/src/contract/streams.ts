import { isObject } from '../shared/json/json.ts';

type Each = <T>(next: Promise<T>) => Promise<T>;

/** A copy of a result in which `each` is applied to every step of reading its streams, such as a document's content. */
export const withStreams = (value: unknown, each: Each): unknown => {
  if (!isObject(value) || !Object.values(value).some(isStream)) return value;
  const fields = Object.entries(value).map(([name, field]) => [name, isStream(field) ? timed(field, each) : field]);
  return Object.fromEntries(fields);
};

export const isStream = (value: unknown): value is AsyncIterable<unknown> =>
  isObject(value) && Symbol.asyncIterator in value;

const timed = (stream: AsyncIterable<unknown>, each: Each): AsyncIterable<unknown> => ({
  [Symbol.asyncIterator]: () => {
    const reader = stream[Symbol.asyncIterator]();
    return {
      next: () => each(Promise.resolve(reader.next())),
      return: async () => (await each(Promise.resolve(reader.return?.()))) ?? { done: true, value: undefined },
    };
  },
});
