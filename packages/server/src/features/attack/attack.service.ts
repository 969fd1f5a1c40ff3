/** Attack indicators: observed techniques, detection coverage, and mitigating controls. */
import type { attackApi, navigatorLayers } from '@parapet/contract/attack.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { problem } from '@parapet/contract/problem.ts';
import { connectorsOf } from '@parapet/contract/rules/connectors.ts';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { type Scope, scoped, type Tx } from '../../core/db/scope.ts';
import { type Actor, scopeFor } from '../../core/http/actor.ts';
import { recordAudit } from '../../domain/audit.ts';
import { controlsOf, techniquesOf } from '../../domain/facts.ts';
import { listCounts, retainedRange } from '../../domain/figures.ts';
import { type Fed, isPortals, listFed, logSourcesOf } from '../../domain/logSources.ts';
import type { Range } from '../../domain/ranges.ts';
import { listRules, type StoredRule } from '../../domain/rules.ts';
import type { BlockedRules, MissingField, RulesInForce } from '../../domain/rulesInForce.ts';
import { layerOf, matrixOf, type RuleNow } from './attack.matrix.ts';

export type AttackService = ReturnType<typeof createAttackService>;

/** Client id (0 for all) and timeframe. */
export interface ClientTimeframe {
  client: number;
  start: string;
  end: string;
}

export interface AttackDeps {
  db: Database;
  clock: Clock;
  inForce: RulesInForce;
}

type Matrix = AnswerOf<typeof attackApi.matrix>;

const line = (text: string): string => text.slice(0, 2_000);
const rangeOf = (start: string, end: string): Range => ({ start: Date.parse(start), end: Date.parse(end) });

export function createAttackService({ db, clock, inForce }: AttackDeps) {
  const countRules = async (tx: Tx, scope: Scope, requested: Range): Promise<Map<number, number>> => {
    const { range, horizon } = await retainedRange(tx, requested, clock.now());
    if (range.start >= range.end) return new Map();
    const counts = await listCounts<number>(tx, scope, 'rule', range, horizon);
    return new Map(counts.map(({ key, count }) => [key, count]));
  };

  const readMatrix = async (tx: Tx, scope: Scope, range: Range, compared: Range | undefined): Promise<Matrix> => {
    const counts = await countRules(tx, scope, range);
    const before = compared ? await countRules(tx, scope, compared) : new Map<number, number>();
    const stored = await listRules(tx);
    const fed = await listFed(tx, scope, clock.now());
    const blocked = await inForce.listBlocked(tx, scope, clock.now());
    const states = statesOf(scope, { inForce, fed, blocked });
    const current = stored.filter(({ key }) => states.isInForce(key));
    const sources = sourcesOf(current, new Map(fed.map((each) => [each.logSource, each])));
    const missing = await blocked.nameFields(new Set(current.filter((rule) => states.of(rule).isBlocked).map(({ key }) => key)));
    const rules = rulesNow(stored, { counts, before, states, sources, missing });
    const sum = (some: readonly RuleNow[]) => some.reduce((total, { count }) => total + count, 0);
    const isTagged = ({ rule }: RuleNow) => rule.facts.techniques.length > 0;
    return {
      ...matrixOf(rules),
      total: sum(rules.filter(isTagged)),
      untagged: sum(rules.filter((each) => !isTagged(each))),
      sources,
      missing: missing.map(({ ruleKeys, code, field, logSource, ...each }) => ({
        ...each,
        field: line(field),
        logSource: line(logSource),
        code: code?.slice(0, 100) ?? null,
        rules: ruleKeys.length,
        connectors: [...connectorsOf(logSource)],
      })),
    };
  };

  return {
    /** For reports, within their transaction. */
    matrixIn: (tx: Tx, scope: Scope, range: Range): Promise<Matrix> => readMatrix(tx, scope, range, undefined),

    async matrix(
      actor: Actor,
      { client, start, end }: ClientTimeframe,
      { compareStart, compareEnd }: { compareStart?: string | undefined; compareEnd?: string | undefined },
    ): Promise<Matrix> {
      const scope = scopeFor(actor, client);
      if ((compareStart === undefined) !== (compareEnd === undefined))
        throw problem.invalid({ compareEnd: ['Provide both ends of the comparison timeframe, or none.'] });
      const compared = compareStart === undefined || compareEnd === undefined ? undefined : rangeOf(compareStart, compareEnd);
      if (compared && compared.start >= compared.end) throw problem.invalid({ compareEnd: ['The end must be after the start.'] });
      return scoped(db, scope, (tx) => readMatrix(tx, scope, rangeOf(start, end), compared), { readOnly: true });
    },

    /** JSON text of the layer. */
    async navigator(
      actor: Actor,
      { client, start, end }: ClientTimeframe,
      layer: (typeof navigatorLayers)[number],
    ): Promise<string> {
      const scope = scopeFor(actor, client);
      return scoped(db, scope, async (tx) => {
        await recordAudit(tx, actor, {
          action: 'attack.exported',
          organisationId: client || actor.organisationId,
          after: { client, start, end },
        });
        const whose = client && (await tx.selectFrom('organisations').select('name').where('id', '=', client).executeTakeFirst());
        const { tactics } = await readMatrix(tx, scope, rangeOf(start, end), undefined);
        const named = titlesOf(layer, whose ? whose.name : 'all clients', { start, end });
        return JSON.stringify(layerOf(tactics, { ...named, layer }), null, 2);
      });
    },

    async controls(actor: Actor, { client, start, end }: ClientTimeframe): Promise<AnswerOf<typeof attackApi.controls>> {
      const scope = scopeFor(actor, client);
      return scoped(
        db,
        scope,
        async (tx) => {
          const counts = await countRules(tx, scope, rangeOf(start, end));
          const rules = await listRules(tx, [...counts.keys()]);
          const results = controlsAnswering(
            rules.map(({ id, facts }) => ({ count: counts.get(id) ?? 0, techniques: facts.techniques })),
          );
          return { results: results.slice(0, 1_000), total: results.length };
        },
        { readOnly: true },
      );
    },
  };
}

