/** Circumstances of alerts and of the accounts behind them, with the tools that all findings share. */
import { criticalityOf } from '@parapet/contract/primitives.ts';
import { quote } from '../../domain/quote.ts';
import { contexts, type Detail, everydayTechniques, isOwnDomain } from './decisioning.telling.ts';
import type { CaseFacts, Citation, Finding, RuleFact } from './decisioning.types.ts';
import { type Feature, maxAmounts } from './decisioning.weights.ts';

export type Cited = RuleFact & { citation: Citation };

/** Limits the amounts of a feature to its largest one. */
export function budget() {
  const used = new Map<Feature, number>();
  return (feature: Feature, wanted = 1): number => {
    const before = used.get(feature) ?? 0;
    const amount = Math.max(0, Math.min(wanted, (maxAmounts[feature] ?? 1) - before));
    used.set(feature, before + amount);
    return amount;
  };
}

/** Days on which a rule fired before; one that was reviewed as benign counts twice. */
export const habitOf = ({ firedBefore, clearedBefore }: RuleFact): number => firedBefore + clearedBefore;

/** Every circumstance of a case, whatever its weight. */
export function ofCircumstances(rules: readonly Cited[], indicators: CaseFacts['indicators']): Finding[] {
  const around = ofContexts(rules, indicators);
  return [...around, ...ofEveryday(rules, around), ...ofOwnDomain(rules), ...ofSessions(rules), ...ofUsual(rules)];
}

/** Alerts to which a declared circumstance applies; each circumstance counts once. */
function ofContexts(rules: readonly Cited[], indicators: CaseFacts['indicators']): Finding[] {
  const take = budget();
  // An address of the client's own list, or of its managed devices, is no foreign one.
  const managed = rules.flatMap(({ session }) => (session?.isManaged && !session.isRisky ? [session.citation.value] : []));
  const listed = indicators.flatMap(({ reputation, value }) => (reputation === 'Benign' ? [value] : []));
  const known = new Set([...listed, ...managed].map((value) => value.toLowerCase()));
  return contexts.flatMap(({ feature, fields, pattern, tactics, techniques, isForeign, amount: most, text }): Finding[] => {
    for (const rule of rules) {
      if (isForeign && ownContact(rule)) continue;
      if (tactics && !rule.tactics.some((tactic) => tactics.includes(tactic))) continue;
      if (techniques && !rule.techniques.some((technique) => techniques.includes(technique))) continue;
      // Circumstances of mild rules beside severe ones count for little.
      if (rule.criticality < Math.min(criticalityOf.medium, rules[0]!.criticality)) continue;
      const detail = rule.details.find(
        (each) => fields.includes(each.name) && pattern.test(each.value) && !known.has(each.value.toLowerCase()),
      );
      const amount = detail ? take(feature, most) : 0;
      if (!detail || amount === 0) continue;
      const citation = citationOf(rule, detail);
      return [{ feature, amount, text: `${text}: ${quote(detail.value)}.`, citation }];
    }
    return [];
  });
}

const citationOf = ({ citation }: Cited, { alertID = citation.alertID, field, value }: Detail): Citation => ({
  alertID,
  field,
  value,
});

const isEveryday = ({ confidence, techniques }: Cited): boolean =>
  confidence === 'low' ||
  (techniques.length > 0 &&
    techniques.every((technique) => everydayTechniques.some((id) => technique === id || technique.startsWith(`${id}.`))));

/** Work that administrators do as well, with nothing else beside it. */
function ofEveryday(rules: readonly Cited[], around: readonly Finding[]): Finding[] {
  const telling = rules.filter(({ criticality }) => criticality >= Math.min(criticalityOf.medium, rules[0]!.criticality));
  if (around.some(({ feature }) => feature === 'context.risky') || !telling.every(isEveryday)) return [];
  const { citation } = rules[0]!;
  const text = `Administrators do this as well, and nothing beside it is telling: ${quote(citation.value)}.`;
  return [{ feature: 'technique.everyday', amount: 1, text, citation }];
}

/** Command or script that contacts the client's own domain and no other. */
const ownContact = ({ details, device }: Cited) =>
  details.find(
    ({ name, value }) =>
      (name === 'process.command_line' || name === 'winlog.event_data.ScriptBlockText') && isOwnDomain(value, device),
  );

function ofOwnDomain(rules: readonly Cited[]): Finding[] {
  for (const rule of rules) {
    const detail = rule.criticality >= Math.min(criticalityOf.medium, rules[0]!.criticality) ? ownContact(rule) : undefined;
    if (!detail) continue;
    const citation = citationOf(rule, detail);
    const text = `It contacts the client’s own domain and no other: ${quote(detail.value)}.`;
    return [{ feature: 'context.own', amount: 1, text, citation }];
  }
  return [];
}

/** One session that is not managed outweighs all that are. */
function ofSessions(rules: readonly Cited[]): Finding[] {
  const sessions = rules.flatMap(({ session }) => session ?? []);
  const worst = sessions.find(({ isRisky }) => isRisky) ?? sessions.find(({ isManaged }) => !isManaged) ?? sessions[0];
  if (!worst) return [];
  const { isManaged, isRisky, citation } = worst;
  const address = quote(citation.value);
  if (isManaged && !isRisky)
    return [{ feature: 'session.managed', amount: 1, text: `Sign-ins from ${address} were on managed devices.`, citation }];
  const text = isRisky
    ? `The identity provider rated the sign-in from ${address} as risky.`
    : `A sign-in from ${address} was on a device that is not managed.`;
  return [{ feature: 'session.unmanaged', amount: isRisky ? 2 : 1, text, citation }];
}

/** Days from which an account belongs to a device. */
const usualFrom = 3;
function ofUsual(rules: readonly Cited[]): Finding[] {
  const usual = rules.find((rule) => rule.usual && rule.usual.days >= usualFrom)?.usual;
  if (!usual) return [];
  const text = `${quote(usual.citation.value)} worked on this device on ${usual.days} of the 10 days before.`;
  return [{ feature: 'account.usual', amount: 1, text, citation: usual.citation }];
}
