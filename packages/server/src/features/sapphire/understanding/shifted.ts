/** Adjusts intent scores by the grammar’s finds and by single words. */
import { type SapphireSkill, verdictOfState } from '@parapet/contract/rules/sapphire.ts';
import type { Intent } from './intents.ts';
import type { Found } from './slots.ts';
import { uses } from './uses.ts';

const tops = [
  ['device', 'top.devices'],
  ['user', 'top.users'],
  ['technique', 'top.techniques'],
] as const;
const named = ['device', 'user', 'rule', 'technique', 'cve'] as const;

/** Entities that are counted, listed or measured; beside one of them a time is only a filter. */
const nouns = [
  'case',
  'alert',
  'device',
  'user',
  'rule',
  'technique',
  'risk',
  'score',
  'improve',
  'response',
  'howlong',
  'acknowledge',
  'vulnerability',
  'coverage',
  'blind',
  'install',
  'agent',
  'trigger',
  'trend',
  'rise',
  'help',
  'count',
  'top',
  'howdo',
  'industry',
  'explain',
];

interface Cues {
  slots: Found['slots'];
  hasTwoTimes: boolean;
  meanings: readonly string[];
  said: string;
  /** True if the question contains any of these words. */
  has: (...words: string[]) => boolean;
  isBegun: (pattern: RegExp) => boolean;
  wantsCount: boolean;
  saysAlert: boolean;
  isExistenceQuestion: boolean;
  isHowTo: boolean;
  hasIntents: boolean;
  add: (skill: SapphireSkill, score: number) => void;
}

/** Grammar finds outweigh words: a case’s number means that case. */
export function adjustIntents(
  intents: readonly Intent[],
  { slots, hasTwoTimes }: Found,
  meanings: readonly string[],
  said: string,
): Intent[] {
  const bonus: Partial<Record<SapphireSkill, number>> = {};
  const has = (...words: string[]) => words.some((word) => meanings.includes(word));
  const isBegun = (pattern: RegExp) => pattern.test(said.trim());
  // "Is there any" means the number.
  const isExistenceQuestion = isBegun(
    /^(?:(?:do|have|did) (?:i|we|you|they) (?:have|get|got|see)|(?:is|are|was|were) there|(?:have )?got any|any\b.*\bat all|did any\w*(?: \w+){0,2} (?:fire|trigger|go|come|happen))\b/i,
  );
  const cues: Cues = {
    slots,
    hasTwoTimes,
    meanings,
    said,
    has,
    isBegun,
    wantsCount: has('count'),
    // Without another noun, triggering refers to alerts.
    saysAlert: has('alert') || (has('trigger') && !has('case', 'response', 'score')),
    isExistenceQuestion,
    isHowTo: has('howdo') && !slots.caseId && !slots.alertId,
    hasIntents: intents.length > 0,
    add: (skill, score) => {
      bonus[skill] = (bonus[skill] ?? 0) + score;
    },
  };
  weighNamedObjects(cues);
  weighInstructions(cues);
  weighTimes(cues);
  weighRankings(cues);
  weighSubjects(cues);
  weighCountsAndLists(cues);
  weighStates(cues);
  weighPosture(cues);
  // A slot that the skill ignores would be lost: prefer skills that use it.
  for (const { skill } of intents)
    if (skill !== 'howto' && skill !== 'agent.install')
      for (const name of named) if (slots[name] !== undefined && !uses[skill].includes(name)) cues.add(skill, -0.15);
  // Intents decided by the grammar alone may match no example.
  const all = [...intents];
  for (const skill of [
    'cases.list',
    'cases.count',
    'changes.since',
    'capabilities',
    'devices.riskiest',
    'alerts.list',
    'compare.periods',
  ] as const)
    if ((bonus[skill] ?? 0) >= 0.3 && !all.some((intent) => intent.skill === skill))
      all.push({ skill, help: undefined, score: 0.3 });
  return all.map((intent) => ({ ...intent, score: intent.score + (bonus[intent.skill] ?? 0) })).sort((a, b) => b.score - a.score);
}

