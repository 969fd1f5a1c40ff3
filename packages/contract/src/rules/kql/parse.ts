/** Parses an event search by recursive descent. Errors are for the reader and carry the offset of the rejected character. */
import {
  type Comparison,
  type Kql,
  type KqlError,
  type KqlNode,
  kqlLimits,
  type Parsed,
  type Pattern,
  type Span,
} from './ast.ts';
import { isBound } from './values.ts';

class Rejected extends Error {
  readonly error: KqlError;
  constructor(error: KqlError) {
    super(error.message);
    this.error = error;
  }
}

interface Word extends Span {
  pattern: Pattern;
}

const keywords = ['and', 'or', 'not'] as const;
type Keyword = (typeof keywords)[number];
const isSpace = (char: string | undefined) => char !== undefined && /\s/.test(char);
const ends = new Set(['(', ')', '"', '<', '>']);

/** Parses a search; an empty one has no tree. Never throws. */
export function parseKql(text: string): Parsed {
  if (text.length > kqlLimits.length) {
    const message = `A search has at most ${kqlLimits.length.toLocaleString('en')} characters. Shorten it.`;
    return { ok: false, error: { at: kqlLimits.length, length: text.length - kqlLimits.length, message } };
  }
  try {
    return { ok: true, ast: new Parser(text).search() };
  } catch (error) {
    if (error instanceof Rejected) return { ok: false, error: error.error };
    throw error;
  }
}

class Parser {
  private readonly text: string;
  private place = 0;
  private depth = 0;
  private conditions = 0;

  constructor(text: string) {
    this.text = text;
  }

  search(): Kql | undefined {
    this.skipSpace();
    if (this.isAtEnd()) return undefined;
    const found = this.either(() => this.condition());
    this.skipSpace();
    if (!this.isAtEnd()) this.rejectRest();
    return found;
  }

  private rejectRest(): never {
    if (this.text[this.place] === ')') this.reject('This “)” has no “(”. Remove it, or put it in quotation marks.', 1);
    this.reject('Expected “and” or “or” here.', 1);
  }

  private either(operand: () => Kql): Kql {
    return this.joined('or', () => this.joined('and', () => this.negated(operand)));
  }

  /** Conditions without a word between them are joined by AND. */
  private joined(kind: 'and' | 'or', next: () => Kql): Kql {
    const parts = [next()];
    for (;;) {
      const start = this.place;
      if (this.takeKeyword(kind)) {
        if (!this.hasOperand()) this.reject(`Expected a condition after “${kind}”.`);
      } else if (kind === 'or' || !this.hasOperand()) {
        this.place = start;
        break;
      }
      parts.push(next());
    }
    const [first] = parts;
    if (parts.length === 1 && first) return first;
    const flat = parts.flatMap((part) => (part.kind === kind ? part.parts : [part]));
    return { kind, parts: flat, ...this.spanOver(flat) };
  }

  private hasOperand(): boolean {
    this.skipSpace();
    if (this.isAtEnd() || this.text[this.place] === ')') return false;
    const keyword = this.keywordHere();
    return keyword === undefined || keyword === 'not';
  }

  private negated(operand: () => Kql): Kql {
    this.skipSpace();
    const at = this.place;
    if (!this.takeKeyword('not')) return this.grouped(operand);
    if (!this.hasOperand()) this.reject('Expected a condition after “not”.');
    return this.deeper(at, () => {
      const part = this.negated(operand);
      return { kind: 'not', part, at, length: part.at + part.length - at };
    });
  }

  private grouped(operand: () => Kql): Kql {
    this.skipSpace();
    if (this.text[this.place] !== '(') return operand();
    const at = this.place;
    return this.deeper(at, () => {
      this.place++;
      if (!this.hasOperand()) this.reject('Expected a condition after “(”.');
      const inner = this.either(operand);
      this.skipSpace();
      if (this.text[this.place] !== ')') {
        if (this.isAtEnd()) this.reject('This “(” has no “)”. Close it.', 1, at);
        this.rejectRest();
      }
      this.place++;
      return { ...inner, at, length: this.place - at };
    });
  }

