/** Questions outside the query language: one case or alert in words, instructions, summaries, courtesies. */
import type { SapphireSlots } from '@parapet/contract/rules/sapphire.ts';
import { isAboutAll } from './subject.ts';
import { findTimes } from './times.ts';
import type { Vocabulary } from './vocabulary.ts';

interface Input {
  vocabulary: Vocabulary;
  now: number;
  timeZone: string;
}

const support =
  /\b(?:talk|speak|chat|connect|transfer|get|put me through|call|contact)\b.{0,30}\b(?:human|person|someone|somebody|support|help ?desk|operator|representative|real people|soc|analyst on duty)\b|\b(?:live|human|customer) (?:support|chat|agent)\b/i;
const greeting =
  /^(?:hi|hello|hey|good (?:morning|afternoon|evening)|greetings|thanks?(?: you)?|thank you(?: very much| so much)?|cheers|bye|goodbye)(?: there| sapphire| all)?[ !.,]*$/i;
const howTo =
  /^(?:so |and |ok |hi,? |hello,? )*(?:how (?:do|can|would|should|could) (?:i|we|you|one|people|my|our|a)\b|how to\b|where (?:do|can|would|should) (?:i|we)\b|where (?:is|are) the (?:page|button|setting|menu)|can (?:i|we) (?:export|download|change|add|invite|set|use|see how|turn)|what does .{2,60} mean\b|what (?:is|are) (?:an? |the meaning of )|explain (?:what|how|the (?:page|term|risk score))|meaning of|difference between)/i;
