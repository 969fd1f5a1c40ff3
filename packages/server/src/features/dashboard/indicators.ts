/** Rules with their alerts for the agile and MITRE views, and as NIST controls and techniques. Pure. */
import type { AttackIndicator, NistAttackIndicator } from '@parapet/contract/dashboard.ts';
import { controlsOf, parentOf, type TechniqueFacts, tacticName, techniquesOf } from '../../domain/facts.ts';
import type { StoredRule } from '../../domain/rules.ts';

export interface CountedRule {
  rule: StoredRule;
  count: number;
}

const maxRows = 10_000;
const maxRulesOfRow = 2_000;
const line = (text: string): string => text.slice(0, 2_000);

/** "Brute Force: Password Guessing", a technique of Credential Access. */
function describe({ id, name, tactics }: TechniqueFacts, parent: TechniqueFacts): string {
  if (name === id) return '';
  const whole = parent.id === id ? name : `${parent.name}: ${name}`;
  return tactics.length === 0 ? whole : `${whole}, a technique of ${tactics.join(', ')}`;
}

function indicatorOf({ rule, count }: CountedRule): AttackIndicator {
  const [technique] = techniquesOf(rule.facts.techniques.slice(0, 1));
  const [parent] = technique ? techniquesOf([parentOf(technique.id)]) : [];
  const [tactic] = rule.facts.tactics;
  return {
    ruleID: rule.key,
    rule: line(rule.title),
    category: line(rule.category),
    criticalityNumber: rule.criticality,
    description: rule.facts.description.slice(0, 20_000),
    count,
    mitreDescription: technique && parent ? line(describe(technique, parent)) : '',
    mitreCategory: line(tactic === undefined ? (technique?.tactics[0] ?? 'N/A') : tacticName(tactic)),
    mitreTechnique: !parent ? '' : line(parent.name === parent.id ? parent.id : `${parent.id} ${parent.name}`),
    mitreSubcategory: !technique || technique.id === parent?.id ? '' : line(technique.name),
    logSource: line(rule.facts.logSource),
  };
}

/** In the order given. */
export const indicatorsOf = (counted: readonly CountedRule[]): AttackIndicator[] => counted.slice(0, maxRows).map(indicatorOf);

/** One row per technique and mitigating control, or without a control; most alerts first. */
export function nistIndicatorsOf(counted: readonly CountedRule[]): NistAttackIndicator[] {
  const byTechnique = new Map<string, CountedRule[]>();
  for (const each of counted) {
    for (const id of new Set(each.rule.facts.techniques)) byTechnique.set(id, [...(byTechnique.get(id) ?? []), each]);
  }
  const rows = techniquesOf([...byTechnique.keys()]).flatMap((technique): NistAttackIndicator[] => {
    const rules = byTechnique.get(technique.id)!;
    const [parent] = techniquesOf([parentOf(technique.id)]);
    const titles = [...new Set(rules.map(({ rule }) => line(rule.title)))].slice(0, maxRulesOfRow);
    const controls = controlsOf([technique.id]);
    return (controls.length > 0 ? controls : [{ id: '', name: '' }]).map((control) => ({
      // Always a list: a title with a comma would otherwise split in two.
      agileRule: titles.length === 1 && !titles[0]!.includes(',') ? titles[0]! : titles,
      description: line(describe(technique, parent!)),
      count: rules.reduce((sum, { count }) => sum + count, 0),
      mitreCategory: line(technique.tactics.join(', ') || 'N/A'),
      mitreTechniqueName: technique.name === technique.id ? '' : line(technique.name),
      mitreTechniqueID: line(technique.id),
      logSource: line([...new Set(rules.map(({ rule }) => rule.facts.logSource))].join('; ')),
      nistControlID: control.id,
      nistControlName: control.name,
    }));
  });
  // Techniques keep the catalogue’s order of controls.
  return rows
    .sort(
      (a, b) =>
        b.count - a.count || (a.mitreTechniqueID < b.mitreTechniqueID ? -1 : a.mitreTechniqueID > b.mitreTechniqueID ? 1 : 0),
    )
    .slice(0, maxRows);
}
