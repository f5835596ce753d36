/** `Symbol.dispose` and `Symbol.asyncDispose` (ES2026) are not in the core's `lib`. */
const { asyncDispose, dispose } = Symbol as unknown as { readonly asyncDispose: symbol; readonly dispose: symbol };

/** Disposes of a subject that has `Symbol.asyncDispose` or `Symbol.dispose`. */
export const disposeOf = async (subject: object): Promise<void> => {
  const release: unknown = Reflect.get(subject, asyncDispose) ?? Reflect.get(subject, dispose);
  if (typeof release === 'function') await Reflect.apply(release, subject, []);
};
