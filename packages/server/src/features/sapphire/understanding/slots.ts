/**
 * Slot grammar: names, numbers, severities, states and times in a question. Each find replaces its stretch of the text with
 * a mark.
 */
import type { SapphireSlots } from '@parapet/contract/rules/sapphire.ts';
import { maxId, severities } from '@parapet/contract/rules/values.ts';
import { createMarks, type Mark, type Marks } from './marks.ts';
import { findClients, findSpokenNames, findWholeNames, type MarkPlace, unknownNameIn } from './names.ts';
import { tidy, wordsOf } from './phrases.ts';
import type { NamedClient, Vocabulary } from './reading.ts';
import { findTimes } from './times.ts';
import { correctSpelling, isKnown } from './words.ts';

export interface Found {
  slots: SapphireSlots;
  /** Lower-case text with the finds replaced by marks such as "xdevice". */
  marked: string;
  /** A word that matches several names. */
  ambiguous: { said: string; names: string[] } | undefined;
  /** A name without a match. */
  unknownName: string | undefined;
  /** True for an organisation id without a match. */
  isForeignNumber: boolean;
  /** In scope, but another client is selected. */
  otherClient: NamedClient | undefined;
  /** True if the text contains several times. */
  hasTwoTimes: boolean;
  /** Text before the first time. */
  leadOfTime: string;
  /** A number after # without its kind. */
  bareNumber: number | undefined;
  saysAllClients: boolean;
}

const numberIn = (text: string | undefined): number | undefined => {
  const value = Number(text);
  return text !== undefined && /^\d{1,10}$/.test(text) && value >= 1 && value <= maxId ? value : undefined;
};
const counts: Record<string, number> = {
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  twelve: 12,
  fifteen: 15,
  twenty: 20,
  fifty: 50,
};
const countPattern = `(\\d{1,3}|${Object.keys(counts).join('|')})`;

/** State words of cases. */
const states: readonly [RegExp, NonNullable<SapphireSlots['states']>][] = [
  [
    /\b(?:not (?:yet )?(?:closed|resolved)|unclosed|unresolved|unsolved|still open|open(?:ed)? (?:at the moment|right now|now)|outstanding|un?finished|active)\b(?= *(?:case|incident|ticket|$)?)/gi,
    ['open'],
  ],
  [
    /\b(?:under investigation|being (?:investigated|looked (?:at|into)|worked on)|in progress|investigating|currently investigated)\b/gi,
    ['investigating'],
  ],
  [/\bopen\b/gi, ['open']],
  [/\bescalated\b/gi, ['escalated']],
  [/\b(?:closed|resolved|solved|completed|done with|shut|wrapped up|finali[sz]ed|dealt with)\b(?! as\b)/gi, ['closed']],
  [
    /\b(?:suspicious(?= (?:cases?|incidents?|tickets?|verdicts?|ones)\b)|(?<=\b(?:judged|rated|classified|deemed|considered|verdict(?: of| is)?)(?: as)? )suspicious|(?<=\b(?:cases?|incidents?|which|that) (?:are|is|were|was|look|looks) )suspicious)\b/gi,
    ['suspicious'],
  ],
  [/\b(?:insufficient information|not enough information|inconclusive|undetermined)\b/gi, ['inconclusive']],
  [/\b(?:(?:most )?likely|probabl[ey]|presumably) (?:benign|harmless|false (?:positives?|alarms?))\b/gi, ['likely benign']],
  [/\b(?:true positives?|malicious|confirmed (?:attacks?|bad))\b/gi, ['malicious']],
  [/\b(?:false positives?|false alarms?|benign|harmless)\b/gi, ['benign']],
];
const severityWords: readonly [RegExp, (typeof severities)[number][]][] = [
  [
    /\b(?:(?:(?:at least|minimum|from)) medium|medium (?:or|and) (?:above|higher|worse|more|up)|medium\+)/gi,
    ['critical', 'high', 'medium'],
  ],
  [/\b(?:(?:(?:at least|minimum|from)) high|high (?:or|and) (?:above|higher|worse|more|up)|high\+)/gi, ['critical', 'high']],
  [/\bcritical(?:ity critical)?\b(?! (?:infrastructure|assets?|systems?))/gi, ['critical']],
  [/(?<!\bhow )\bhigh(?:[- ](?:severity|criticality|priority))?\b(?!(?:-| )?(?:risk|volume|numbers?|scores?|value))/gi, ['high']],
  [/\bmedium\b/gi, ['medium']],
  [/(?<!\bhow )\blow(?:[- ](?:severity|criticality|priority))?\b(?! (?:on|risk|hanging|score))/gi, ['low']],
  [/\b(?:informational|info(?:-| )?level|info(?= (?:alerts?|cases?|severity)))\b/gi, ['informational']],
  [/\b(?:serious|severe|important|urgent|grave)\b/gi, ['critical', 'high']],
];

