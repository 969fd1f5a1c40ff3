/** Conditions of a search without hits that match nothing on their own, as their places in it. */
import { clauses, type Span } from '@parapet/contract/rules/kql/ast.ts';
import { parseKql } from '@parapet/contract/rules/kql/parse.ts';
import { printKql } from '@parapet/contract/rules/kql/print.ts';
import type { Database } from '../../core/db/connect.ts';
import { isStatementTimeout, readScoped, type Scope } from '../../core/db/scope.ts';
import { type EventSearchQuery, hasMatch } from './events.store.ts';

const maxClauses = 10;
/** In all; conditions left by then are not named. */
const timeMs = 2_000;

export async function unmatchedClauses(db: Database, scope: Scope, { filter, ...query }: EventSearchQuery): Promise<Span[]> {
  const parsed = parseKql(filter.search);
  const parts = parsed.ok && parsed.ast ? clauses(parsed.ast) : [];
  if (parts.length < 2) return [];
  const found: Span[] = [];
  const until = performance.now() + timeMs;
  for (const part of parts.slice(0, maxClauses)) {
    const left = Math.ceil(until - performance.now());
    if (left <= 0) break;
    const alone = { ...query, filter: { ...filter, search: printKql(part) } };
    try {
      const isMatched = await readScoped(db, scope, (tx) => hasMatch(tx, scope, alone, left), {
        statementTimeoutMs: left,
        isolation: 'repeatable read',
      });
      if (isMatched === false) found.push({ at: part.at, length: part.length });
    } catch (error) {
      if (!isStatementTimeout(error)) throw error;
      break;
    }
  }
  return found;
}
