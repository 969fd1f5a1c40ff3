/**
 * Follow-ups such as "And last month?", "only critical", "for Birch", "why?", "list them": the previous intent applies,
 * except for what the new question changes.
 */
import type { SapphireSkill, SapphireSlots } from '@parapet/contract/rules/sapphire.ts';
import type { Intent } from './intents.ts';
import type { Reading } from './reading.ts';
import type { Found } from './slots.ts';
import { after, before } from './times.ts';

interface FollowUpInput {
  said: string;
  found: Found;
  meanings: readonly string[];
  best: Intent | undefined;
  previous: Reading;
  now: number;
  timeZone: string;
}

const lead =
  /^(?:and|but|or|what about|how about|only|just|also|now|then|same|for|of|at|in|on|instead|without|ok(?:ay)?|the same|again|make (?:it|that)|show (?:it|them|that)|by)\b/i;
const why =
  /^(?:and |but |so )?(?:why|how come|what(?:'s| is) the reason|explain (?:that|this|it|why)|for what reason)(?: is (?:that|this|it)| so(?: many)?| that| though)?[?!. ]*$/i;
const listThem =
  /^(?:and |so |ok(?:ay)?,? |please )?(?:can you |could you )?(?:list|show|see|display|give me|name|which)(?: me)?(?: (?:them|these|those|it|all(?: of them)?|ones?|are (?:they|those|these)))?(?: (?:all|please|as a list))*[?!. ]*$/i;
const howMany = /^(?:and |so )?how many(?: (?:is that|are (?:there|they|those)|in total|of them))?[?!. ]*$/i;
const perTime =
  /^(?:and |now |show (?:it|that|them) )?(?:as a trend|over time|(?:by|per|each) (?:day|week|month)|daily|weekly|monthly|as a (?:chart|graph))[?!. ]*$/i;

const reasonOf: Partial<Record<SapphireSkill, SapphireSkill>> = {
  'alerts.count': 'top.rules',
  'alerts.list': 'top.rules',
  'alerts.trend': 'top.rules',
  'top.devices': 'top.rules',
  'top.users': 'top.rules',
  'cases.count': 'cases.list',
  'cases.trend': 'cases.list',
  'compare.periods': 'top.rules',
  'risk.score': 'risk.improve',
};
const listOf: Partial<Record<SapphireSkill, SapphireSkill>> = {
  'cases.count': 'cases.list',
  'cases.trend': 'cases.list',
  'alerts.count': 'alerts.list',
  'alerts.trend': 'alerts.list',
  'top.rules': 'alerts.list',
  'top.devices': 'alerts.list',
  'top.users': 'alerts.list',
};
const tops: Record<string, SapphireSkill> = {
  rule: 'top.rules',
  device: 'top.devices',
  user: 'top.users',
  technique: 'top.techniques',
};
const isTop = (skill: SapphireSkill) => skill.startsWith('top.');
const numberAlone = (text: string): number | undefined => {
  const digits = /^(?:and |what about |how about |now |then )?(?:number |no\.? ?)?#?(\d{1,9})[?!. ]*$/i.exec(text)?.[1];
  return digits === undefined ? undefined : Number(digits);
};
const familyOf = (skill: SapphireSkill): 'cases' | 'alerts' | undefined =>
  skill.startsWith('cases.') ? 'cases' : skill.startsWith('alerts.') ? 'alerts' : undefined;

/** Returns the intent continued from the previous one; undefined for a self-contained question. */
export function followUp({ said, found, meanings, best, previous, now, timeZone }: FollowUpInput): Reading | undefined {
  const text = said.trim();
  const { slots } = found;
  const going = (skill: SapphireSkill): Reading => ({ skill, slots: merged(previous.slots, slots, found) });
  if (why.test(text)) return going(reasonOf[previous.skill] ?? previous.skill);
  if (listThem.test(text)) return going(listOf[previous.skill] ?? previous.skill);
  const family = familyOf(previous.skill);
  if (howMany.test(text) && family) return going(`${family}.count`);
  if (perTime.test(text) || (slots.bucket !== undefined && meanings.length <= 2)) return going(`${family ?? 'alerts'}.trend`);

  // "And 108?": another object of the same kind.
  const other = found.bareNumber ?? numberAlone(text);
  if (other !== undefined && previous.skill === 'case.summarise') return { skill: previous.skill, slots: { caseId: other } };
  if (other !== undefined && previous.skill === 'alert.explain') return { skill: previous.skill, slots: { alertId: other } };
  // "And the month before?": relative to the previous time.
  const step =
    /\b(?:the )?(?:week|month|year|day|quarter|one|time|period)s? (before|after)(?: that)?[?!. ]*$|\bthe (previous|next) (?:one|week|month|day|year|period)?[?!. ]*$/i.exec(
      text,
    );
  if (step && previous.slots.timeframe) {
    const isAfter = /after|next/i.test(step[1] ?? step[2] ?? '');
    const timeframe = (isAfter ? after : before)(previous.slots.timeframe, now, timeZone);
    if (timeframe) return { skill: previous.skill, slots: { ...merged(previous.slots, slots, found), timeframe } };
  }
  const own = meanings.filter((word) => !/^x/.test(word));
  const saysSomething = Object.keys(slots).length > 0 || found.saysAllClients;
  const isLed = lead.test(text);
  // "And cases?": the same question about the other kind.
  const nouns = own.filter((word) => word === 'case' || word === 'alert');
  if (family && nouns.length === 1 && own.length === 1 && (isLed || text.split(/\s+/).length <= 3)) {
    const kind = nouns[0] === 'case' ? 'cases' : 'alerts';
    return going(`${kind}.${previous.skill.split('.')[1]}` as SapphireSkill);
  }
  // "And which devices?" after the top rules.
  const top = tops[own.find((word) => word in tops) ?? ''];
  if (
    top &&
    own.every((word) => word in tops || word === 'top' || word === 'alert') &&
    slots.deviceState === undefined &&
    isTop(previous.skill)
  )
    return going(top);
  if (!saysSomething || (slots.deviceState !== undefined && previous.skill !== 'devices.count')) return undefined;
  // A subject with a word of its own starts a new question, unless it is the previous skill’s.
  if (own.length === 0 && !slots.caseId && !slots.alertId && !slots.cve) return going(previous.skill);
  if (isLed && own.length <= 2 && (best === undefined || best.score < 0.75 || best.skill === previous.skill))
    return going(
      best?.skill === previous.skill ||
        own.every((word) => /^(?:happened|only|time|week|device|user|client)$/.test(word)) ||
        best === undefined ||
        best.score < 0.5
        ? previous.skill
        : best.skill,
    );
  return undefined;
}

/** New slots replace previous ones of the same kind; a named thing of another kind stays. */
function merged(before: SapphireSlots, now: SapphireSlots, { saysAllClients }: Found): SapphireSlots {
  const { clients, ...others } = before;
  return { ...others, ...(!saysAllClients && clients && { clients }), ...now };
}
