import { consequenceOf, type Trouble } from './fault.ts';

/** From then until then, in milliseconds of `performance.now()`. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** So long a connection that was cut may still look alive to Portico. */
const settleMs = 250;

/** A time in which a part of the outside world may have been in trouble, and within it one in which it surely was. */
class Spell {
  readonly name: string;
  readonly trouble: Trouble;
  readonly #from = performance.now();
  #surelyFrom = Infinity;
  #surelyTo = Infinity;
  #to = Infinity;

  constructor(name: string, trouble: Trouble) {
    this.name = name;
    this.trouble = trouble;
  }

  hasBegun(): void {
    this.#surelyFrom = performance.now();
  }

  isEnding(): void {
    this.#surelyTo = performance.now();
  }

  hasEnded(): void {
    this.#to = performance.now() + settleMs;
  }

  /** Whose, which, and from when to when it may have been. */
  toString(): string {
    return `${this.name} ${this.trouble} ${this.#from.toFixed()}–${this.#to.toFixed()}`;
  }

  touches({ from, to }: Span, echoMs = 0): boolean {
    return this.#from <= to && this.#to + echoMs >= from;
  }

  surelyCovers({ from, to }: Span): boolean {
    return this.#surelyFrom <= from && this.#surelyTo >= to;
  }
}

/** Which trouble the parts of the outside world were in, and when. */
export class History {
  readonly #spells: Spell[] = [];

  /** Written down before it is so, and told when it is. */
  begin(name: string, trouble: Trouble): Spell {
    const spell = new Spell(name, trouble);
    this.#spells.push(spell);
    return spell;
  }

  /** What may come of a question to this part, where `usual` is what comes when all is well. */
  outcomes(
    name: string,
    span: Span,
    usual: string,
    tellOf: (trouble: Trouble) => readonly string[],
  ): ReadonlySet<string> {
    const spells = this.#spells.filter((spell) => spell.name === name && spell.touches(span));
    const told = spells.flatMap(({ trouble }) => {
      const some = tellOf(trouble);
      return some.length === 0 ? [usual] : some;
    });
    return new Set(spells.some((spell) => spell.surelyCovers(span)) ? told : [usual, ...told]);
  }

  /** What there was at most so long before, for whoever looks for a reason. */
  near({ from, to }: Span, echoMs: number): readonly string[] {
    return this.#spells.filter((spell) => spell.touches({ from, to }, echoMs)).map(String);
  }

  /** Whether what opens a circuit breaker happened then, or so shortly before. */
  mayHaveBroken(name: string, span: Span, echoMs: number): boolean {
    return this.#spells.some(
      (spell) => spell.name === name && consequenceOf(spell.trouble).opensBreaker && spell.touches(span, echoMs),
    );
  }
}