type Choices<Slot extends keyof SapphireSlots> = readonly (readonly [RegExp, NonNullable<SapphireSlots[Slot]>])[];
const deviceStates: Choices<'deviceState'> = [
  [
    /\b(?:(?:not|no longer|isn't|aren't|haven't|hasn't|don't|doesn't|stopped|without)(?: been)? (?:report(?:ing|ed|s)?|check(?:ing|ed|s)? in|sen(?:d|ds|ding|t)|talk(?:ing|ed|s)?|seen|heard from)(?: (?:in(?! (?:the|last|past|over|\d))|events|logs|data|anything|for a while|lately|recently))*|offline|silent|gone quiet|went quiet|quiet|not seen|stopped (?:reporting|sending))\b/gi,
    'silent',
  ],
  [/\b(?:isolated|quarantined|cut off|in isolation)\b/gi, 'isolated'],
  [/\bstale\b/gi, 'stale'],
  [
    /\b(?:reporting(?: in)?|reports? in|online|checking in|sending (?:events|logs|data))\b(?! (?:page|tab|month|menu))/gi,
    'reporting',
  ],
];
const platforms: Choices<'platform'> = [
  [/\b(?:windows(?: (?:10|11|server))?|win(?:10|11))\b/gi, 'windows'],
  [/\b(?:linux|ubuntu|debian|red ?hat|rhel|centos|fedora|suse)\b/gi, 'linux'],
  [/\b(?:mac ?os(?: ?x)?|macs?|macbooks?|os ?x|apple)\b/gi, 'macos'],
];
const buckets: Choices<'bucket'> = [
  [
    /\/ ?day\b|\b(?:per day|by day|each day|every day|day by day|daily(?! (?:report|summary|overview|recap|digest|briefing|round-?up))|a day)\b/gi,
    'day',
  ],
  [
    /\/ ?week\b|\b(?:per week|by week|each week|every week|week (?:by|on|over) week(?!.*\bcompar)(?<!compar.*)|weekly(?! (?:report|summary|overview|recap|digest|briefing|round-?up|review)))\b/gi,
    'week',
  ],
  [
    /\/ ?month\b|\b(?:per month|by month|each month|every month|month (?:by|on) month(?!.*\bcompar)(?<!compar.*)|monthly(?! (?:report|summary|overview|recap|digest|briefing|round-?up|review))|month over month)\b/gi,
    'month',
  ],
];
const unassigned =
  /\b(?:unassigned|not assigned|nobody's|(?:assigned to|owned by|with) (?:nobody|no one|no-one|noone)|without an? (?:analyst|owner|assignee)|no (?:analyst|owner|assignee)|(?:nobody|no one|no-one)(?:'s| is| has)? (?:works?|working|looks?|looking|looked|took|taken|handles|handling|picked|claimed|touched|started|owns)(?: (?:on|at|up|yet))*|not (?:yet )?(?:been )?(?:picked up|claimed|taken)|(?:has|have|with) no (?:owner|analyst|assignee)|(?:waiting|wait) for (?:an? )?(?:analyst|owner|assignee))\b/gi;
