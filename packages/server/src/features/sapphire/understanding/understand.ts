/**
 * Parses a text into an intent: the grammar finds slots, the examples select the skill, the previous intent completes a
 * follow-up. Two close skills produce a question back; without a near skill there is no guess.
 */
import type { SapphireSkill, SapphireSlots } from '@parapet/contract/rules/sapphire.ts';
import { resolveTimeframe } from '@parapet/contract/rules/timeframe.ts';
import { followUp } from './followUp.ts';
import { type Intent, intentsOf, meaningsOf } from './intents.ts';
import { tidy, wordsOf } from './phrases.ts';
import type { ParserInput, Understood } from './reading.ts';
import { adjustIntents } from './shifted.ts';
import { type Found, findSlots } from './slots.ts';
import { labelOf } from './times.ts';
import { slotsFor } from './uses.ts';

/** Minimum score of an intent, and the minimum lead over the second before a question back. */
const minScore = 0.5;
const minOfHelp = 0.75;
const closeBy = 0.04;

const support =
  /\b(?:talk|speak|chat|connect|transfer|get|put me through|call|contact)\b.{0,30}\b(?:human|person|someone|somebody|support|help ?desk|agent(?= please|$)|operator|analyst on the phone|representative|real people)\b|\b(?:live|human|customer) support\b|\b(?:live|human) (?:chat|agent)\b/i;
const greeting =
  /^(?:hi|hello|hey|good (?:morning|afternoon|evening)|greetings|thanks?(?: you)?|thank you(?: very much| so much)?|cheers|bye|goodbye)(?: there| sapphire| all)?[ !.,]*$/i;

/** Requests for an action: Sapphire performs none but can explain it. */
export const actionRequest =
  /^(?:please |can you |could you |would you |will you |sapphire,? )*(?:isolate|quarantine|block|unblock|close|reopen|delete|remove|disable|enable|assign|approve|suppress|escalate|mute|reset|invite|create|add|unisolate|release)\b/i;

/** Skills without named things. */
const unnamed: readonly SapphireSkill[] = ['howto', 'agent.install', 'capabilities'];

const nothing: ParserInput['vocabulary'] = { clients: [], otherClients: [], devices: [], users: [], rules: [], techniques: [] };
/** True if devices and users must be looked up, which instructions do not need. */
export function mayNameThings(text: string, now: number, timeZone: string): boolean {
  const understood = understand({ text, vocabulary: nothing, now, timeZone, previous: undefined });
  if (understood.kind === 'reading') return !unnamed.includes(understood.reading.skill) || understood.confidence < 0.85;
  return understood.kind !== 'greeting' && understood.kind !== 'support';
}

/** Phrasing of each skill in a question back. */
const phrasings: Partial<Record<SapphireSkill, string>> = {
  'cases.count': 'How many cases are there?',
  'cases.list': 'List the cases',
  'cases.trend': 'How did the number of cases develop over time?',
  'alerts.count': 'How many alerts are there?',
  'alerts.list': 'List the alerts',
  'alerts.trend': 'How did the number of alerts develop over time?',
  'top.rules': 'Which rules raise the most alerts?',
  'top.devices': 'Which devices have the most alerts?',
  'top.users': 'Which users have the most alerts?',
  'top.techniques': 'Which techniques are the most common?',
  'devices.count': 'How many devices do we have?',
  'devices.riskiest': 'Which device is the biggest risk?',
  'response.state': 'What is the state of our responses?',
  times: 'How long does it take to resolve a case?',
  'risk.score': 'What is our risk score?',
  'risk.improve': 'What would lower our risk score?',
  vulnerabilities: 'Which vulnerabilities should we fix first?',
  coverage: 'What are our blind spots?',
  'changes.since': 'What is new?',
  'compare.periods': 'Compare this month with last month',
  'period.summary': 'Summarise the period',
  'agent.install': 'How do I install the agent?',
  capabilities: 'What can you do?',
};

