/** The values of `context.action` that a callback of a supported network version may have. */
export type CallbackAction = 'on_search' | 'on_discover';

/** Every accepted action: `on_search` of Beckn 0.9 to 1.1 and of ONDC, `on_discover` of Beckn 2.0. */
export const callbackActions: ReadonlySet<string> = new Set<CallbackAction>(['on_search', 'on_discover']);