const assignedToMe =
  /\b(?:assigned to me|my (?:own )?(?:open )?(?=cases?|incidents?|tickets?|queue)|do i have (?=open|to work|assigned)|on my (?:plate|desk|list)|(?:i(?:'m| am)|am i) (?:currently )?(?:working on|assigned(?: to)?|handling|responsible for)|for me to (?:work|handle)|belong to me|mine|(?:i|am i) (?:own|assigned))\b/gi;
/** Numbers of results. */
const limits = [
  `(?<=\\b(?:top|first|last|latest|newest|recent|worst|show|list|the|give me|me|our|which|what|name) )${countPattern}(?= |\\b)(?! ?(?:days?|weeks?|months?|years?|hours?|minutes?|%))`,
  `\\b${countPattern}(?= (?:most|noisiest|busiest|riskiest|worst|newest|latest|top|biggest|highest|most recent|common)\\b)`,
  `(?<=^\\W*(?:the )?)${countPattern}(?= [a-z]+ (?:with|that|who|which|by)\\b)`,
].map((pattern) => new RegExp(pattern, 'gi'));
const allClients =
  /\b(?:all|every|each|across(?: all)?)(?: of)?(?: (?:our|my|the|your))? (?:clients?|customers?|organi[sz]ations?|tenants?|companies)\b|\beveryone's\b|\boverall\b/i;

export function findSlots(given: string, vocabulary: Vocabulary, now: number, timeZone: string): Found {
  const named = createMarks(tidy(given));
  const words = wordsOf(named.text);
  const slots: SapphireSlots = {};
  const { foreignNumber, bareNumber } = markIdentifiers(named, slots, vocabulary);

  // Names, the longest first: a device may contain a client’s name.
  const otherClient = findClients(named.text, words, vocabulary, slots, named.mark);
  findWholeNames(named.text, vocabulary, slots, named.mark, named.isFree);
  if (slots.technique === undefined) findTechnique(named.text, vocabulary, slots, named.mark);
  const ambiguous = findSpokenNames(named.text, words, vocabulary, slots, named.mark, named.isFree);

  // The rest are words: misspellings are corrected before matching.
  const text = spelt(named.replaced());
  const marks = createMarks(text, marksIn(text));
  const times = findTimes(marks.blanked(), now, timeZone).filter(({ from, to }) => marks.isFree(from, to));
  for (const { from, to } of times) marks.mark(from, to, 'xtime');
  const [first, second] = times;
  if (first) slots.timeframe = first.timeframe;
  if (second) slots.before = second.timeframe;
  markSeverities(marks, slots);
  markFirst(marks, slots, 'deviceState', deviceStates, 'xdevicestate');
  markAssignment(marks, slots);
  markStates(marks, slots);
  markFirst(marks, slots, 'platform', platforms, 'xplatform');
  markFirst(marks, slots, 'bucket', buckets, 'xbucket');
  for (const pattern of limits) marks.each(pattern, ([, digits = '']) => limitIn(digits, slots));

  return {
    slots,
    marked: marks.replaced().toLowerCase(),
    ambiguous,
    unknownName: foreignNumber ?? unknownNameIn(text, wordsOf(marks.blanked()), vocabulary),
    isForeignNumber: foreignNumber !== undefined,
    otherClient,
    hasTwoTimes: second !== undefined,
    leadOfTime: first ? text.slice(Math.max(0, first.from - 20), first.from) : '',
    bareNumber,
    saysAllClients: allClients.test(text),
  };
}

/** Marks of the first finds, as they stand in the text. */
const marksIn = (text: string): Mark[] =>
  wordsOf(text)
    .filter(({ text: word }) => /^x(?:cve|technique|client|caseid|alertid|number|rule|device|user)$/.test(word))
    .map(({ text: as, from, to }) => ({ from, to, as }));

/** Identifiers with a fixed format. Returns a number of no client in scope, and one after # without its kind. */
function markIdentifiers(marks: Marks, slots: SapphireSlots, vocabulary: Vocabulary) {
  let foreignNumber: string | undefined;
  let bareNumber: number | undefined;
  marks.each(/\bcve[- ]?(\d{4})[- ](\d{4,7})\b/gi, ([, year, number]) => {
    slots.cve ??= `CVE-${year}-${number}`;
    return 'xcve';
  });
  marks.each(/\bt(\d{4})(?:\.(\d{3}))?\b/gi, ([, id, sub]) => {
    slots.technique ??= `T${id}${sub ? `.${sub}` : ''}`;
    return 'xtechnique';
  });
  marks.each(
    /\b(?:client|customer|organi[sz]ation|org|company|tenant)(?: (?:id|no\.?|number|nr\.?))? ?#?(\d{1,10})\b/gi,
    ([whole, digits]) => {
      const client = vocabulary.clients.find(({ id }) => id === Number(digits));
      if (client) slots.clients = [...new Set([...(slots.clients ?? []), client.id])];
      else foreignNumber ??= whole;
      return client ? 'xclient' : undefined;
    },
  );
  marks.each(/\b(?:case|incident|ticket|investigation)s?(?: (?:id|no\.?|number|nr\.?))? ?#? ?(\d{1,10})\b/gi, ([, digits]) => {
    slots.caseId ??= numberIn(digits);
    return slots.caseId === undefined ? undefined : 'xcaseid';
  });
  marks.each(/\b(?:alert|detection|alarm)s?(?: (?:id|no\.?|number|nr\.?))? ?#? ?(\d{1,10})\b/gi, ([, digits]) => {
    slots.alertId ??= numberIn(digits);
    return slots.alertId === undefined ? undefined : 'xalertid';
  });
  marks.each(/#(\d{1,10})\b/g, ([, digits]) => {
    bareNumber ??= numberIn(digits);
    return bareNumber === undefined ? undefined : 'xnumber';
  });
  return { foreignNumber, bareNumber };
}

