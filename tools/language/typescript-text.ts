import { parseSync, Visitor } from 'oxc-parser';
import { blank, breakAt, maskCode, type Passage, sentenceBreak } from './passage.ts';

interface Span extends Passage {
  readonly kind: 'comment' | 'string';
  readonly end: number;
}

/** The comments, string and template literals, and JSX text of a TypeScript file. */
export const typeScriptText = (path: string, source: string): readonly Passage[] => {
  const { program, comments, errors } = parseSync(path, source);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  const spans = comments.map(({ start, end }): Span => {
    const isDocComment = source.startsWith('/**', start);
    return { kind: 'comment', isDocComment, start, end, text: commentText(source.slice(start, end)) };
  });
  const add = (start: number, end: number, text: string): void => {
    spans.push({ kind: 'string', start, end, text: maskCode(breakAt(text, /\\[nrt]/g)) });
  };
  new Visitor({
    Literal: ({ value, start, end }) => {
      if (typeof value === 'string') add(start, end, ` ${source.slice(start + 1, end - 1)} `);
    },
    TemplateLiteral: ({ start, end, expressions }) =>
      add(start, end, templateText(source.slice(start, end).replaceAll('`', ' '), start, expressions)),
    JSXText: ({ start, end }) => add(start, end, source.slice(start, end)),
  }).visit(program);
  return joined(
    spans.toSorted((one, other) => one.start - other.start),
    source,
  );
};

const commentText = (comment: string): string => {
  const text = comment.replace(/^\/\/|^\/\*+|\*\/$/g, blank).replaceAll(/(?<=\n)[ \t]*\*/g, blank);
  return maskCode(breakAt(text, /\n[ \t]*(?=\n)|\n[ \t]*(?:[-*]|\d+\.)[ \t]|\n[ \t]*@\w+/g));
};

interface Range {
  readonly start: number;
  readonly end: number;
}

/** Each expression becomes one word: strings in it are passages themselves. Lines of a template are separate sentences. */
const templateText = (template: string, offset: number, expressions: readonly Range[]): string => {
  let text = template;
  for (const { start, end } of expressions)
    text = text.slice(0, start - offset) + 'X'.repeat(end - start) + text.slice(end - offset);
  return text.replaceAll('\n', sentenceBreak);
};

/** Joins consecutive line comments, and strings with nothing but `+` between them: sentences may go on in the next. */
const joined = (spans: readonly Span[], source: string): readonly Passage[] => {
  const passages: Span[] = [];
  for (const span of spans) {
    const previous = passages.at(-1);
    const isSameKind = previous?.kind === span.kind && previous.isDocComment === span.isDocComment;
    const gap = previous && span.start >= previous.end ? source.slice(previous.end, span.start) : undefined;
    const continues = span.kind === 'comment' ? /^\n[ \t]*$/ : /^\s*\+\s*$/;
    if (isSameKind && gap !== undefined && continues.test(gap))
      passages[passages.length - 1] = { ...previous, end: span.end, text: previous.text + blank(gap) + span.text };
    else passages.push(span);
  }
  return passages;
};