  /** Levels of parentheses and negations. */
  private deeper(at: number, read: () => Kql): Kql {
    if (++this.depth > kqlLimits.depth)
      this.reject(`Conditions nest at most ${kqlLimits.depth} levels deep. Remove parentheses.`, 1, at);
    const found = read();
    this.depth--;
    return found;
  }

  /** A field with its value or bound, or a free word. */
  private condition(): Kql {
    const keyword = this.keywordHere();
    if (keyword)
      this.reject(`Expected a condition before “${keyword}”. Put the word in quotation marks to search for it.`, keyword.length);
    const comparison = this.comparisonHere();
    const char = this.text[this.place];
    if (comparison || char === ':')
      this.reject(
        `Expected a field before “${comparison ?? ':'}”. Put text that contains it in quotation marks.`,
        comparison?.length ?? 1,
      );
    const first = this.word('free');
    const field = this.text.slice(first.at, first.at + first.length);
    const gap = this.place;
    this.skipSpace();
    const found = this.comparisonHere();
    if (found) return this.range(first, field, found);
    if (this.text[this.place] === ':') {
      this.place++;
      return this.fieldValue(first, field);
    }
    this.place = gap;
    if (first.pattern.length === 1 && first.pattern[0] === '')
      this.reject('Expected text between the quotation marks.', first.length, first.at);
    return this.node({ kind: 'text', text: first.pattern }, first);
  }

  private range(field: Word, name: string, comparison: Comparison): Kql {
    this.place += comparison.length;
    this.expectValue(`${name} ${comparison}`);
    const bound = this.word('value');
    const text = bound.pattern.join('*');
    if (!isBound(text))
      this.reject(`Enter a number or a time such as 2026-11-23T10:00Z after “${comparison}”.`, bound.length, bound.at);
    return this.node({ kind: 'range', field: field.pattern, comparison, bound: text }, this.spanOver([field, bound]));
  }

  private fieldValue(field: Word, name: string): Kql {
    const value = (): Kql => {
      this.expectValue(`${name}:`);
      const found = this.value();
      return this.node({ kind: 'field', field: field.pattern, value: found.pattern }, found);
    };
    this.expectValue(`${name}:`);
    const found = this.grouped(value);
    return { ...found, at: field.at, length: this.place - field.at };
  }

  private expectValue(after: string): void {
    this.skipSpace();
    const char = this.text[this.place];
    if (
      this.isAtEnd() ||
      char === ')' ||
      /^:(?!:)/.test(this.text.slice(this.place, this.place + 2)) ||
      this.keywordHere() ||
      this.comparisonHere()
    )
      this.reject(`Expected a value after “${clipped(after)}”.`, this.isAtEnd() ? 0 : 1);
  }

  /** A quoted text, or words up to a keyword, a parenthesis or the next field. */
  private value(): Word {
    const first = this.word('value');
    if (this.text[first.at] === '"') return first;
    const words = [first];
    for (;;) {
      const gap = this.place;
      this.skipSpace();
      const isWord =
        !this.isAtEnd() && !ends.has(this.text[this.place] ?? '') && this.text[this.place] !== ':' && !this.keywordHere();
      const next = isWord ? this.word('free') : undefined;
      const after = this.place;
      this.skipSpace();
      if (!next || this.text[this.place] === ':' || this.comparisonHere()) {
        this.place = gap;
        break;
      }
      this.place = after;
      words.push(next);
    }
    return { pattern: words.map(({ pattern }) => pattern).reduce(joinedBySpace), ...this.spanOver(words) };
  }

  private word(position: 'free' | 'value'): Word {
    const at = this.place;
    const pattern = this.text[at] === '"' ? [this.quoted()] : this.unquoted(position);
    return { pattern, at, length: this.place - at };
  }

