/**
 * The story of a case: one paragraph in plain words, made of facts by templates. Deterministic; every clause cites one alert, response or list of the
 * case, and each value in it is from there. Never an input: notes, drafts, names of the provider’s staff, internal entries.
 */
import type { AttackStep, Story, StoryClause } from '@parapet/contract/caseDetail.ts';
import { severityOf } from '@parapet/contract/primitives.ts';
import { judgedText } from '@parapet/contract/rules/judgement.ts';
import { tacticName, tacticPlace } from './facts.ts';
import { quote } from './quote.ts';
import { type AttackFacts, clause, clockTime, day, type StoryRule, timeText, type WorkFacts } from './story.facts.ts';
import { type Phrase, phraseOf, stageOf } from './story.phrases.ts';
import { workClauses } from './story.work.ts';

const maxSentences = 8;
/** Most significant tactics of an attack; their activities come before others. */
const milestones = ['initial-access', 'credential-access', 'lateral-movement', 'exfiltration', 'impact'];
const maxParties = 4;
const [mediumCriticality, highCriticality] = [3, 4];
/** With so many activities of high severity, others are counted only. */
const enoughSevere = 4;

export const storyOf = (attack: AttackFacts, work: WorkFacts): Story => ({
  clauses: [...attackClauses(attack, work), ...workClauses(work)],
  steps: attack.rules.map(stepOf),
  stepsTotal: attack.rulesTotal,
});

/** The paragraph as plain text; with `isCited` each sentence of an alert or response names its number. */
export const storyText = (clauses: readonly StoryClause[], isCited = false): string =>
  clauses
    .map(({ text, link, linkID }) => (isCited && linkID !== null ? text.replace(/([.,:]?)$/, ` [${link} ${linkID}]$1`) : text))
    .join(' ');

export function attackClauses(
  attack: AttackFacts,
  { judgement, alertCount }: Pick<WorkFacts, 'judgement' | 'alertCount'>,
): StoryClause[] {
  const isAttack = judgement.verdict === 'Malicious' || judgement.verdict === 'Suspicious';
  const verdict = clause('verdict', 'verdict', verdictSentence(judgement));
  const selected = chosen(attack.rules);
  const further = attack.rulesTotal - selected.length;
  const rest =
    further > 0
      ? [
          clause(
            'attack',
            'alerts',
            `${further} further ${further === 1 ? 'kind' : 'kinds'} of activity ${further === 1 ? 'is' : 'are'} among the case’s ${alertCount} alerts.`,
          ),
        ]
      : [];
  const steps = [...sentences(selected), ...rest, ...reach(attack, isAttack)];
  return judgement.verdict === 'Malicious' ? [...steps, verdict] : [verdict, ...steps];
}

function verdictSentence(judgement: WorkFacts['judgement']): string {
  const judged = judgedText(judgement);
  switch (judgement.verdict) {
    case 'Malicious':
    case 'Accepted risk':
    case 'Duplicate':
      return `This was ${judged}.`;
    case 'Suspicious':
      return `This may be an attack, which is not proven: it was ${judged}.`;
    case 'Likely Benign':
    case 'Benign':
    case 'False positive':
      return `This resembles an attack but was ${judged}.`;
    case 'Insufficient Information':
      return 'The information does not suffice to judge the following activity.';
    case null:
      return 'The following activity has not been judged yet.';
  }
}

/** The most telling rules in order of time: the worst of each tactic first, one for each activity on a device; of a grave attack only the grave ones. */
function chosen(rules: readonly StoryRule[]): StoryRule[] {
  const distinct = new Map<string, StoryRule>();
  for (const rule of rules) {
    const key = [activityOf(rule), rule.device, rule.person].join('\n').toLowerCase();
    const known = distinct.get(key);
    if (!known || rule.criticality > known.criticality) distinct.set(key, rule);
  }
  const worst = [...distinct.values()].sort((a, b) => b.criticality - a.criticality || a.at.getTime() - b.at.getTime());
  const tactics = new Set<string>();
  const isNew = new Set(
    worst.filter(({ tactics: [tactic = ''], criticality }) => {
      if (criticality < mediumCriticality || tactics.has(tactic)) return false;
      tactics.add(tactic);
      return true;
    }),
  );
  const isMilestone = ({ tactics: [tactic = ''] }: StoryRule) => milestones.includes(tactic);
  const ranked = [...isNew].sort((a, b) => Number(isMilestone(b)) - Number(isMilestone(a)));
  const ordered = [...ranked, ...worst.filter((rule) => !isNew.has(rule))];
  const severe = ordered.filter(({ criticality }) => criticality >= highCriticality);
  return (severe.length >= enoughSevere ? severe : ordered)
    .slice(0, maxSentences)
    .sort((a, b) => a.at.getTime() - b.at.getTime() || a.alertID - b.alertID);
}

const same = (a: string | null | undefined, b: string | null | undefined): boolean =>
  Boolean(a) && a?.toLowerCase() === b?.toLowerCase();

function sentences(rules: readonly StoryRule[]): StoryClause[] {
  return rules.map((rule, index) => {
    const before = rules[index - 1];
    const phrase = phraseOf(rule.techniques, rule.tactics);
    const time = timeAfter(rule.at, before?.at);
    const often = rule.count > 1 && rule.devices < 2 && rule.users < 2 ? ` (${rule.count} times)` : '';
    const text = `${time}, ${subject(rule, phrase, rules.slice(0, index))} ${activityOf(rule)}${tail(rule, phrase, before)}${often}.`;
    return clause('attack', 'alert', text, rule.alertID);
  });
}

