/**
 * Condition grammar: `or` binds least, then `and`, `not`, `x of pattern`, parentheses. Selectors are resolved here against the rule's
 * search identifiers, so that a misspelt name is a load error instead of a rule that never matches.
 */

export type Condition =
  | { kind: 'selection'; index: number }
  | { kind: 'and'; parts: Condition[] }
  | { kind: 'or'; parts: Condition[] }
  | { kind: 'not'; part: Condition }
  /** At least `count` of the selections. */
  | { kind: 'count'; count: number; parts: Condition[] };

/** Aggregation of Sigma 1 behind a condition, `| count(field) by group > n`; `near` and other functions are rejected. */
export interface Aggregation {
  field: string | undefined;
  groupBy: string[];
  operator: string;
  number: number;
}

const MAX_TOKENS = 4_000;
const MAX_DEPTH = 60;

/** @throws Error with a readable reason */
export function parseCondition(text: string, names: string[]): Condition {
  const tokens = text.match(/[()]|[^\s()]+/g) ?? [];
  if (tokens.length === 0) throw new Error('the condition is empty');
  if (tokens.length > MAX_TOKENS) throw new Error(`the condition has more than ${MAX_TOKENS} words`);
  let at = 0;
  const word = () => tokens[at]?.toLowerCase();

  function chain(kind: 'or' | 'and', next: (depth: number) => Condition, depth: number): Condition {
    const parts = [next(depth)];
    while (word() === kind) {
      at++;
      parts.push(next(depth));
    }
    return parts.length === 1 ? parts[0]! : { kind, parts };
  }
  const either = (depth: number): Condition => chain('or', both, depth);
  const both = (depth: number): Condition => chain('and', negation, depth);

  function negation(depth: number): Condition {
    if (depth > MAX_DEPTH) throw new Error(`the condition is nested deeper than ${MAX_DEPTH} levels`);
    if (word() === 'not') {
      at++;
      return { kind: 'not', part: negation(depth + 1) };
    }
    const token = tokens[at];
    if (token === undefined) throw new Error('the condition ends too early');
    if (token === '(') {
      at++;
      const inner = either(depth + 1);
      if (tokens[at] !== ')') throw new Error('a parenthesis is not closed in the condition');
      at++;
      return inner;
    }
    if (tokens[at + 1]?.toLowerCase() === 'of' && /^(all|any|\d+)$/i.test(token)) {
      const pattern = tokens[at + 2];
      if (pattern === undefined || pattern === '(' || pattern === ')') throw new Error(`"${token} of" names nothing`);
      at += 3;
      return quantified(token.toLowerCase(), pattern, names);
    }
    if (token === ')' || /^(and|or|of)$/i.test(token)) throw new Error(`unexpected "${token}" in the condition`);
    at++;
    const index = names.indexOf(token);
    if (index >= 0) return { kind: 'selection', index };
    if (token.includes('*')) return quantified('1', token, names);
    throw new Error(`the condition names "${token}", which the detection does not define`);
  }

  const condition = either(0);
  if (at < tokens.length) throw new Error(`unexpected "${tokens[at]}" in the condition`);
  return condition;
}

function quantified(quantifier: string, pattern: string, names: string[]): Condition {
  const them = pattern.toLowerCase() === 'them';
  const parts: Condition[] = [];
  names.forEach((name, index) => {
    if (them ? !name.startsWith('_') : matchesName(pattern, name)) parts.push({ kind: 'selection', index });
  });
  if (parts.length === 0) throw new Error(`"${quantifier} of ${pattern}" fits no search identifier`);
  if (quantifier === 'all') return parts.length === 1 ? parts[0]! : { kind: 'and', parts };
  const count = quantifier === 'any' ? 1 : Number(quantifier);
  if (count < 1) throw new Error(`"${quantifier} of ${pattern}" would always hold`);
  if (count > parts.length) throw new Error(`"${quantifier} of ${pattern}" fits only ${parts.length} search identifiers`);
  if (count === 1) return parts.length === 1 ? parts[0]! : { kind: 'or', parts };
  return { kind: 'count', count, parts };
}

/** `*` matches any text; identifiers that start with `_` match only patterns that do as well. */
function matchesName(pattern: string, name: string): boolean {
  if (name.startsWith('_') && !pattern.startsWith('_')) return false;
  const [first = '', ...rest] = pattern.split('*');
  if (rest.length === 0) return name === pattern;
  if (!name.startsWith(first)) return false;
  let from = first.length;
  const last = rest.pop()!;
  for (const part of rest) {
    const found = name.indexOf(part, from);
    if (found < 0) return false;
    from = found + part.length;
  }
  return name.length - last.length >= from && name.endsWith(last);
}

/**
 * Splits the old form `selection | count() by Field > 5` (Sigma 1.x) into its condition and its aggregation.
 * @throws Error if Sigma 2 cannot express the aggregation
 */
export function splitAggregation(text: string): { condition: string; aggregation: Aggregation | undefined } {
  const bar = text.indexOf('|');
  if (bar < 0) return { condition: text, aggregation: undefined };
  const rest = text.slice(bar + 1).trim();
  const found = /^count\(\s*([^()]*?)\s*\)(?:\s+by\s+([^<>=|()]+?))?\s*(>=|<=|==|=|>|<)\s*(\d+)$/i.exec(rest);
  if (!found) throw new Error(`the aggregation "${rest}" is not supported; write a correlation rule instead`);
  const [, field, by, sign, number] = found;
  const operators: Record<string, string> = { '>=': 'gte', '<=': 'lte', '>': 'gt', '<': 'lt', '=': 'eq', '==': 'eq' };
  return {
    condition: text.slice(0, bar),
    aggregation: {
      field: field && field !== '*' ? field : undefined,
      groupBy: by ? by.split(/\s*,\s*|\s+/).filter(Boolean) : [],
      operator: operators[sign ?? '>'] ?? 'gt',
      number: Number(number),
    },
  };
}
