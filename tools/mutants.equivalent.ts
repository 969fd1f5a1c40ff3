/** Mutants that change nothing that a caller could notice, each with its reason. Texts of lines are trimmed. */

export const equivalents: readonly { source: string; before: string; after: string; reason: string }[] = [
  {
    source: 'packages/server/src/core/http/actor.ts',
    before: 'const isRecent = (at: number): boolean => systemClock.now() - at <= freshMs;',
    after: 'const isRecent = (at: number): boolean => systemClock.now() - at < freshMs;',
    reason: 'One millisecond of ten minutes.',
  },
  {
    source: 'packages/server/src/core/http/actor.ts',
    before: "export function isFresh(actor: Actor, needs: FreshnessLevel = 'fresh'): boolean {",
    after: "export function isFresh(actor: Actor, needs: FreshnessLevel = 'freshx'): boolean {",
    reason: 'Any level but the three others needs the same: a recent proof.',
  },
  {
    source: 'packages/server/src/core/http/actor.ts',
    before: "export function requireFresh(actor: Actor, needs: FreshnessLevel = 'fresh'): void {",
    after: "export function requireFresh(actor: Actor, needs: FreshnessLevel = 'freshx'): void {",
    reason: 'Any level but the three others needs the same: a recent proof.',
  },
  {
    source: 'packages/contract/src/access.ts',
    before: "export const isAvailableToKeys = (allow: Allow): boolean => allow === 'anyone' || keyScopeOf[allow] !== null;",
    after: "export const isAvailableToKeys = (allow: Allow): boolean => allow === 'anyonex' || keyScopeOf[allow] !== null;",
    reason: 'The table has no entry for it, which is not null either.',
  },
  {
    source: 'packages/contract/src/access.ts',
    before: "const needed = allow === 'anyone' ? null : keyScopeOf[allow];",
    after: "const needed = allow === 'anyonex' ? null : keyScopeOf[allow];",
    reason: 'The table has no entry for it, and undefined is returned as well.',
  },
  {
    source: 'packages/server/src/core/db/scope-proof.ts',
    before: 'const maxProven = 200;',
    after: 'const maxProven = 201;',
    reason: 'The size of a cache.',
  },
  {
    source: 'packages/server/src/core/db/scope-proof.ts',
    before: 'if (known.values.size < maxProven) known.values.set(visible, value);',
    after: 'if (known.values.size <= maxProven) known.values.set(visible, value);',
    reason: 'The size of a cache.',
  },
  {
    source: 'packages/server/src/core/db/scope-proof.ts',
    before: 'if (known.values.size < maxProven) known.values.set(visible, value);',
    after: 'if (known.values.size > maxProven) known.values.set(visible, value);',
    reason: 'Without the cache, the same values.',
  },
  {
    source: 'packages/server/src/core/db/scope.ts',
    before: 'const started = observer ? performance.now() : 0;',
    after: 'const started = observer ? performance.now() : 1;',
    reason: 'Read with an observer alone.',
  },
  {
    source: 'packages/server/src/core/db/scope.ts',
    before: 'return { rows: (rows ?? []) as R[], ...(changing.has(command) ? { numAffectedRows: BigInt(rowCount ?? 0) } : {}) };',
    after: 'return { rows: (rows ?? []) as R[], ...(changing.has(command) ? { numAffectedRows: BigInt(rowCount ?? 1) } : {}) };',
    reason: 'PostgreSQL counts the rows of each of these commands.',
  },
  {
    source: 'packages/server/src/core/db/scope.ts',
    before: "const standIn = Symbol('value');",
    after: "const standIn = Symbol('valuex');",
    reason: 'The description of a symbol.',
  },
];
