/**
 * Cached rule metadata: a few thousand rows shared by all tenants that change when a process starts with new rules. Pages of
 * alerts need no join, and filters by title or category no statement.
 */
import { sql } from 'kysely';
import type { Bus } from '../../core/bus.ts';
import type { Tx } from '../../core/db/scope.ts';

export interface KnownRule {
  id: number;
  key: string;
  title: string;
  category: string;
  /** First ATT&CK technique of the rule. */
  technique: string | null;
  techniques: readonly string[];
}

export interface Rules {
  /** Sorted by title. */
  list: readonly KnownRule[];
  byId: ReadonlyMap<number, KnownRule>;
}

export interface Catalogue {
  rules(tx: Tx): Promise<Rules>;
  /** Reloads after alerts refer to an unknown rule. */
  renewed(tx: Tx): Promise<Rules>;
  close(): void;
}

/** Cache lifetime, for a missed 'rules.changed' message. */
const rememberMs = 30_000;

export function createCatalogue({ bus }: { bus: Pick<Bus, 'on'> }): Catalogue {
  let known: { rules: Rules; until: number } | undefined;
  let changes = 0;
  const forget = () => {
    changes++;
    known = undefined;
  };
  const offs = [bus.on('rules.changed', forget), bus.on('bus.reconnected', forget)];

  const renewed = async (tx: Tx): Promise<Rules> => {
    const before = changes;
    // Of all organisations: what they select is alerts, which have a scope.
    const { rows } = await sql<{ id: number; key: string; title: string; category: string; techniques: unknown }>`
      select id, key, title, category, techniques from all_rules()`.execute(tx);
    const list = rows.map((row) => {
      const techniques: string[] = Array.isArray(row.techniques) ? row.techniques : [];
      return { ...row, techniques, technique: techniques[0] ?? null };
    });
    list.sort((a, b) => (a.title < b.title ? -1 : a.title > b.title ? 1 : a.id - b.id));
    const rules = { list, byId: new Map(list.map((rule) => [rule.id, rule])) };
    if (before === changes) known = { rules, until: performance.now() + rememberMs };
    return rules;
  };

  return {
    rules: async (tx) => (known && known.until > performance.now() ? known.rules : renewed(tx)),
    renewed,
    close() {
      for (const off of offs) off();
    },
  };
}