const oneCase =
  /\b(?:summar(?:y|ise|ize)(?: of)?|explain|tell me about|describe|details? (?:of|on|about)|what happened in|what is|whats|what's|story of|status of|give me)\b[^?]{0,20}\b(?:case|incident|ticket) ?#?(\d{1,9})\b[^a-z]*$|^(?:case|incident|ticket) ?#?(\d{1,9})[ ?.]*$/i;
const oneAlert =
  /\b(?:summar(?:y|ise|ize)(?: of)?|explain|tell me about|describe|details? (?:of|on|about)|what is|whats|what's|what happened in|why did|give me)\b[^?]{0,20}\balert ?#?(\d{1,9})\b[^a-z]*$|^alert ?#?(\d{1,9})[ ?.]*$/i;
/** Before instructions: "how can we improve our risk score" is none. */
const firstRules: readonly [RegExp, string][] = [
  [
    /\b(?:what can you do|what can i ask|what do you know|your (?:skills|abilities|capabilities)|who are you|what are you able)\b|^help[ ?!.]*$/i,
    'capabilities',
  ],
  [
    /\b(?:install|deploy|set ?up|roll out|uninstall|enrol)\b.{0,40}\b(?:agents?|winlogbeat|beats?|collectors?|sensors?|shippers?|rsyslog)\b/i,
    'agent.install',
  ],
  [
    /\b(?:what (?:should|can|could) (?:we|i) (?:do|fix|improve)|how (?:can|do|could) (?:we|i) (?:improve|lower|reduce|raise|better)|(?:improve|lower|reduce|raise) (?:our|my|the) (?:risk|score)|what would (?:lower|improve|reduce))\b/i,
    'risk.improve',
  ],
];
const laterRules: readonly [RegExp, string][] = [
  [
    /^(?:please |can you |pls )*(?:summar(?:y|ise|ize)|recap|overview|sum up|brief me|digest)\b(?!.*\b(?:case|alert) ?#?\d)|\b(?:summary|recap|overview|highlights|briefing) (?:of|for|from)\b/i,
    'period.summary',
  ],
  [
    /^(?:what(?:'s| is|s| has)? (?:new|changed|happened|going on)|anything (?:new|changed)|is there anything new|news|whats up|what did (?:i|we) miss|catch me up|handover)\b/i,
    'changes.since',
  ],
];
/** Words that narrow a question: skills have no filters, so that such a question is none of theirs. */
const narrowing =
  /\b(?:not|no|without|except|excluding|exclude|only|but|other than|apart from|bar|skip|minus|weekends?|weekdays?|nights?|per|each|critical|high|medium|low|severity|user|rule|vs|versus|compared?)\b/i;
export const unfiltered: readonly string[] = ['risk.improve', 'period.summary', 'changes.since'];

export function skillOf(text: string, { vocabulary, now, timeZone }: Input): { name: string; slots: SapphireSlots } | undefined {
  const bare = text.trim();
  if (support.test(bare)) return { name: 'support', slots: {} };
  if (greeting.test(bare)) return { name: 'greeting', slots: {} };
  const slots = slotsOf(bare, vocabulary, now, timeZone);
  const alert = oneAlert.exec(bare);
  if (alert) return { name: 'alert.explain', slots: { ...slots, alertId: Number(alert[1] ?? alert[2]) } };
  const own = oneCase.exec(bare);
  if (own) return { name: 'case.summarise', slots: { ...slots, caseId: Number(own[1] ?? own[2]) } };
  // "Case 7, what's up with it": every word is one of such questions.
  const [, noun, number] = /\b(case|incident|ticket|alert) ?#?(\d{1,9})\b/i.exec(bare) ?? [];
  if (noun && number && isAboutAll(bare.replace(`${noun} ${number}`, ' ').replace(`${noun} #${number}`, ' ')))
    return /alert/i.test(noun)
      ? { name: 'alert.explain', slots: { ...slots, alertId: Number(number) } }
      : { name: 'case.summarise', slots: { ...slots, caseId: Number(number) } };
  const fits = ([pattern, name]: readonly [RegExp, string]) =>
    pattern.test(bare) && !(unfiltered.includes(name) && narrowing.test(bare));
  const first = firstRules.find(fits);
  if (first) return { name: first[1], slots };
  if (howTo.test(bare) && !/\bhow (?:do|does|did) (?:we|i) (?:compare|rank|look|stand)/i.test(bare))
    return { name: 'howto', slots: {} };
  const other = laterRules.find(fits);
  return other && isWhole(bare, other[0], { vocabulary, now, timeZone }) ? { name: other[1], slots } : undefined;
}

/** Words beside a summary that do not narrow it. */
const beside = new Set(
  'a an the of for from in on at to with us our my all me we i please pls and so can could you give want need get see short brief quick little executive good morning hi hello hey since left is are was were been has have it there here anything everything new changed happened going on period time client customer clients customers organisation company what whats things everyone them their report reporting meeting about was'.split(
    ' ',
  ),
);
/** True if the rest of the question is a time and names of clients. */
function isWhole(text: string, pattern: RegExp, { vocabulary, now, timeZone }: Input): boolean {
  const times = findTimes(text, now, timeZone).reduceRight(
    (rest, { from, to }) => `${rest.slice(0, from)} ${rest.slice(to)}`,
    text,
  );
  const names = new Set(vocabulary.clients.flatMap(({ name }) => name.toLowerCase().split(' ')));
  return times
    .replace(pattern, ' ')
    .toLowerCase()
    .replaceAll("'s", '')
    .split(/[^a-z0-9]+/)
    .every((word) => word === '' || beside.has(word) || names.has(word) || names.has(word.replace(/s$/, '')));
}

function slotsOf(text: string, { clients }: Vocabulary, now: number, timeZone: string): SapphireSlots {
  const lower = text.toLowerCase();
  const named = clients.filter(
    ({ name }) =>
      lower.includes(name.toLowerCase()) ||
      name
        .toLowerCase()
        .split(' ')
        .some(
          (word, index) => index === 0 && word.length > 3 && new RegExp(`\\b${word.replace(/[^a-z0-9]/g, '')}\\b`).test(lower),
        ),
  );
  const timeframe = findTimes(text, now, timeZone)[0]?.timeframe;
  const platform = /windows/i.test(text)
    ? 'windows'
    : /linux|ubuntu|debian|red ?hat/i.test(text)
      ? 'linux'
      : /mac/i.test(text)
        ? 'macos'
        : undefined;
  return {
    ...(named.length > 0 && named.length < clients.length && { clients: named.map(({ id }) => id) }),
    ...(timeframe && { timeframe }),
    ...(platform && { platform }),
  };
}