function weighNamedObjects({ slots, hasTwoTimes, said, has, add }: Cues): void {
  if (slots.caseId !== undefined) {
    add('case.summarise', 0.5);
    if (has('response') || /what(?: was| did we|'s been| has been) d(?:one|o)|isolat|blocked/i.test(said))
      add('response.state', 0.6);
  }
  if (slots.alertId !== undefined) add('alert.explain', 0.6);
  if (slots.cve !== undefined) add('vulnerabilities', 0.6);
  if (has('vulnerability')) add('vulnerabilities', 0.3);
  if (hasTwoTimes && !has('trend')) add('compare.periods', 0.35);
  else if (has('compare') && !has('industry', 'score')) add('compare.periods', 0.25);
  if (slots.platform !== undefined && !has('alert', 'case', 'vulnerability')) add('agent.install', 0.2);
}

function weighInstructions({ slots, has, isExistenceQuestion, isHowTo, add }: Cues): void {
  if (isHowTo) {
    add('howto', 0.1);
    for (const skill of ['alerts.count', 'alerts.list', 'cases.count', 'cases.list', 'devices.count', 'top.rules'] as const)
      add(skill, -0.15);
  } else add('howto', -0.1);
  if (slots.bucket !== undefined) {
    if (has('alert') || !has('case')) add('alerts.trend', 0.2);
    if (has('case')) add('cases.trend', 0.25);
  }
  if (slots.assigned !== undefined && !has('count', 'alert', 'device') && !isExistenceQuestion) add('cases.list', 0.35);
  if (!has('install', 'agent') && slots.platform === undefined) add('agent.install', -0.2);
  if (slots.alertId === undefined) add('alert.explain', -0.25);
  if (slots.caseId === undefined) add('case.summarise', -0.25);
  if (has('alert', 'case', 'device', 'user', 'rule', 'technique') && !has('summarise')) add('period.summary', -0.15);
}

function weighTimes({ slots, meanings, has, add }: Cues): void {
  // A time without a countable noun: a summary or the news since then.
  const isOfTime =
    slots.timeframe !== undefined &&
    !has(...nouns) &&
    !Object.keys(slots).some((name) => !['timeframe', 'before', 'clients', 'limit'].includes(name));
  const isSince = /^since/.test(slots.timeframe?.label ?? '');
  if (isOfTime && isSince) add('changes.since', 0.55);
  else if (isOfTime && !has('change', 'compare'))
    add('period.summary', has('summarise', 'happened') || meanings.every((word) => /^x/.test(word)) ? 0.3 : 0.1);
  if (has('whatsnew') && !has(...nouns)) add('changes.since', 0.2);
  if (has('happened') && slots.timeframe) add(/^since/.test(slots.timeframe.label) ? 'changes.since' : 'period.summary', 0.15);
}

function weighRankings({ slots, has, saysAlert, add }: Cues): void {
  if (has('top') && saysAlert && !has('device', 'user', 'technique')) add('top.rules', 0.12);
  if (has('rule') && has('alert') && !has('device', 'user', 'technique')) add('top.rules', has('top') ? 0.1 : 0.2);
  if (has('top') && has('alert')) for (const [word, skill] of tops) if (has(word)) add(skill, 0.15);
  if (has('top') && has('technique') && !has('coverage', 'blind')) add('top.techniques', 0.2);
  if (has('coverage', 'blind') && has('technique')) add('coverage', 0.2);
  // A named user is not a ranking of users.
  if (slots.user !== undefined && !has('top')) add('top.users', -0.3);
  if (slots.device !== undefined && !has('top')) add('top.devices', -0.3);
  if (has('blind')) add('coverage', 0.2);
}

function weighSubjects({ slots, said, has, wantsCount, isHowTo, hasIntents, add }: Cues): void {
  if (
    /\b(?:over|past|beyond|missed|within|met|meet|keep|kept|hit|hitting|respect)\b.{0,25}\b(?:targets?|slas?|clocks?)\b|\bbreach(?:ed|es)? (?:of )?(?:the |their )?slas?\b|\boverdue\b/i.test(
      said,
    )
  )
    add('times', 0.5);
  if (slots.states?.some((state) => verdictOfState[state]) && !has('alert')) add(wantsCount ? 'cases.count' : 'cases.list', 0.35);
  if (slots.assigned !== undefined && !hasIntents) add('cases.list', 0.6);
  if (has('trend') && has('alert')) add('alerts.trend', 0.15);
  if (has('trend') && has('case')) add('cases.trend', 0.15);
  if (has('improve') && has('score', 'risk', 'secure', 'bestpractice')) add('risk.improve', 0.25);
  if (has('coverage', 'blind') && !isHowTo && !wantsCount) add('coverage', 0.15);
  if (has('response') && !isHowTo && !has('time')) add('response.state', 0.12);
  if (has('youdo')) add('capabilities', 0.2);
  if (has('computed')) add('howto', 0.25);
  if (wantsCount && has('device') && !has('alert', 'case', 'vulnerability', 'top')) add('devices.count', 0.2);
}

function weighCountsAndLists({ has, isBegun, wantsCount, saysAlert, isExistenceQuestion, add }: Cues): void {
  for (const family of ['cases', 'alerts'] as const) {
    if (wantsCount) add(`${family}.count`, 0.08);
    else
      add(
        `${family}.count`,
        isExistenceQuestion ? 0.12 : isBegun(/^(?:do|did|are|is|was|were|has|have|any|got)\b/i) ? 0.04 : -0.08,
      );
    if (isExistenceQuestion) add(`${family}.list`, -0.1);
    if (has('list') || isBegun(/^(?:which|what|list|show|give)\b/i)) add(`${family}.list`, wantsCount ? -0.1 : 0.05);
  }
  if (has('case') && !has('alert'))
    for (const skill of ['alerts.count', 'alerts.list', 'alerts.trend'] as const) add(skill, -0.3);
  if (saysAlert && !has('case')) for (const skill of ['cases.count', 'cases.list', 'cases.trend'] as const) add(skill, -0.3);
}

function weighStates({ slots, meanings, has, add }: Cues): void {
  const isOf = (name: 'states' | 'severities') =>
    slots[name] !== undefined && meanings.every((word) => /^(?:x.*|everything|anything|list|thing|stuff)$/.test(word));
  if (isOf('states')) add('cases.list', 0.3);
  if (isOf('severities') && slots.states === undefined) add('alerts.list', 0.4);
  if (slots.states !== undefined && !has('alert')) {
    add('cases.count', 0.05);
    add('cases.list', 0.05);
  }
  if (
    slots.deviceState !== undefined &&
    (has('device') || slots.deviceState !== 'isolated') &&
    !has('alert', 'case', 'install') &&
    slots.device === undefined
  )
    add('devices.count', 0.2);
  if (slots.deviceState === 'isolated' && (slots.device !== undefined || !has('device', 'count'))) add('response.state', 0.3);
}

function weighPosture({ has, isBegun, add }: Cues): void {
  if (has('risk') && has('device') && !has('score')) add('devices.riskiest', has('top') ? 0.3 : 0.2);
  if (has('riskscore') || (has('score') && !has('case'))) add(has('improve') ? 'risk.improve' : 'risk.score', 0.2);
  // The single kind of entity in question.
  const asked = (['device', 'user', 'technique'] as const).filter((word) => has(word));
  if (asked.length === 1) for (const [word, skill] of tops) if (word !== asked[0]) add(skill, -0.15);
  if (has('device') && !has('alert', 'case', 'vulnerability') && isBegun(/\bfirst[?.! ]*$/i)) add('devices.riskiest', 0.4);
  if (has('install') && has('agent')) add('agent.install', 0.15);
}
