/** Circumstances of alerts and of the accounts behind them, with the tools that all findings share. */
import { criticalityOf } from '@parapet/contract/primitives.ts';
import { quote } from '../../domain/quote.ts';
import { isOwnDomain } from './decisioning.own.ts';
import { type Context, contexts, type Detail, everydayTechniques, isRefusal, outsideSource } from './decisioning.signals.ts';
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
  const refused = ofRefusals(rules);
  // The source and program of a request show nothing if it had no effect.
  const around = ofContexts(rules, indicators).filter(({ feature }) => refused.length === 0 || feature !== 'context.risky');
  return [
    ...around,
    ...ofDeployments(rules, around),
    ...ofEveryday(rules, around),
    ...ofOwnDomain(rules),
    ...refused,
    ...ofSessions(rules),
    ...ofPerson(rules, around),
  ];
}

/** Alerts to which a declared circumstance applies; each circumstance counts once. */
function ofContexts(rules: readonly Cited[], indicators: CaseFacts['indicators']): Finding[] {
  const take = budget();
  // An address of the client's own list, or of its managed devices, is no foreign one.
  const managed = rules.flatMap(({ session }) =>
    session && (session.isManaged || session.isShared) && !session.isRisky ? [session.citation.value] : [],
  );
  const listed = indicators.flatMap(({ reputation, value }) => (reputation === 'Benign' ? [value] : []));
  const known = new Set([...listed, ...managed].map((value) => value.toLowerCase()));
  return contexts.flatMap((context): Finding[] => {
    const { feature, fields, pattern, amount: most, text } = context;
    for (const rule of rules) {
      // Circumstances of mild rules beside severe ones count for little.
      if (!isMeant(context, rule) || rule.criticality < Math.min(criticalityOf.medium, rules[0]!.criticality)) continue;
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

/** True for a rule of the circumstance's tactics and techniques. */
function isMeant({ tactics, techniques, never, except, isForeign }: Context, rule: Cited): boolean {
  if (isForeign && ownContact(rule)) return false;
  if (never && rule.tactics.some((tactic) => never.includes(tactic))) return false;
  if (except && rule.techniques.length > 0 && rule.techniques.every((technique) => except.includes(technique))) return false;
  return (
    (!tactics || rule.tactics.some((tactic) => tactics.includes(tactic))) &&
    (!techniques || rule.techniques.some((technique) => techniques.includes(technique)))
  );
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
  const significant = rules.filter(({ criticality }) => criticality >= Math.min(criticalityOf.medium, rules[0]!.criticality));
  if (around.some(({ feature }) => feature === 'context.risky') || !significant.every(isEveryday)) return [];
  const { citation } = rules[0]!;
  const text = `Administrators do this as well, and nothing beside it is telling: ${quote(citation.value)}.`;
  return [{ feature: 'technique.everyday', amount: 1, text, citation }];
}

/** Services, drivers and settings that appeared while management software installed something. */
function ofDeployments(rules: readonly Cited[], around: readonly Finding[]): Finding[] {
  const take = budget();
  for (const { feature, amount } of around) if (feature === 'context.managed') take(feature, amount);
  return rules.flatMap(({ deployed, criticality, title }): Finding[] => {
    const isMinor = criticality < Math.min(criticalityOf.medium, rules[0]!.criticality);
    const amount = deployed && !isMinor ? take('context.managed') : 0;
    if (!deployed || amount === 0) return [];
    const text = `Management software installed something on ${quote(deployed.value)} shortly before ${quote(title)}.`;
    return [{ feature: 'context.managed', amount, text, citation: deployed }];
  });
}

/** Command or script that contacts the client's own domain and no other, if each that is shown does. */
function ownContact({ details, device }: Cited): Detail | undefined {
  const shown = commandsOf(details);
  return shown.every(({ value }) => isOwnDomain(value, device)) ? shown[0] : undefined;
}

const commandsOf = (details: readonly Detail[]): readonly Detail[] =>
  details.filter(({ name }) => name === 'process.command_line' || name === 'winlog.event_data.ScriptBlockText');

const outward: ReadonlySet<string> = new Set(['exfiltration', 'command-and-control']);

/** True for data or orders that stay with the client: the rule shows no other tactic, and the commands of all its alerts contact the client's own domain alone. */
export const staysInside = (rule: Cited): boolean =>
  rule.tactics.length > 0 &&
  rule.tactics.every((tactic) => outward.has(tactic)) &&
  rule.alerts <= commandsOf(rule.details).length &&
  ownContact(rule) !== undefined;

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
  if (!isRisky && sessions.every((each) => each.isManaged || each.isShared)) {
    const text = `Others signed in from ${address} on managed devices.`;
    return [{ feature: 'session.shared', amount: 1, text, citation }];
  }
  const text = isRisky
    ? `The identity provider rated the sign-in from ${address} as risky.`
    : `A sign-in from ${address} was on a device that is not managed.`;
  return [{ feature: 'session.unmanaged', amount: isRisky ? 2 : 1, text, citation }];
}

/** Least number of different requests with equally long responses that show a single page for every path. */
const sameFrom = 3;

/** Attempts at a web server without effect and with nothing else beside them: refused, or all with the same page. */
function ofRefusals(rules: readonly Cited[]): Finding[] {
  const significant = rules.filter(({ criticality }) => criticality >= Math.min(criticalityOf.medium, rules[0]!.criticality));
  const saidOf = (wanted: Detail['name']) => significant.map(({ details }) => details.filter(({ name }) => name === wanted));
  const statuses = saidOf('http.response.status_code');
  const found = (detail: Detail, text: string): Finding[] => [
    { feature: 'context.refused', amount: 1, text: `${text}: ${quote(detail.value)}.`, citation: citationOf(rules[0]!, detail) },
  ];
  if (statuses.every((all) => all.length > 0 && all.every(({ value }) => isRefusal(value))))
    return found(statuses[0]![0]!, 'The server refused what was asked');
  const sizes = saidOf('http.response.body.bytes');
  const [first] = sizes.flat();
  if (
    first &&
    new Set(significant.map(({ event }) => event)).size >= sameFrom &&
    sizes.every((all) => all.length > 0 && all.every(({ value }) => value === first.value))
  )
    return found(first, 'The server gave the same page to different requests, by its bytes');
  return [];
}

/** Days from which an account or its address belongs to a device. */
const usualFrom = 3;
function ofPerson(rules: readonly Cited[], around: readonly Finding[]): Finding[] {
  const person = rules.find((rule) => rule.person)?.person;
  if (!person) return [];
  const { days, citation, entry, through } = person;
  const name =
    through === undefined
      ? quote(citation.value)
      : `${quote(through)}, the last to sign in before ${quote(citation.value)} acted,`;
  const amount = through === undefined ? 1 : 0.5;
  if (entry?.isOutside && entry.days === 0) {
    // Counted already where the alert's event has the address.
    if (around.some(({ text }) => text.startsWith(outsideSource.text))) return [];
    const text = `${name} had signed in to this device from a public address that it did not use on the 10 days before.`;
    return [{ feature: 'entry.outside', amount, text, citation }];
  }
  const found: Finding[] = [];
  if (days >= usualFrom) {
    const text = `${name} worked on this device on ${days} of the 10 days before.`;
    found.push({ feature: 'account.usual', amount, text, citation });
  }
  if (entry && entry.days >= usualFrom) {
    const text = `${name} had signed in from the same address as on ${entry.days} of the 10 days before.`;
    found.push({ feature: 'entry.usual', amount, text, citation });
  }
  return found;
}