const titlesOf = (layer: (typeof navigatorLayers)[number], whose: string, { start, end }: { start: string; end: string }) =>
  layer === 'alerts'
    ? { name: `Attack indicators, ${whose}`, description: `Alerts from ${start} until before ${end}.` }
    : { name: `Proved by recording, ${whose}`, description: 'Recordings on which a rule of the technique raised an alert.' };

interface StateInputs {
  inForce: RulesInForce;
  fed: readonly Fed[];
  blocked: BlockedRules;
}

/** State of rules over the organisations of a scope: one in which a rule can match is enough. */
function statesOf(scope: Scope, { inForce, fed, blocked }: StateInputs) {
  if (scope === 'system') throw new TypeError('Coverage is that of organisations.');
  const fedBy = new Map(fed.map(({ logSource, organisationIds }) => [logSource, organisationIds]));
  return {
    isInForce: (key: string): boolean => scope.organisationIds.some((id) => inForce.isInForce(key, id)),
    of({ key, facts }: StoredRule): { isLive: boolean; isBlocked: boolean } {
      const blockedFor = blocked.organisations.get(key);
      const sources = logSourcesOf(facts.logSource);
      const fedIds = sources.some(isPortals) ? scope.organisationIds : sources.flatMap((source) => fedBy.get(source) ?? []);
      const isLive = fedIds.some((id) => !blockedFor?.has(id) && inForce.isInForce(key, id));
      return { isLive, isBlocked: !isLive && fedIds.some((id) => inForce.isInForce(key, id)) };
    },
  };
}

interface RuleInputs {
  counts: ReadonlyMap<number, number>;
  before: ReadonlyMap<number, number>;
  states: ReturnType<typeof statesOf>;
  sources: Matrix['sources'];
  missing: readonly MissingField[];
}

function rulesNow(stored: readonly StoredRule[], { counts, before, states, sources, missing }: RuleInputs): RuleNow[] {
  const positions = new Map(sources.map(({ logSource }, position) => [logSource, position]));
  const missingOf = new Map<string, number[]>();
  for (const [position, { ruleKeys }] of missing.entries())
    for (const key of ruleKeys) missingOf.set(key, [...(missingOf.get(key) ?? []), position]);
  return stored.map((rule): RuleNow => {
    const { isLive, isBlocked } = states.of(rule);
    return {
      rule,
      count: counts.get(rule.id) ?? 0,
      before: before.get(rule.id) ?? 0,
      isInForce: states.isInForce(rule.key),
      isLive,
      isBlocked,
      sources: logSourcesOf(rule.facts.logSource).flatMap((logSource) => positions.get(line(logSource)) ?? []),
      missing: isBlocked ? (missingOf.get(rule.key) ?? []) : [],
    };
  });
}

/** Log sources of rules with their state; live ones first. */
function sourcesOf(rules: readonly StoredRule[], fed: ReadonlyMap<string, Fed>): Matrix['sources'] {
  const readBy = new Map<string, number>();
  for (const { facts } of rules)
    for (const source of logSourcesOf(facts.logSource)) readBy.set(source, (readBy.get(source) ?? 0) + 1);
  return [...readBy]
    .map(([logSource, reading]) => ({
      logSource: line(logSource),
      isLive: isPortals(logSource) || (fed.get(logSource)?.devices ?? 0) > 0,
      rules: reading,
      devices: fed.get(logSource)?.devices ?? 0,
      lastEventAt: fed.get(logSource)?.lastEventAt.toISOString() ?? null,
      connectors: [...connectorsOf(logSource)],
    }))
    .sort((a, b) => Number(b.isLive) - Number(a.isLive) || b.rules - a.rules || (a.logSource < b.logSource ? -1 : 1))
    .slice(0, 500);
}

/** Counts each rule’s alerts once per control, however many of its techniques the control mitigates; most alerts first. */
export function controlsAnswering(
  rules: readonly { count: number; techniques: readonly string[] }[],
): AnswerOf<typeof attackApi.controls>['results'] {
  const rows = new Map<string, { name: string; count: number; techniques: Map<string, number> }>();
  for (const { count, techniques } of rules) {
    const counted = new Set<string>();
    for (const technique of new Set(techniques)) {
      for (const { id, name } of controlsOf([technique])) {
        const row = rows.get(id) ?? { name, count: 0, techniques: new Map<string, number>() };
        rows.set(id, row);
        if (!counted.has(id)) row.count += count;
        counted.add(id);
        row.techniques.set(technique, (row.techniques.get(technique) ?? 0) + count);
      }
    }
  }
  return [...rows]
    .map(([nistControlID, { name: nistControlName, count, techniques }]) => ({
      nistControlID,
      nistControlName,
      count,
      techniques: techniquesOf([...techniques.keys()])
        .map(({ id, name }) => ({ id: line(id), name: line(name), count: techniques.get(id) ?? 0 }))
        .sort((a, b) => b.count - a.count || (a.id < b.id ? -1 : 1))
        .slice(0, 300),
    }))
    .sort((a, b) => b.count - a.count || (a.nistControlID < b.nistControlID ? -1 : 1));
}
