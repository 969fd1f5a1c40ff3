/** Edits of a search by its conditions. */
import { clauses, type Kql, kqlLimits } from './ast.ts';
import { parseKql } from './parse.ts';
import { printKql, printPattern } from './print.ts';

export interface Condition {
  field: string;
  /** undefined: any value. */
  value: string | undefined;
  isExcluded?: boolean | undefined;
}

const writtenOf = ({ field, value, isExcluded = false }: Condition): string =>
  `${isExcluded ? 'not ' : ''}${printPattern([field])}: ${value === undefined ? '*' : printPattern([value])}`;

const treeOf = (search: string): Kql | undefined => {
  const parsed = parseKql(search);
  return parsed.ok ? parsed.ast : undefined;
};
const printed = (ast: Kql): string => printKql(ast).toLowerCase();
const asPart = (ast: Kql): string => (ast.kind === 'or' ? `(${printKql(ast)})` : printKql(ast));

/**
 * A search with one more condition, in place of its opposite. Unchanged where it has the condition; undefined where it would be longer than searches
 * may be.
 */
export function withCondition(search: string, condition: Condition): string | undefined {
  const written = writtenOf(condition);
  const [wanted, opposite] = [treeOf(written), treeOf(writtenOf({ ...condition, isExcluded: !condition.isExcluded }))];
  if (!wanted || !opposite) return undefined;
  const ast = treeOf(search);
  if (!ast) return bounded(written);
  const parts = clauses(ast);
  if (parts.some((part) => printed(part) === printed(wanted))) return search;
  const remaining = parts.filter((part) => printed(part) !== printed(opposite));
  if (remaining.length < parts.length) return bounded([...remaining.map(asPart), written].join(' and '));
  const added = `${search} and ${written}`;
  const tree = treeOf(added);
  const isSame = tree !== undefined && printed(tree) === `${asPart(ast)} and ${printed(wanted)}`.toLowerCase();
  return bounded(isSame ? added : `(${search}) and ${written}`);
}

const bounded = (search: string): string | undefined =>
  search.length <= kqlLimits.length && parseKql(search).ok ? search : undefined;

/** True if every match of a search meets the condition, as one of those joined at the top. */
export function hasCondition(search: string, condition: Condition): boolean {
  const [ast, wanted] = [treeOf(search), treeOf(writtenOf(condition))];
  return ast !== undefined && wanted !== undefined && clauses(ast).some((part) => printed(part) === printed(wanted));
}

/** Place of a completion: the text from `at` to the caret, as the beginning of a field’s name or of its value. */
export type Completion = { at: number; typed: string } & ({ kind: 'field' } | { kind: 'value'; field: string });

const valuePlace = /(?:^|[\s(])([\w.@-]+):\s*(?:\((?:[^()"]*\s(?:or|and|not)\s+)?)?("?)([^\s()":<>]*)$/i;
const fieldPlace = /(?:^|[\s(])([\w.@-]*)$/;

/** undefined within quoted text and other places without names and values. */
export function completionAt(text: string, caret: number): Completion | undefined {
  const head = text.slice(0, caret);
  const value = valuePlace.exec(head);
  if (value) {
    const [, field = '', quote = '', typed = ''] = value;
    return { kind: 'value', field, at: caret - typed.length - quote.length, typed };
  }
  if ((head.match(/(?<!\\)"/g) ?? []).length % 2 === 1) return undefined;
  const typed = fieldPlace.exec(head)?.[1];
  return typed === undefined ? undefined : { kind: 'field', at: caret - typed.length, typed };
}
