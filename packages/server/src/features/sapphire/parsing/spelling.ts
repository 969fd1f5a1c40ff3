/** Corrects a word to the nearest one of the lexicon, when only one is near. */
import { english } from './english.data.ts';
import { isFrequent } from './likeness.ts';
import { stem, tokensOf } from './tokens.ts';

/** Edit distance with transpositions; stops counting above `most`. */
export function distance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let best = Math.min((next[j - 1] ?? 0) + 1, (row[j] ?? 0) + 1, (row[j - 1] ?? 0) + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) best = Math.min(best, (before[j - 2] ?? 0) + 1);
      next.push(best);
    }
    before = row;
    row = next;
    if (Math.min(...row) > most) return most + 1;
  }
  return row[b.length] ?? most + 1;
}

/** Ways of writing that no edit distance finds. */
const shorthand: Readonly<Record<string, string>> = {
  ws: 'workstations',
  hw: 'how',
  dys: 'days',
  rulez: 'rules',
  networkdevices: 'network devices',
  networkdevice: 'network device',
  resps: 'responses',
  wk: 'week',
  wks: 'weeks',
  yr: 'year',
  yrs: 'years',
  mnth: 'month',
  mnths: 'months',
  mth: 'month',
  mths: 'months',
  hrs: 'hours',
  r: 'are',
  u: 'you',
  ur: 'your',
  ie: 'which is',
  eg: 'such as',
  'w/o': 'without',
  'w/': 'with',
  hav: 'have',
  nr: 'number',
  w: 'with',
  caes: 'cases',
  excl: 'excluding',
  ex: 'excluding',
  overnite: 'overnight',
  tonite: 'tonight',
  pct: '%',
  procent: '%',
  xmas: 'christmas',
  conf: 'confidence',
  tho: 'though',
  atm: 'now',
  rn: 'now',
  anybody: 'anyone',
  supression: 'suppression',
  supressions: 'suppressions',
  nobodys: 'nobody',
  noones: 'nobody',
  'w/out': 'without',
  wo: 'without',
  b4: 'before',
  thru: 'through',
  til: 'until',
  thx: 'thanks',
  ppl: 'people',
  abt: 'about',
  bc: 'because',
  vulns: 'vulnerabilities',
  vuln: 'vulnerability',
  mgr: 'manager',
  acct: 'account',
  accts: 'accounts',
  dept: 'department',
  crits: 'criticals',
  sev: 'severity',
  defence: 'defense',
  wich: 'which',
  hwo: 'how',
  shwo: 'show',
  teh: 'the',
  ther: 'there',
  alters: 'alerts',
  alrts: 'alerts',
  alertz: 'alerts',
  casses: 'cases',
  bewteen: 'between',
  betwen: 'between',
  betw: 'between',
  lst: 'last',
  tdy: 'today',
  movment: 'movement',
  yday: 'yesterday',
  ystrday: 'yesterday',
  tmrw: 'tomorrow',
  mgmt: 'management',
  workst: 'workstation',
  clnt: 'client',
  cust: 'customer',
  custs: 'customers',
  avrg: 'average',
  avarage: 'average',
  perc: '%',
  percentge: 'percentage',
  cnt: 'count',
  numbr: 'number',
  shw: 'show',
  lsit: 'list',
  devs: 'devices',
  respons: 'responses',
  incl: 'including',
  msgs: 'messages',
  sept: 'september',
  prev: 'previous',
  whch: 'which',
  compred: 'compared',
  comapred: 'compared',
  vunerabilities: 'vulnerabilities',
  vulnerabilites: 'vulnerabilities',
  vulnerabilties: 'vulnerabilities',
  isolatons: 'isolations',
  esclated: 'escalated',
  reopend: 'reopened',
  frist: 'first',
  waht: 'what',
  taht: 'that',
  thsi: 'this',
  adn: 'and',
  hte: 'the',
  hasnot: 'hasnt',
  arnt: 'arent',
  aint: 'isnt',
  wernt: 'werent',
  tehre: 'there',
  seperate: 'separate',
  tommorow: 'tomorrow',
  yesturday: 'yesterday',
  recieved: 'received',
  occured: 'occurred',
  unassinged: 'unassigned',
};

/** "Devcies" is nearer to "devices" than its stem. */
const apartFrom = (word: string, own: string, each: string, most: number): number =>
  Math.min(distance(own, each, most), word === own ? most + 1 : distance(word, `${each}s`, most));

