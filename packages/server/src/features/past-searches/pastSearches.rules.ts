/** Rules of a pack over stored events, with and without the update, as a preview judges a change (docs/decisions/0066-rule-preview.md). */
import { providerId } from '@parapet/contract/access.ts';
import { sql } from 'kysely';
import { integerColumn, textColumn } from '../../core/db/bulk.ts';
import { readScoped, scoped } from '../../core/db/scope.ts';
import type { StoredEvent } from '../../domain/events/eventStore.ts';
import type { PastTerm } from '../../domain/pastSearches.ts';
import { concernedBy, createPastJudge, type PastAlert } from '../../pipeline/past.ts';
import type { RuleSettings, StoredVersion } from '../../pipeline/rule-settings.ts';
import { type PastSearchDeps, readSlice, rest, type SearchClient, saveClient } from './pastSearches.slices.ts';
import * as store from './pastSearches.store.ts';
import { exampleOf } from './pastSearches.terms.ts';

const maxExamples = 3;

/** A client at a time: alerts are grouped and correlated over its whole range. An interrupted client begins again. */
export async function createRuleSearch(
  deps: PastSearchDeps,
  search: store.SearchRow,
  terms: readonly PastTerm[],
  isClosed: () => boolean,
): Promise<SearchClient> {
  const { db, clock, detector, groupingWindowMs } = deps;
  const taken = await readVersions(terms.map(({ value, version }) => ({ value, version: version ?? 0 })));
  const replaced = await readVersions(terms.flatMap(({ value, replaced: version }) => (version ? [{ value, version }] : [])));
  await detector.readTexts([...taken, ...replaced]);
  const trial = detector.tryOut(...changesOf(taken, replaced));
  const keys = taken.map(({ key }) => key);
  const concerned = concernedBy(trial, keys);

  return async (client, turn) => {
    const judge = createPastJudge(trial, client.organisationId, concerned, groupingWindowMs);
    let [oldestAt, isFull] = [client.oldestAt, false];
    let searchedTo: number | undefined = client.searchedTo;
    while (searchedTo !== undefined) {
      const began = performance.now();
      const ruledOut: number[] = [];
      const visit = (event: StoredEvent): boolean => {
        turn.events++;
        oldestAt = event.at;
        isFull = judge.add(event);
        return isFull;
      };
      const onRuledOut = (at: number) => ruledOut.push(at);
      searchedTo = await readSlice(deps, { ...client, searchedTo }, visit, { texts: concerned.texts, onRuledOut });
      // Of its last block, a slice leaves what lies before its end to the next one.
      const end = isFull ? oldestAt! : (searchedTo ?? client.firstAt);
      const passed = ruledOut.filter((at) => at >= end);
      turn.events += passed.length;
      oldestAt = oldestOf(passed, oldestAt);
      if (!(await scoped(db, 'system', (tx) => store.renew(tx, search.id, client)))) return false;
      if (searchedTo === undefined || isFull) break;
      if (isClosed()) {
        await scoped(db, 'system', (tx) => store.release(tx, search.id));
        return false;
      }
      await rest(deps, began);
    }
    const { gained, lost } = judge.difference(clock.now());
    return saveClient(deps, search, {
      organisationId: client.organisationId,
      from: client.searchedTo,
      searchedTo: isFull && oldestAt !== null ? oldestAt : client.firstAt,
      oldestAt,
      events: turn.events,
      kinds: [],
      state: 'done',
      isFull,
      lost: lost.length,
      hits: hitsOf(gained),
    });
  };

  async function readVersions(wanted: readonly { value: string; version: number }[]): Promise<StoredVersion[]> {
    const { rows } = await readScoped(db, 'system', (tx) =>
      sql<StoredVersion>`
        select v.organisation_id as "organisationId", v.rule_key as key, v.version, v.yaml, v.revision, false as "isShadow"
        from unnest(${textColumn(wanted.map(({ value }) => value))}, ${integerColumn(wanted.map(({ version }) => version))}) as w (key, version)
        join rule_versions v on v.organisation_id = ${providerId} and v.rule_key = w.key and v.version = w.version`.execute(tx),
    );
    return rows;
  }
}

const oldestOf = (times: readonly number[], known: number | null): number | null =>
  times.reduce((oldest, at) => (oldest === null || at < oldest ? at : oldest), known);

type Change = (settings: RuleSettings) => RuleSettings;

/** Settings with the versions that were accepted, and those before: with the versions that they replaced. */
function changesOf(taken: readonly StoredVersion[], replaced: readonly StoredVersion[]): [after: Change, before: Change] {
  const versionOf = new Map(taken.map(({ key, version }) => [key, version]));
  const isReplaced = new Set(replaced.map(({ key }) => key));
  return [
    (settings) => ({
      ...settings,
      versions: [...settings.versions.filter(({ key }) => !versionOf.has(key)), ...taken],
    }),
    (settings) => ({
      ...settings,
      versions: [
        ...settings.versions.filter(({ key, version }) => versionOf.get(key) !== version && !isReplaced.has(key)),
        ...replaced,
      ],
    }),
  ];
}

/** Alerts by rule. */
function hitsOf(alerts: readonly PastAlert[]): store.Hit[] {
  const byRule = Map.groupBy(
    [...alerts].sort((a, b) => b.at - a.at),
    ({ ruleKey }) => ruleKey,
  );
  return [...byRule].map(([value, found]) => ({
    kind: 'rule' as const,
    value,
    label: found[0]!.title,
    reputation: null,
    source: '',
    count: found.length,
    firstAt: found.at(-1)!.at,
    lastAt: Math.max(...found.slice(0, 1_000).map(({ lastAt }) => lastAt)),
    examples: found.slice(0, maxExamples).map((alert) => exampleOf(alert)),
  }));
}