export function understand({ text, vocabulary, now, timeZone, previous }: ParserInput): Understood {
  const said = tidy(text);
  if (support.test(said)) return { kind: 'support' };
  if (greeting.test(said.trim())) return { kind: 'greeting' };
  const found = findSlots(text, vocabulary, now, timeZone);
  if (actionRequest.test(said.trim())) return { kind: 'reading', reading: { skill: 'howto', slots: {} }, confidence: 1 };
  if (found.otherClient) return { kind: 'otherClient', name: found.otherClient.name };
  const meanings = meaningsOf(found.marked);
  const intents = adjustIntents(rankIntents(found.marked, meanings), found, meanings, said);
  const going = previous && followUp({ said, found, meanings, best: intents[0], previous, now, timeZone });
  if (found.ambiguous)
    return {
      kind: 'question',
      text: `Which one do you mean by “${found.ambiguous.said}”?`,
      choices: found.ambiguous.names.slice(0, 6).map((name) => said.replace(found.ambiguous!.said, name).slice(0, 200)),
    };
  const [best, second] = intents;
  const isUnderstood = going !== undefined || (best !== undefined && best.score >= minScore);
  if (found.isForeignNumber) return { kind: 'unknownName', name: found.unknownName ?? '' };
  if (
    found.unknownName !== undefined &&
    (isUnderstood || wordsOf(said).length <= 12) &&
    !(best && best.score >= 0.75 && unnamed.includes(best.skill))
  )
    return isUnderstood || (best?.score ?? 0) >= 0.25 ? { kind: 'unknownName', name: found.unknownName } : { kind: 'unknown' };
  if (going)
    return {
      kind: 'reading',
      reading: { skill: going.skill, slots: slotsFor(going.skill, going.slots) },
      confidence: 1,
      isFollowUp: true,
    };
  if (found.bareNumber !== undefined && (!best || best.score < 0.9))
    return {
      kind: 'question',
      text: `Do you mean the case or the alert ${found.bareNumber}?`,
      choices: [`Summarise case ${found.bareNumber}`, `Explain alert ${found.bareNumber}`],
    };
  const isBare =
    meanings.every((word) => /^x/.test(word) || word === 'count' || word === 'list') &&
    found.slots.states === undefined &&
    found.slots.assigned === undefined;
  if (
    !best ||
    best.score < (best.skill === 'howto' && !meanings.includes('howdo') ? minOfHelp : minScore) ||
    (isBare && best.score < 0.95)
  )
    return { kind: 'unknown' };
  if (
    second &&
    best.score < 0.85 &&
    best.score - second.score < closeBy &&
    best.skill.split('.')[0] !== second.skill.split('.')[0] &&
    phrasings[best.skill] &&
    phrasings[second.skill]
  )
    return {
      kind: 'question',
      text: 'I can read that in two ways. Which one do you mean?',
      choices: [best, second].map(({ skill }) => phrasings[skill] as string),
    };
  const slots = completed(best.skill, found, meanings, { said, now, timeZone });
  return {
    kind: 'reading',
    reading: { skill: best.skill, slots: slotsFor(best.skill, slots) },
    confidence: Math.min(1, best.score),
  };
}

/** One sentence may hold the question, the others its reason: takes the best of them and the whole text. */
function rankIntents(marked: string, meanings: readonly string[]): Intent[] {
  const sentences = marked.split(/[.!?;]+(?:\s|$)/).filter((part) => part.trim() !== '');
  const whole = intentsOf(meanings);
  if (sentences.length < 2) return whole;
  const best = new Map(whole.map((intent) => [intent.skill, intent]));
  for (const sentence of sentences.slice(0, 6))
    for (const intent of intentsOf(meaningsOf(sentence))) {
      // A single word is hardly a question.
      const score = intent.score * (meaningsOf(sentence).length > 1 ? 0.9 : 0.5);
      if (score > (best.get(intent.skill)?.score ?? 0)) best.set(intent.skill, { ...intent, score });
    }
  return [...best.values()].sort((a, b) => b.score - a.score);
}

/** Completes a skill’s slots from words beside the grammar. */
function completed(
  skill: SapphireSkill,
  found: Found,
  meanings: readonly string[],
  { said, now, timeZone }: { said: string; now: number; timeZone: string },
): SapphireSlots {
  const { slots } = found;
  // "Our week", "the month": the summary covers that period.
  if (skill === 'period.summary' && slots.timeframe === undefined) {
    const word = /\bmonth\b/i.test(said) ? 'thisMonth' : /\bweek/i.test(said) ? 'thisWeek' : undefined;
    return word ? { ...slots, timeframe: { ...resolveTimeframe(word, now, timeZone), label: labelOf(word) } } : slots;
  }
  if (skill !== 'compare.periods') return slots;
  const compared = isComparedWith(found) ? { ...slots, before: slots.timeframe, timeframe: undefined } : slots;
  const metric = meanings.includes('case') || (slots.states !== undefined && !meanings.includes('alert')) ? 'cases' : 'alerts';
  return comparison({ ...(compared as SapphireSlots), metric });
}

/** "More than in October": a single time is the one to compare with. */
const isComparedWith = ({ slots, hasTwoTimes, leadOfTime }: Found): boolean =>
  slots.timeframe !== undefined &&
  !hasTwoTimes &&
  /\b(?:than|versus|vs\.?|against|compared? (?:to|with)|to|with|(?:up|down) (?:on|from))(?: in| the)?\s*$/i.test(leadOfTime);

/** The later of two times is the subject. */
export function comparison(slots: SapphireSlots): SapphireSlots {
  const { timeframe, before: other } = slots;
  if (timeframe === undefined || other === undefined) return slots;
  return Date.parse(timeframe.start) >= Date.parse(other.start) ? slots : { ...slots, timeframe: other, before: timeframe };
}
