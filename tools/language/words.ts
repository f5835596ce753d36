interface Word {
  /** Matched in any case; spaces match line breaks too. */
  readonly pattern: string;
  readonly suggestion: string;
}

/** Words of a private idiom, with the words that readers know. */
export const words: readonly Word[] = [
  { pattern: 'told|tell|tells|telling', suggestion: 'report, return, send, show; "tell apart" is distinguish' },
  { pattern: 'says', suggestion: 'report, show, describe, specify' },
  { pattern: '(?:let|lets|letting) go of|(?:give|gives|given|giving) up', suggestion: 'cancel, release, forget, stop' },
  { pattern: 'whoever|whomever', suggestion: 'name the actor: the client, the operator, a caller that …' },
  { pattern: 'nobody|somebody|everybody|anybody', suggestion: 'name the actor, or use the passive' },
  { pattern: 'mend|mends|mended|mending', suggestion: 'fix' },
  { pattern: 'errand|errands', suggestion: 'operation' },
  { pattern: 'repetition|repetitions', suggestion: 'retry, retries' },
  { pattern: 'trouble|troubles', suggestion: 'degraded, unhealthy, error' },
  { pattern: 'door|doors', suggestion: 'entry point' },
  {
    pattern:
      '(?:the|this|that|its) (?:(?!first|second)[a-z-]+ )?(?:half|halves)(?! of)|either half|each half|both halves',
    suggestion: 'member API, search API',
  },
  { pattern: 'at its place', suggestion: 'where it is, in its place, or leave it out' },
  { pattern: 'the house', suggestion: 'the system, the network' },
  { pattern: 'walks', suggestion: 'runs, iterates over' },
];
