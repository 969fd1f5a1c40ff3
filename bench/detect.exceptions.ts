/**
 * Live detection with different exceptions for each of 200 clients against one set for all of them: 2,400 rules, the product's own and generated
 * ones, on everyday events of a fleet. The exceptions are those of the rules that match most, so that they are tested.
 */
import { providerId } from '@parapet/contract/access.ts';
import { normalise } from '@parapet/server/pipeline/normalise/normalise.ts';
import type { KnownRule } from '@parapet/server/pipeline/rule-rows.ts';
import { type BuiltIn, ruleSetOf } from '@parapet/server/pipeline/rule-set.ts';
import { noSettings, type StoredException } from '@parapet/server/pipeline/rule-settings.ts';
import { type OrganisationRules, rulesOf } from '@parapet/server/pipeline/rule-view.ts';
import { createStoredRules } from '@parapet/server/pipeline/stored-rules.ts';
import { compileRules } from '@parapet/sigma/matcher.ts';
import { loadRules } from '@parapet/sigma/rules.ts';
import { compiled, startedAt } from '../detections/testing/pairs.ts';
import type { Event } from './detect.events.ts';
import { ruleFiles } from './detect.rules.ts';

const clients = 200;
const rulesInAll = 2_400;
const exceptionsOfEach = 10;
const rounds = 9;
const firstClient = 1_000;

const exceptionText = (id: string, device: string): string =>
  `title: Known device\nlogsource: {}\nfilter:\n    rules: [${id}]\n    selection:\n        host.name: ${device}\n    condition: not selection\n`;

/** Events per second of processor time with a set for each client (value) and with one for all (limit). */
export function exceptionsLane(events: readonly Event[]) {
  const own = compiled();
  const { rules } = loadRules(ruleFiles(rulesInAll - own.rules.length));
  const all = [...own.rules, ...rules];
  const builtIn: BuiltIn = { ...own, rules: all, matcher: compileRules(all), texts: new Map() };
  const documents = () => events.map((event) => normalise(event, startedAt).document);
  const counts = new Map<string, number>();
  for (const document of documents())
    for (const { id } of builtIn.matcher.match(document)) counts.set(id, (counts.get(id) ?? 0) + 1);
  const frequent = [...counts].sort((a, b) => b[1] - a[1]).slice(0, exceptionsOfEach);
  const of = (organisationId: number): StoredException[] =>
    frequent.map(([key], at) => ({
      id: organisationId * exceptionsOfEach + at,
      organisationId,
      key,
      yaml: exceptionText(key, `spare-${organisationId}-${at}`),
      endsAt: new Date('9999-01-01'),
    }));
  const viewsOf = (exceptions: StoredException[]): OrganisationRules[] => {
    const set = ruleSetOf(builtIn, { ...noSettings, exceptions }, createStoredRules());
    if (set.faults.length > 0) throw new Error(`an exception does not load: ${set.faults[0]!.reason}`);
    return Array.from({ length: clients }, (_, at) =>
      rulesOf({ builtIn, set, known: new Map<string, KnownRule>(), organisationId: firstClient + at }),
    );
  };
  const shared = viewsOf(of(providerId));
  const each = viewsOf(Array.from({ length: clients }, (_, at) => of(firstClient + at)).flat());
  const perSecond = (views: OrganisationRules[]): number => {
    const parsed = documents();
    const began = process.cpuUsage();
    let matches = 0;
    for (let at = 0; at < parsed.length; at++) matches += views[at % clients]!.match(parsed[at]!).length;
    const { user, system } = process.cpuUsage(began);
    if (matches === 0) throw new Error('no event matches a rule');
    return (parsed.length / (user + system)) * 1e6;
  };
  const [values, limits]: [number[], number[]] = [[], []];
  for (let round = -2; round < rounds; round++) {
    const [limit, value] = [perSecond(shared), perSecond(each)];
    if (round < 0) continue;
    limits.push(limit);
    values.push(value);
  }
  return { values, limits };
}
