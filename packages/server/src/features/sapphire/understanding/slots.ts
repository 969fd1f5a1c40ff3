/**
 * Slot grammar: names, numbers, severities, states and times in a question. Each find replaces its stretch of the text with
 * a mark.
 */
import type { SapphireSlots } from '@parapet/contract/rules/sapphire.ts';
import { maxId, severities } from '@parapet/contract/rules/values.ts';
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

interface Mark {
  from: number;
  to: number;
  as: string;
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

export function findSlots(given: string, vocabulary: Vocabulary, now: number, timeZone: string): Found {
  let text = tidy(given);
  const words = wordsOf(text);
  const slots: SapphireSlots = {};
  let marks: Mark[] = [];
  const isFree = (from: number, to: number) => marks.every((mark) => to <= mark.from || from >= mark.to);
  const mark = (from: number, to: number, as: string): boolean => {
    if (!isFree(from, to)) return false;
    marks.push({ from, to, as });
    return true;
  };
  const each = (pattern: RegExp, take: (match: RegExpExecArray) => string | undefined) => {
    for (const match of text.matchAll(pattern)) {
      const [from, to] = [match.index, match.index + match[0].length];
      if (!isFree(from, to)) continue;
      const as = take(match);
      if (as !== undefined) mark(from, to, as);
    }
  };

  // Identifiers with a fixed format.
  each(/\bcve[- ]?(\d{4})[- ](\d{4,7})\b/gi, ([, year, number]) => {
    slots.cve ??= `CVE-${year}-${number}`;
    return 'xcve';
  });
  each(/\bt(\d{4})(?:\.(\d{3}))?\b/gi, ([, id, sub]) => {
    slots.technique ??= `T${id}${sub ? `.${sub}` : ''}`;
    return 'xtechnique';
  });
  let foreignNumber: string | undefined;
  each(
    /\b(?:client|customer|organi[sz]ation|org|company|tenant)(?: (?:id|no\.?|number|nr\.?))? ?#?(\d{1,10})\b/gi,
    ([whole, digits]) => {
      const client = vocabulary.clients.find(({ id }) => id === Number(digits));
      if (client) slots.clients = [...new Set([...(slots.clients ?? []), client.id])];
      else foreignNumber ??= whole;
      return client ? 'xclient' : undefined;
    },
  );
  each(/\b(?:case|incident|ticket|investigation)s?(?: (?:id|no\.?|number|nr\.?))? ?#? ?(\d{1,10})\b/gi, ([, digits]) => {
    slots.caseId ??= numberIn(digits);
    return slots.caseId === undefined ? undefined : 'xcaseid';
  });
  each(/\b(?:alert|detection|alarm)s?(?: (?:id|no\.?|number|nr\.?))? ?#? ?(\d{1,10})\b/gi, ([, digits]) => {
    slots.alertId ??= numberIn(digits);
    return slots.alertId === undefined ? undefined : 'xalertid';
  });
  let bareNumber: number | undefined;
  each(/#(\d{1,10})\b/g, ([, digits]) => {
    bareNumber ??= numberIn(digits);
    return bareNumber === undefined ? undefined : 'xnumber';
  });

  // Names, the longest first: a device may contain a client’s name.
  const otherClient = findClients(text, words, vocabulary, slots, mark);
  findWholeNames(text, vocabulary, slots, mark, isFree);
  if (slots.technique === undefined) findTechnique(text, vocabulary, slots, mark);

  const ambiguous = findSpokenNames(text, words, vocabulary, slots, mark, isFree);

  // The rest are words: misspellings are corrected before matching.
  text = spelt(replaced(text, marks));
  marks = wordsOf(text)
    .filter(({ text: word }) => /^x(?:cve|technique|client|caseid|alertid|number|rule|device|user)$/.test(word))
    .map(({ text: as, from, to }) => ({ from, to, as }));

  // Times.
  const times = findTimes(blanked(text, marks), now, timeZone).filter(({ from, to }) => isFree(from, to));
  for (const { from, to } of times) mark(from, to, 'xtime');
  const [first, second] = times;
  if (first) slots.timeframe = first.timeframe;
  if (second) slots.before = second.timeframe;

  // Words.
  const severity = new Set<string>();
  // "The criticals" are alerts.
  each(/\b(critical|high|medium|low)s\b/gi, ([, value = '']) => {
    severity.add(value.toLowerCase());
    return 'xseverity alert';
  });
  for (const [pattern, values] of severityWords)
    each(pattern, () => {
      for (const value of values) severity.add(value);
      return 'xseverity';
    });
  if (severity.size > 0) slots.severities = severities.filter((value) => severity.has(value));
  each(
    /\b(?:(?:not|no longer|isn't|aren't|haven't|hasn't|don't|doesn't|stopped|without)(?: been)? (?:report(?:ing|ed|s)?|check(?:ing|ed|s)? in|sen(?:d|ds|ding|t)|talk(?:ing|ed|s)?|seen|heard from)(?: (?:in(?! (?:the|last|past|over|\d))|events|logs|data|anything|for a while|lately|recently))*|offline|silent|gone quiet|went quiet|quiet|not seen|stopped (?:reporting|sending))\b/gi,
    () => {
      slots.deviceState ??= 'silent';
      return 'xdevicestate';
    },
  );
  each(/\b(?:isolated|quarantined|cut off|in isolation)\b/gi, () => {
    slots.deviceState ??= 'isolated';
    return 'xdevicestate';
  });
  each(/\bstale\b/gi, () => {
    slots.deviceState ??= 'stale';
    return 'xdevicestate';
  });
  each(
    /\b(?:reporting(?: in)?|reports? in|online|checking in|sending (?:events|logs|data))\b(?! (?:page|tab|month|menu))/gi,
    () => {
      slots.deviceState ??= 'reporting';
      return 'xdevicestate';
    },
  );
  each(
    /\b(?:unassigned|not assigned|nobody's|(?:assigned to|owned by|with) (?:nobody|no one|no-one|noone)|without an? (?:analyst|owner|assignee)|no (?:analyst|owner|assignee)|(?:nobody|no one|no-one)(?:'s| is| has)? (?:works?|working|looks?|looking|looked|took|taken|handles|handling|picked|claimed|touched|started|owns)(?: (?:on|at|up|yet))*|not (?:yet )?(?:been )?(?:picked up|claimed|taken)|(?:has|have|with) no (?:owner|analyst|assignee)|(?:waiting|wait) for (?:an? )?(?:analyst|owner|assignee))\b/gi,
    () => {
      slots.assigned = 'nobody';
      return 'xassigned';
    },
  );
  each(
    /\b(?:assigned to me|my (?:own )?(?:open )?(?=cases?|incidents?|tickets?|queue)|do i have (?=open|to work|assigned)|on my (?:plate|desk|list)|(?:i(?:'m| am)|am i) (?:currently )?(?:working on|assigned(?: to)?|handling|responsible for)|for me to (?:work|handle)|belong to me|mine|(?:i|am i) (?:own|assigned))\b/gi,
    (match) => {
      if (/open/i.test(match[0])) slots.states = ['open'];
      slots.assigned = 'me';
      return 'xassigned';
    },
  );
  const said = new Set<NonNullable<SapphireSlots['states']>[number]>(slots.states);
  for (const [pattern, values] of states)
    each(pattern, () => {
      for (const value of values) said.add(value);
      return 'xstate';
    });
  if (/\bassigned\b(?! to)/i.test(blanked(text, marks))) {
    each(/\bassigned\b/gi, () => {
      said.add('assigned');
      return 'xstate';
    });
  }
  if (said.size > 0) slots.states = [...said];
  each(/\b(?:windows(?: (?:10|11|server))?|win(?:10|11))\b/gi, () => {
    slots.platform ??= 'windows';
    return 'xplatform';
  });
  each(/\b(?:linux|ubuntu|debian|red ?hat|rhel|centos|fedora|suse)\b/gi, () => {
    slots.platform ??= 'linux';
    return 'xplatform';
  });
  each(/\b(?:mac ?os(?: ?x)?|macs?|macbooks?|os ?x|apple)\b/gi, () => {
    slots.platform ??= 'macos';
    return 'xplatform';
  });
  each(
    /\/ ?day\b|\b(?:per day|by day|each day|every day|day by day|daily(?! (?:report|summary|overview|recap|digest|briefing|round-?up))|a day)\b/gi,
    () => {
      slots.bucket ??= 'day';
      return 'xbucket';
    },
  );
  each(
    /\/ ?week\b|\b(?:per week|by week|each week|every week|week (?:by|on|over) week(?!.*\bcompar)(?<!compar.*)|weekly(?! (?:report|summary|overview|recap|digest|briefing|round-?up|review)))\b/gi,
    () => {
      slots.bucket ??= 'week';
      return 'xbucket';
    },
  );
  each(
    /\/ ?month\b|\b(?:per month|by month|each month|every month|month (?:by|on) month(?!.*\bcompar)(?<!compar.*)|monthly(?! (?:report|summary|overview|recap|digest|briefing|round-?up|review))|month over month)\b/gi,
    () => {
      slots.bucket ??= 'month';
      return 'xbucket';
    },
  );
  const limit = (digits: string | undefined) => {
    const value = counts[digits?.toLowerCase() ?? ''] ?? Number(digits);
    if (value < 1 || value > 50) return undefined;
    slots.limit ??= value;
    return ' ';
  };
  each(
    new RegExp(
      `(?<=\\b(?:top|first|last|latest|newest|recent|worst|show|list|the|give me|me|our|which|what|name) )${countPattern}(?= |\\b)(?! ?(?:days?|weeks?|months?|years?|hours?|minutes?|%))`,
      'gi',
    ),
    ([, digits]) => limit(digits),
  );
  each(
    new RegExp(
      `\\b${countPattern}(?= (?:most|noisiest|busiest|riskiest|worst|newest|latest|top|biggest|highest|most recent|common)\\b)`,
      'gi',
    ),
    ([, digits]) => limit(digits),
  );

  each(new RegExp(`(?<=^\\W*(?:the )?)${countPattern}(?= [a-z]+ (?:with|that|who|which|by)\\b)`, 'gi'), ([, digits]) =>
    limit(digits),
  );

  const saysAllClients =
    /\b(?:all|every|each|across(?: all)?)(?: of)?(?: (?:our|my|the|your))? (?:clients?|customers?|organi[sz]ations?|tenants?|companies)\b|\beveryone's\b|\boverall\b/i.test(
      text,
    );
  const rest = wordsOf(blanked(text, marks));
  return {
    slots,
    marked: replaced(text, marks).toLowerCase(),
    ambiguous,
    unknownName: foreignNumber ?? unknownNameIn(text, rest, vocabulary),
    isForeignNumber: foreignNumber !== undefined,
    otherClient,
    hasTwoTimes: second !== undefined,
    leadOfTime: first ? text.slice(Math.max(0, first.from - 20), first.from) : '',
    bareNumber,
    saysAllClients,
  };
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

function blanked(text: string, marks: readonly Mark[]): string {
  let result = text;
  for (const { from, to } of marks) result = result.slice(0, from) + ' '.repeat(to - from) + result.slice(to);
  return result;
}
function replaced(text: string, marks: readonly Mark[]): string {
  let result = '';
  let at = 0;
  for (const { from, to, as } of [...marks].sort((a, b) => a.from - b.from)) {
    result += `${text.slice(at, from)} ${as} `;
    at = to;
  }
  return result + text.slice(at);
}

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