function markSeverities(marks: Marks, slots: SapphireSlots): void {
  const found = new Set<string>();
  // "The criticals" are alerts.
  marks.each(/\b(critical|high|medium|low)s\b/gi, ([, value = '']) => {
    found.add(value.toLowerCase());
    return 'xseverity alert';
  });
  for (const [pattern, values] of severityWords)
    marks.each(pattern, () => {
      for (const value of values) found.add(value);
      return 'xseverity';
    });
  if (found.size > 0) slots.severities = severities.filter((value) => found.has(value));
}

function markAssignment(marks: Marks, slots: SapphireSlots): void {
  marks.each(unassigned, () => {
    slots.assigned = 'nobody';
    return 'xassigned';
  });
  marks.each(assignedToMe, ([said]) => {
    if (/open/i.test(said)) slots.states = ['open'];
    slots.assigned = 'me';
    return 'xassigned';
  });
}

function markStates(marks: Marks, slots: SapphireSlots): void {
  const found = new Set<NonNullable<SapphireSlots['states']>[number]>(slots.states);
  for (const [pattern, values] of states)
    marks.each(pattern, () => {
      for (const value of values) found.add(value);
      return 'xstate';
    });
  if (/\bassigned\b(?! to)/i.test(marks.blanked()))
    marks.each(/\bassigned\b/gi, () => {
      found.add('assigned');
      return 'xstate';
    });
  if (found.size > 0) slots.states = [...found];
}

/** Fills a slot with the first choice found. */
function markFirst<Slot extends keyof SapphireSlots>(
  marks: Marks,
  slots: SapphireSlots,
  slot: Slot,
  choices: Choices<Slot>,
  as: string,
): void {
  for (const [pattern, value] of choices)
    marks.each(pattern, () => {
      slots[slot] ??= value;
      return as;
    });
}

function limitIn(digits: string, slots: SapphireSlots): string | undefined {
  const value = counts[digits.toLowerCase()] ?? Number(digits);
  if (value < 1 || value > 50) return undefined;
  slots.limit ??= value;
  return ' ';
}

/** Finds the longest technique name in the text. */
function findTechnique(text: string, { techniques }: Vocabulary, slots: SapphireSlots, mark: MarkPlace): void {
  const lower = text.toLowerCase();
  // Hundreds exist, few occur in a text.
  const standing = techniques.filter(({ name }) => name.length >= 6 && lower.includes(name.toLowerCase()));
  for (const { id, name } of standing.sort((a, b) => b.name.length - a.name.length)) {
    const at = lower.search(new RegExp(`\\b${escaped(name.toLowerCase())}\\b(?! alerts? rule)`));
    if (at < 0 || !isTechniqueMeant(name, text) || !mark(at, at + name.length, 'xtechnique')) continue;
    slots.technique = id;
    return;
  }
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
/** Techniques named by everyday words need a context word. */
const isTechniqueMeant = (name: string, text: string): boolean =>
  /[ -]/.test(name) ||
  new RegExp(`techniques?|mitre|att&?ck|tactics?|${escaped(name)} (?:alerts?|attacks?|attempts?)`, 'i').test(text);

function spelt(text: string): string {
  let result = '';
  let at = 0;
  for (const { text: word, from, to } of wordsOf(text)) {
    const isName = /[\d@\\_/.-]/.test(word) || /^x[a-z]+$/.test(word) || isKnown(word);
    const better = isName || (/^\p{Lu}/u.test(text.slice(from)) && from > 0) ? undefined : correctSpelling(word);
    if (better === undefined || better === word) continue;
    result += text.slice(at, from) + better;
    at = to;
  }
  return result + text.slice(at);
}
