/** ATT&CK matrix with alert counts of two periods and the coverage by rules and live sources. Pure. */
import type { coverages, MatrixTactic, navigatorLayers } from '@parapet/contract/attack.ts';
import { attackMatrix, attackVersion, parentOf, proofsOf } from '../../domain/facts.ts';
import type { StoredRule } from '../../domain/rules.ts';

/** A rule with its alerts, and its state in the scope. */
export interface RuleNow {
  rule: StoredRule;
  count: number;
  before: number;
  isInForce: boolean;
  /** True where it can match what arrives. */
  isLive: boolean;
  /** True where its log source is live, and it can match nothing of it. */
  isBlocked: boolean;
  /** Positions of its log sources in the answer. */
  sources: readonly number[];
  /** Positions of its missing fields. */
  missing: readonly number[];
}

type Cell = Omit<MatrixTactic['techniques'][number], 'subtechniques'>;

function coverageOf(count: number, rules: number, liveRules: number): (typeof coverages)[number] {
  if (count > 0) return 'seen';
  if (liveRules > 0) return 'covered';
  return rules > 0 ? 'blind' : 'none';
}

function cellOf({ id, name }: { id: string; name: string }, rules: Iterable<RuleNow>): Cell {
  const cell = { id, name, count: 0, before: 0, criticality: 0, rules: 0, liveRules: 0, blockedRules: 0 };
  const fedBy = new Set<number>();
  const lacking = new Set<number>();
  for (const { rule, count, before, isInForce, isLive, isBlocked, sources, missing } of rules) {
    cell.count += count;
    cell.before += before;
    if (count > 0) cell.criticality = Math.max(cell.criticality, rule.criticality);
    if (!isInForce) continue;
    cell.rules++;
    for (const source of sources) fedBy.add(source);
    for (const field of missing) lacking.add(field);
    if (isLive) cell.liveRules++;
    if (isBlocked) cell.blockedRules++;
  }
  // Proofs are of the product's own rules.
  const proofs = cell.rules > 0 ? proofsOf(id) : [];
  return {
    ...cell,
    coverage: coverageOf(cell.count, cell.rules, cell.liveRules),
    sources: [...fedBy].sort((a, b) => a - b),
    missing: [...lacking].sort((a, b) => a - b),
    recordings: proofs.length,
    provedBy: proofs[0]?.title ?? null,
  };
}

/** Counts each rule once per cell, a technique including its sub-techniques; a technique appears under each of its tactics. */
export function matrixOf(rules: readonly RuleNow[]): { tactics: MatrixTactic[]; covered: number; techniques: number } {
  /** By sub-technique and by technique; a rule with two sub-techniques of one technique counts once there. */
  const byId = new Map<string, Set<RuleNow>>();
  for (const each of rules) {
    for (const id of each.rule.facts.techniques.flatMap((technique) => [technique, parentOf(technique)])) {
      const those = byId.get(id);
      if (those) those.add(each);
      else byId.set(id, new Set([each]));
    }
  }
  const of = (id: string): Set<RuleNow> => byId.get(id) ?? new Set();
  const tactics = attackMatrix.map(({ id, name, techniques }) => {
    const those = new Set(techniques.flatMap((technique) => [...of(technique.id)]));
    return {
      id,
      name,
      count: [...those].reduce((sum, { count }) => sum + count, 0),
      techniques: techniques.map((technique) => ({
        ...cellOf(technique, of(technique.id)),
        subtechniques: technique.subtechniques.map((sub) => cellOf(sub, of(sub.id))),
      })),
    };
  });
  const live = new Map(tactics.flatMap(({ techniques }) => techniques.map(({ id, liveRules }) => [id, liveRules > 0] as const)));
  return { tactics, covered: [...live.values()].filter(Boolean).length, techniques: live.size };
}

/** A layer for ATT&CK Navigator, scored by alerts or by the recordings that prove a rule; format 4.5: https://github.com/mitre-attack/attack-navigator/blob/master/layers/spec/v4.5/layerformat.md */
export function layerOf(
  tactics: readonly MatrixTactic[],
  { name, description, layer }: { name: string; description: string; layer: (typeof navigatorLayers)[number] },
): object {
  const scoreOf = ({ count, recordings }: Cell): number => (layer === 'alerts' ? count : recordings);
  const cells = new Map<string, Cell>();
  for (const { techniques } of tactics) {
    for (const { subtechniques, ...technique } of techniques)
      for (const cell of [technique, ...subtechniques]) if (cell.coverage !== 'none') cells.set(cell.id, cell);
  }
  return {
    name,
    description,
    versions: { attack: attackVersion.split('.')[0], layer: '4.5' },
    domain: 'enterprise-attack',
    sorting: 3,
    hideDisabled: false,
    techniques: [...cells.values()].map((cell) => ({
      techniqueID: cell.id,
      score: scoreOf(cell),
      enabled: true,
      showSubtechniques: !cell.id.includes('.'),
      ...(cell.provedBy === null ? {} : { comment: `Proved by recording: ${cell.provedBy}` }),
      metadata: [
        { name: 'Coverage', value: cell.coverage },
        { name: 'Rules', value: String(cell.rules) },
        { name: 'Rules that can match now', value: String(cell.liveRules) },
        { name: 'Rules with missing fields', value: String(cell.blockedRules) },
        { name: 'Highest criticality', value: String(cell.criticality) },
        { name: 'Alerts before', value: String(cell.before) },
        { name: 'Recordings that prove a rule', value: String(cell.recordings) },
      ],
    })),
    gradient: {
      colors: ['#ffffff', '#fdae6b', '#a63603'],
      minValue: 0,
      maxValue: [...cells.values()].reduce((most, cell) => Math.max(most, scoreOf(cell)), 1),
    },
    legendItems: [],
  };
}