/** The activity without actor and place; a rule without technique and tactic is named. */
const activityOf = (rule: Pick<StoryRule, 'techniques' | 'tactics' | 'rule'>): string =>
  phraseOf(rule.techniques, rule.tactics)?.did ?? `triggered the alert ${quote(rule.rule)}`;

function subject(rule: StoryRule, phrase: Phrase | undefined, earlier: readonly StoryRule[]): string {
  if (phrase?.by === 'source') return rule.source ? `someone at ${quote(rule.source)}` : 'someone';
  if (rule.user) {
    if (rule.users > 1) return `the account ${quote(rule.user)} and ${others(rule.users, 'account')}`;
    const before = earlier.at(-1);
    const actedBefore = before && before.users < 2 && phraseOf(before.techniques, before.tactics)?.by !== 'source';
    const also = actedBefore && same(before.person, rule.person) ? ' also' : '';
    const spelt = earlier.filter(({ person }) => same(person, rule.person)).map(({ user }) => user);
    // As the cited alert spells it.
    const isRespelt = spelt.length > 0 && !spelt.some((user) => same(user, rule.user));
    return `${isRespelt ? 'the same person’s account' : 'the account'} ${quote(rule.user)}${also}`;
  }
  if (rule.program) return `the program ${quote(rule.program)}`;
  if (rule.source) return `the machine at ${quote(rule.source)}`;
  return 'someone';
}

function tail(rule: StoryRule, phrase: Phrase | undefined, before: StoryRule | undefined): string {
  const isFromOutside = phrase?.by !== 'source' && rule.user && rule.source && rule.tactics.includes('initial-access');
  return [
    phrase?.account && rule.user ? ` ${phrase.account} ${quote(rule.user)}` : '',
    rule.program && rule.user && phrase?.by !== 'source' ? ` with ${quote(rule.program)}` : '',
    phrase?.remote && rule.destination ? ` ${phrase.remote} ${quote(rule.destination)}` : '',
    rule.device && (rule.devices > 1 || !before || !same(before.device, rule.device)) ? ` on ${quote(rule.device)}` : '',
    rule.devices > 1 ? ` and ${others(rule.devices, 'device')}` : '',
    isFromOutside ? `, coming from ${quote(rule.source!)}` : '',
  ].join('');
}

const others = (total: number, noun: string): string => (total === 2 ? `another ${noun}` : `${total - 1} other ${noun}s`);

/** Devices or, without any, accounts, if there are several; of an attack also its furthest stage. */
function reach({ rules, devices, devicesTotal, users, usersTotal }: AttackFacts, isAttack: boolean): StoryClause[] {
  const [parties, total, noun] = devicesTotal > 0 ? [devices, devicesTotal, 'devices'] : [users, usersTotal, 'accounts'];
  const shown = parties.slice(0, maxParties);
  const left = total - shown.length;
  const involved =
    total < 2
      ? []
      : shown.map(({ name, alertID }, index) => {
          const lead = index === 0 ? `It involved ${total} ${noun}: ` : index === shown.length - 1 && left === 0 ? 'and ' : '';
          const end = index < shown.length - (left === 0 ? 2 : 1) ? ',' : left === 0 && index === shown.length - 1 ? '.' : '';
          return clause('reach', 'alert', `${lead}${quote(name)}${end}`, alertID);
        });
  const more = total > 1 && left > 0 ? [clause('reach', 'alerts', `and ${left} more.`)] : [];
  const furthest = isAttack ? furthestOf(rules) : undefined;
  const stage = furthest && clause('reach', 'alert', `The furthest stage seen is ${furthest.stage}.`, furthest.alertID);
  return [...involved, ...more, ...(stage ? [stage] : [])];
}

/** Last stage in ATT&CK’s order that a rule of at least medium shows, or any rule where there is none. */
function furthestOf(rules: readonly StoryRule[]): { stage: string; alertID: number } | undefined {
  const severe = rules.filter(({ criticality }) => criticality >= mediumCriticality);
  let best: { stage: string; alertID: number; place: number } | undefined;
  for (const { tactics, alertID } of severe.length > 0 ? severe : rules)
    for (const tactic of tactics) {
      const [place, stage] = [tacticPlace(tactic), stageOf(tactic)];
      if (place !== undefined && stage !== undefined && place > (best?.place ?? -1)) best = { stage, alertID, place };
    }
  return best;
}

const stepOf = (rule: StoryRule): AttackStep => ({
  alertID: rule.alertID,
  rule: rule.rule.slice(0, 2000),
  activity: activityOf(rule),
  tactic: rule.tactics[0] === undefined ? '' : tacticName(rule.tactics[0]),
  severity: severityOf(rule.criticality),
  deviceName: rule.device,
  userName: rule.user,
  devices: rule.devices,
  users: rule.users,
  count: rule.count,
  firstTime: rule.at.toISOString(),
  lastTime: rule.lastAt.toISOString(),
});

/** Time at the beginning of a sentence, as short as the sentence before allows. */
function timeAfter(at: Date, before: Date | undefined): string {
  if (!before || before.getUTCFullYear() !== at.getUTCFullYear()) return `On ${timeText(at)}`;
  if (day(before) !== day(at)) return `On ${day(at)} at ${clockTime(at)}`;
  return clockTime(before) === clockTime(at) ? 'In the same minute' : `At ${clockTime(at)}`;
}
