/** Writes a tree as a search that parses to the same tree. */
import { isAny, type Kql, type Pattern } from './ast.ts';

export function printKql(ast: Kql): string {
  if (ast.kind === 'and' || ast.kind === 'or') return ast.parts.map((part) => printPart(part)).join(` ${ast.kind} `);
  if (ast.kind === 'not') return `not ${printPart(ast.part)}`;
  if (ast.kind === 'text') return printPattern(ast.text);
  if (ast.kind === 'range') return `${printPattern(ast.field)} ${ast.comparison} ${printPattern([ast.bound])}`;
  return `${printPattern(ast.field)}: ${printPattern(ast.value)}`;
}

const printPart = (part: Kql) => (part.kind === 'and' || part.kind === 'or' ? `(${printKql(part)})` : printKql(part));

/** Plain names and values stand as they are; others are quoted, and with wildcards escaped. */
export function printPattern(pattern: Pattern): string {
  const [only = ''] = pattern;
  if (pattern.length > 1)
    return isAny(pattern) ? '*' : pattern.map((piece) => piece.replace(/[\\():<>"*{}\s]/g, '\\$&')).join('*');
  if (/^[\w.@/$+-]+$/.test(only) && !/^(and|or|not)$/i.test(only)) return only;
  return `"${only.replace(/["\\]/g, '\\$&')}"`;
}