  /** Within quotation marks, `\"` and `\\` are escapes; other characters, `*` as well, stand for themselves. */
  private quoted(): string {
    const at = this.place++;
    let text = '';
    for (; this.text[this.place] !== '"'; this.place++) {
      if (this.isAtEnd())
        this.reject('This quotation mark is not closed. Close it; write \\\\ for a backslash before one.', 1, at);
      const next = this.text[this.place + 1];
      if (this.text[this.place] === '\\' && (next === '"' || next === '\\')) this.place++;
      text += this.text[this.place];
    }
    this.place++;
    return text;
  }

  private unquoted(position: 'free' | 'value'): Pattern {
    const start = this.place;
    const pieces = [''];
    const add = (text: string) => pieces.push(pieces.pop() + text);
    for (; !this.isAtEnd(); this.place++) {
      const char = this.text[this.place] ?? '';
      const next = this.text[this.place + 1];
      if (char === '\\' && next !== undefined && (isSpace(next) || '\\():<>"*{}'.includes(next))) {
        this.place++;
        add(next);
      } else if (isSpace(char) || ends.has(char)) break;
      else if (char === ':' && position === 'free' && !this.isColonOfText(start)) break;
      else if (char === '*') {
        if (pieces.length === 1 || pieces.at(-1) !== '') pieces.push('');
      } else add(char);
    }
    const [only] = pieces;
    if (pieces.length === 1 && only && /^\\(and|or|not)$/i.test(only)) return [only.slice(1)];
    return pieces;
  }

  /** `C:\…`, `https://…` and `fe80::1` are text: their colon names no field. */
  private isColonOfText(start: number): boolean {
    const before = this.text.slice(start, this.place);
    const after = this.text.slice(this.place + 1, this.place + 3);
    if (after.startsWith('\\')) return /^[a-z]$/i.test(before);
    return after === '//' || after.startsWith(':') || (before.includes('::') && !isSpace(after[0])) || /(?<!\\):$/.test(before);
  }

  private node(node: KqlNode, { at, length }: Span): Kql {
    if (++this.conditions > kqlLimits.conditions)
      this.reject(`A search has at most ${kqlLimits.conditions} conditions. Remove some.`, length, at);
    return { ...node, at, length };
  }

  private comparisonHere(): Comparison | undefined {
    const char = this.text[this.place];
    if (char !== '<' && char !== '>') return undefined;
    return this.text[this.place + 1] === '=' ? `${char}=` : char;
  }

  private keywordHere(): Keyword | undefined {
    return keywords.find((keyword) => {
      const end = this.place + keyword.length;
      const after = this.text[end];
      const isWhole = after === undefined || isSpace(after) || ends.has(after);
      return isWhole && this.text.slice(this.place, end).toLowerCase() === keyword;
    });
  }

  private takeKeyword(keyword: Keyword): boolean {
    this.skipSpace();
    if (this.keywordHere() !== keyword) return false;
    this.place += keyword.length;
    return true;
  }

  private skipSpace(): void {
    while (isSpace(this.text[this.place])) this.place++;
  }

  private isAtEnd = (): boolean => this.place >= this.text.length;

  private spanOver(spans: readonly Span[]): Span {
    const at = spans[0]?.at ?? 0;
    const last = spans.at(-1);
    return { at, length: (last ? last.at + last.length : at) - at };
  }

  private reject(message: string, length = 0, at = this.place): never {
    throw new Rejected({ at, length, message });
  }
}

const clipped = (text: string) => (text.length > 60 ? `${text.slice(0, 60).toWellFormed()}…` : text);

/** `a*` and `b` are `a* b`. */
function joinedBySpace(left: Pattern, right: Pattern): Pattern {
  return [...left.slice(0, -1), `${left.at(-1)} ${right[0]}`, ...right.slice(1)];
}