/** Of a word with the same letters, with the same end, or that only lacks the "e" of its past. */
const bonusOf = (own: string, each: string, letters: string): number =>
  (letters === [...each].sort().join('') || each === own.replace(/d$/, 'ed') ? -0.5 : 0) - (each.at(-1) === own.at(-1) ? 0.1 : 0);

/** The nearest stem of the lexicon, if one alone is nearest and the word is none of English. Nouns and common words win over others at the same distance. */
export function corrected(
  word: string,
  { stems, common, trade }: { stems: ReadonlySet<string>; common: ReadonlySet<string>; trade?: ReadonlySet<string> },
): string | undefined {
  if (word.length < 4 || word.length > 20 || /\d/.test(word)) return undefined;
  const own = stem(word);
  if (english.has(own) || isFrequent(word)) return undefined;
  const letters = [...own].sort().join('');
  const most = own.length >= 7 ? 2 : 1;
  let best: string | undefined;
  let least = most + 1;
  let isTied = false;
  for (const each of trade ? [...stems, ...trade] : stems) {
    if (each.length < 3 || (each[0] !== own[0] && each[1] !== own[0])) continue;
    const apart = apartFrom(word, own, each, most);
    if (apart > most) continue;
    const rank = apart + bonusOf(own, each, letters) - (common.has(each) ? 0.3 : 0) + (stems.has(each) ? 0 : 0.2);
    if (rank < least) [best, least, isTied] = [each, rank, false];
    else if (rank === least && each !== best) isTied = true;
  }
  return isTied ? undefined : best;
}

const units: Readonly<Record<string, string>> = {
  d: 'days',
  w: 'weeks',
  wk: 'weeks',
  wks: 'weeks',
  mo: 'months',
  mos: 'months',
  h: 'hours',
  hr: 'hours',
  hrs: 'hours',
  yr: 'years',
  yrs: 'years',
  m: 'months',
};
/** "14d" is "14 days", "since 90 days" the last ones. */
export const spelledOut = (text: string): string =>
  text
    .replace(/\b(\d{1,4}) ?(d|wks?|w|mos?|hrs?|h|yrs?)\b(?!-)/gi, (all, count: string, unit: string, at: number) =>
      unit.toLowerCase() === 'h' && /\b(?:between|from|after|before|until|and|to|since|at|btw|-)\s*$/i.test(text.slice(0, at))
        ? all
        : `${count} ${units[unit.toLowerCase()]}`,
    )
    .replace(/\b(?:a |the )?(?:past |last )?fortnight\b/gi, 'last 14 days')
    .replace(/\bsince (\d{1,4} (?:days|weeks|months|hours))\b(?! ago)/gi, 'in the last $1')
    .replace(/\b(last|this|next|previous|past) qtr\b/gi, '$1 quarter')
    .replace(/\bbtw (?=\d)/gi, 'between ')
    // "This week than last": the unit holds for both.
    .replace(
      /\b(this|last) (week|month|quarter|year)\b(.*?\b(?:than|vs\.?|versus|against|to|with|from|on) )(?:the )?(last|previous|prior|preceding)(?: one)?(?=\s*(?:[?.,!]|$))/gi,
      (_, which: string, unit: string, between: string) =>
        `${which} ${unit}${between}${which.toLowerCase() === 'this' ? `last ${unit}` : `the ${unit} before last`}`,
    )
    .replace(/\b(older|newer|more|less|fewer|longer|higher|lower|later|bigger|smaller) then\b/gi, '$1 than');

/** The text with its misspelt words corrected; names of the vocabulary stay as they are. */
export function correctedText(
  text: string,
  lexicon: { stems: ReadonlySet<string>; common: ReadonlySet<string> },
  trade: ReadonlySet<string>,
  names: ReadonlySet<string>,
): string {
  let result = '';
  let at = 0;
  let isQuoted = false;
  for (const { text: word, from, to } of tokensOf(text)) {
    if (word === '"') isQuoted = !isQuoted;
    if (isQuoted || !/\p{L}/u.test(word) || names.has(stem(word)) || trade.has(stem(word))) continue;
    const better = shorthand[word] ?? (lexicon.stems.has(stem(word)) ? undefined : corrected(word, { ...lexicon, trade }));
    // As near to a name: it may be that.
    const isNearName = () =>
      [...names].some((name) => name.length >= 4 && !lexicon.stems.has(name) && distance(stem(word), name, 1) <= 1);
    if (better === undefined || (shorthand[word] === undefined && isNearName())) continue;
    result += text.slice(at, from) + better;
    at = to;
  }
  return result + text.slice(at);
}
