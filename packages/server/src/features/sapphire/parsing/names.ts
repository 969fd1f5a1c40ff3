/** Names, numbers and times in a question, as edges over its tokens. A name that is not exact becomes a doubt, never a neighbour. */
import type { QueryEntity } from '@parapet/contract/rules/query.ts';
import { controls, tacticNames } from '../../../domain/facts.ts';
import type { NameKind } from '../../../domain/query/schema.ts';
import type { Edge, Item, Option } from './items.ts';
import { type Lexicon, nameItem } from './lexicon.ts';
import { findMoments, findNumbers } from './moments.ts';
import { placeItem, placesOf } from './places.ts';
import { distance } from './spelling.ts';
import { stem, type Token, tokensOf } from './tokens.ts';
import type { NamedInput, Vocabulary } from './vocabulary.ts';

export interface Doubt {
  /** As typed. */
  text: string;
  /** Similar names in scope; empty if there are none. */
  names: string[];
}

const nameCost = 0.6;

export function findNames(input: NamedInput): { edges: Edge[]; doubts: Doubt[]; otherClient?: string } {
  const { tokens, vocabulary } = input;
  const edges = [...findNumbers(input), ...findMoments(input), ...findExact(input), ...findQuoted(input), ...findCodes(input)];
  edges.push(...findRules(input));
  const other = vocabulary.otherClients.find(({ name }) =>
    edges.some(
      ({ item }) =>
        item.kind === 'value' && item.isName && item.options.some(({ filter }) => 'in' in filter && filter.in[0] === name),
    ),
  );
  const isCovered = tokens.map((_, at) => edges.some(({ from, to }) => from <= at && at < to));
  return { edges, doubts: findDoubts(input, isCovered), ...(other && { otherClient: other.name }) };
}

/** "Credential dumping" of "OS Credential Dumping". */
const tailOf = (name: string): string[] => {
  const [, ...rest] = name.split(' ');
  return rest.length >= 2 ? [rest.join(' ')] : [];
};

/** Words of the lexicon. */
const isPhrase = ({ phrases }: Lexicon, name: string): boolean => {
  const stems = tokensOf(name).map(({ text }) => stem(text));
  return phrases.get(stems[0]!)?.some((phrase) => phrase.stems.join(' ') === stems.join(' ')) ?? false;
};

type Known = Map<string, (() => Item)[]>;
const keysKept = new Map<string, string>();
const maxKeysKept = 20_000;
/** Tokens of a name, kept: thousands of names repeat from question to question. */
function keyOf(name: string): string {
  let key = keysKept.get(name);
  if (key === undefined) {
    key = tokensOf(name.toLowerCase())
      .map((token) => token.text)
      .join(' ');
    if (keysKept.size >= maxKeysKept) keysKept.clear();
    keysKept.set(name, key);
  }
  return key;
}

type Know = (kind: NameKind, stored: string, spellings?: Iterable<string>, label?: string) => void;
/** Tactics and techniques of ATT&CK, controls of NIST SP 800-53. */
function knowFrameworks(add: Know, lexicon: Lexicon, { techniques }: Vocabulary): void {
  // "Network devices" are a kind of device as well.
  const isOwn = (name: string) => name.includes(' ') && !isPhrase(lexicon, name);
  for (const name of tacticNames.values()) add('tactic', name, [name, ...(shortTactics[name] ?? [])]);
  for (const { id, name } of techniques) {
    add('technique', id);
    if (isOwn(name)) add('technique', id, [name, ...tailOf(name)], `${id} ${name}`);
  }
  for (const { id, name } of controls) add('control', id, isOwn(name) ? [id, name] : [id], `${id} ${name}`);
}

/** Every spelling by which a name is exactly known. */
function knownNames({ lexicon, vocabulary }: NamedInput): Known {
  const known: Known = new Map();
  const add = (name: string, item: () => Item) => {
    const key = keyOf(name);
    if (key !== '') known.set(key, [...(known.get(key) ?? []), item]);
  };
  const plain: Know = (kind, stored, spellings = [stored], label = stored) => {
    for (const spelling of spellings) add(spelling, () => nameItem(lexicon, kind, [stored], label));
  };
  for (const name of vocabulary.devices) plain('device', name);
  const accounts = accountsOf(vocabulary.users);
  for (const name of vocabulary.users) if (!accounts.has(name.toLowerCase())) plain('user', name);
  // One person under several spellings: "DOGWOOD\\rnavarro", "rnavarro@dogwood.example".
  for (const [account, own] of accounts) add(account, () => nameItem(lexicon, 'user', own, account));
  for (const name of vocabulary.tags) plain('tag', name);
  for (const name of vocabulary.rules) plain('rule', name);
  knowFrameworks(plain, lexicon, vocabulary);
  const system = nameItem(lexicon, 'account', ['SYSTEM'], 'SYSTEM');
  for (const alias of bySystem) add(alias, () => system);
  for (const alias of byPeople) add(alias, () => excluded(system));
  const all = [...vocabulary.clients, ...vocabulary.otherClients];
  const only = (names: readonly string[]) => [...ownersOf(names)].filter(([word]) => !lexicon.stems.has(stem(word)));
  for (const { name, isPartner } of all) add(name, () => clientItem(lexicon, name, isPartner));
  for (const [alias, place] of placesOf(vocabulary.clients)) add(alias, () => placeItem(lexicon, place));
  // "Harbors clients": without its apostrophe.
  for (const [word, name] of only(all.map((client) => client.name)))
    for (const alias of [word, `${word}s`])
      add(alias, () => clientItem(lexicon, name, all.find((client) => client.name === name)!.isPartner));
  for (const name of vocabulary.accounts) {
    const [first = '', ...rest] = keyOf(name).split(' ');
    const last = rest.join(' ');
    plain('account', name, new Set([name, `${first[0]} ${last}`, `${first[0]}. ${last}`, `${last} ${first}`]));
  }
  for (const [word, name] of only(vocabulary.accounts)) plain('account', name, [word]);
  return known;
}

/** The names of each bare account. */
function accountsOf(users: readonly string[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const name of users) {
    const account = name.toLowerCase().replace(/^.*\\|@.*$/g, '');
    found.set(account, [...(found.get(account) ?? []), name]);
  }
  return found;
}

/** Words that belong to one name alone: "Birch" of "Birch Dental Group". */
function ownersOf(names: readonly string[]): Map<string, string> {
  const found = new Map<string, string[]>();
  for (const name of names)
    for (const word of keyOf(name).split(' '))
      if (word.length >= 3 && !companyWords.test(word)) found.set(word, [...(found.get(word) ?? []), name]);
  return new Map(
    [...found].flatMap(([word, [name, ...others]]) => (name !== undefined && others.length === 0 ? [[word, name]] : [])),
  );
}

/** A partner's rows are those of its clients. */
function clientItem(lexicon: Lexicon, name: string, isPartner: boolean): Item {
  const item = nameItem(lexicon, 'client', [name], name);
  if (!isPartner || item.kind !== 'value') return item;
  return { ...item, options: [...item.options].sort((a, b) => Number(b.field === 'partner') - Number(a.field === 'partner')) };
}

const longestName = 14;
function findExact(input: NamedInput): Edge[] {
  const { tokens } = input;
  const known = knownNames(input);
  const edges: Edge[] = [];
  for (let from = 0; from < tokens.length; from++) {
    let key = '';
    for (let to = from + 1; to <= Math.min(tokens.length, from + longestName); to++) {
      key = key === '' ? tokens[from]!.text : `${key} ${tokens[to - 1]!.text}`;
      const items =
        known.get(key) ??
        known.get(key.replaceAll('"', '').trim()) ??
        (to === from + 2 ? known.get(accountOf(tokens, from, input)) : undefined);
      for (const item of items ?? []) edges.push({ from, to, item: item(), cost: nameCost });
    }
  }
  return edges;
}

/** "Gideon Ravensdale": the account gravensdale. */
const accountOf = (tokens: readonly Token[], from: number, { lexicon }: NamedInput): string => {
  const [first, last] = [tokens[from]!.text, tokens[from + 1]!.text];
  return [first, last].some((word) => lexicon.stems.has(stem(word)) || !/^\p{L}{2,}$/u.test(word)) ? '' : first[0]! + last;
};

/** Words that nothing covers but that are nearly a name. */
function findDoubts({ tokens, text, lexicon, vocabulary }: NamedInput, isCovered: readonly boolean[]): Doubt[] {
  const doubts: Doubt[] = [];
  for (const [at, { text: word, from, to }] of tokens.entries()) {
    if (isCovered[at] || lexicon.stems.has(stem(word)) || word.length < 3 || !/[\p{L}\p{N}]/u.test(word)) continue;
    const next = tokens[at + 1];
    // Two words of one person are one doubt.
    const both = next && !lexicon.stems.has(stem(next.text)) ? nearNames(`${word} ${next.text}`, vocabulary) : [];
    const near = both.length > 0 ? both : nearNames(word, vocabulary);
    if (near.length > 0) doubts.push({ text: text.slice(from, both.length > 0 ? next!.to : to), names: near });
  }
  return doubts;
}

const bySystem = ['by system', 'by the system', 'automatically', 'by itself', 'by the portal'];
const byPeople =
  'no system, not system, without system, people only, only people, humans only, by a human, by a person, by people, by humans'.split(
    ', ',
  );
const shortTactics: Readonly<Record<string, readonly string[]>> = {
  'Command and Control': ['c2', 'command & control'],
  Exfiltration: ['exfil'],
  'Privilege Escalation': ['privesc'],
};

/** Everything but the values of a name. */
const excluded = (item: Item): Item =>
  item.kind === 'value'
    ? {
        ...item,
        options: item.options.map((option) => ({
          ...option,
          filter: { and: [{ field: option.field, is: true }, { not: option.filter }] },
        })),
      }
    : item;
const companyWords =
  /^(?:inc|ltd|llc|gmbh|ag|co|corp|group|company|union|credit|district|school|the|and|of|services|solutions|security|systems|international|managed|it|cyber|holding|holdings)$/;

/** Names that a word nearly is: one edit away, or part of them. At most six. */
function nearNames(word: string, { devices, users, accounts, clients, tags }: Vocabulary): string[] {
  const lower = word.toLowerCase();
  const most = lower.length >= 7 ? 2 : 1;
  const isNear = (name: string) => {
    const own = name.toLowerCase();
    if (numbersOf(own) !== numbersOf(lower) && numbersOf(lower) !== '') return own.includes(lower);
    return (
      distance(lower, own, most) <= most ||
      (lower.length >= 4 && own.includes(lower)) ||
      own.split(/[\s.@_-]+/).some((part) => part.length >= 4 && distance(lower, part, 1) <= 1)
    );
  };
  return [...new Set([...clients.map(({ name }) => name), ...devices, ...accounts, ...users, ...tags].filter(isNear))].slice(
    0,
    6,
  );
}
const numbersOf = (text: string): string => (text.match(/\d+/g) ?? []).map(Number).join();

const containing = ({ schemas }: Lexicon, text: string, entities?: readonly QueryEntity[]): Option[] =>
  Object.values(schemas)
    .filter(({ entity, attributes }) => attributes.text && (entities === undefined || entities.includes(entity)))
    .map(({ entity }) => ({ entity, field: 'text', filter: { field: 'text', contains: text } }));

/** A quoted stretch is a rule’s title, else text to look for. */
function findQuoted({ tokens, text, lexicon, vocabulary }: NamedInput): Edge[] {
  const edges: Edge[] = [];
  for (const match of text.matchAll(
    /"([^"]{2,200})"|\b(?:mentioning|mentions?|(?:containing|with) the (?:word|text)|about the word) ([\w.-]{3,60})/gi,
  )) {
    const from = tokens.findIndex((token) => token.from >= match.index);
    const after = tokens.findIndex((token) => token.from >= match.index + match[0].length);
    const to = after < 0 ? tokens.length : after;
    const words = (match[1] ?? match[2])!.trim();
    const text = words.toLowerCase();
    const title = vocabulary.rules.find((rule) => rule.toLowerCase() === text);
    const item: Item = title
      ? nameItem(lexicon, 'rule', [title], title)
      : { kind: 'value', options: containing(lexicon, words), isName: true, label: match[0] };
    if (from >= 0 && to > from) edges.push({ from, to, item, cost: 0.2 });
  }
  return edges;
}

/** Identifiers with a fixed form: CVE, technique, address, hash, versions. */
function findCodes({ tokens, lexicon }: NamedInput): Edge[] {
  const edges: Edge[] = [];
  for (const [from, { text }] of tokens.entries()) {
    const put = (options: Option[]) =>
      edges.push({ from, to: from + 1, item: { kind: 'value', options, isName: true, label: text }, cost: 0.5 });
    if (/^cve-\d{4}-\d{4,7}$/.test(text)) put(optionsFor(lexicon, 'cve', text.toUpperCase()));
    else if (/^t\d{4}(?:\.\d{3})?$/.test(text))
      edges.push({
        from,
        to: from + 1,
        item: nameItem(lexicon, 'technique', [text.toUpperCase()], text.toUpperCase()),
        cost: 0.5,
      });
    else if (/^(?:\d{1,3}\.){3}\d{1,3}$/.test(text) || /^[0-9a-f]{32,64}$/.test(text)) put(containing(lexicon, text));
    else if (/^v?\d+\.\d+\.\d+$/.test(text) || (/^v?\d+\.\d+$/.test(text) && tokens[from - 1]?.text === 'version'))
      put(optionsFor(lexicon, 'version', text.replace(/^v/, '')));
    else if (/^[^@\s]+@[^@\s]+\.[a-z]+$/.test(text))
      put(['emailAddress', 'user', 'to'].flatMap((field) => optionsFor(lexicon, field, text)));
  }
  return edges;
}
const optionsFor = ({ schemas }: Lexicon, field: string, value: string): Option[] =>
  Object.values(schemas)
    .filter(({ attributes }) => attributes[field])
    .map(({ entity, attributes }) => ({
      entity,
      field,
      filter: attributes[field]!.type === 'text' ? { field, contains: value } : { field, in: [value] },
    }));

/** Rules by words of their titles; by one word, a guess. */
const ruleItem = (lexicon: Lexicon, titles: readonly string[], words: string, isGuess: boolean): Item => ({
  ...(nameItem(lexicon, 'rule', titles, words) as Extract<Item, { kind: 'value' }>),
  ...(isGuess && { isGuess }),
});
const tradeItem = (lexicon: Lexicon, label: string): Item => ({
  kind: 'value',
  options: containing(lexicon, label, ['alert', 'case']),
  isName: true,
  isGuess: true,
  label,
});

const maxLikeRules = 12;
/** Two or more words that stand together in titles of rules: "ssh sprayings" are the rules whose title has both. */
function findRules({ tokens, text, lexicon, vocabulary }: NamedInput): Edge[] {
  const edges: Edge[] = [];
  const { titles, every } = rootsOf(vocabulary.rules);
  const roots = tokens.map((token) => root(token.text));
  const isBound = (word: string) => small.test(word);
  for (let from = 0; from < tokens.length; from++)
    for (let to = Math.min(tokens.length, from + 7); to > from; to--) {
      const words = roots.slice(from, to).filter((word) => !isBound(word));
      if (words.length === 0 || words.some((word) => !every.has(word)) || isBound(roots[from]!) || isBound(roots[to - 1]!))
        continue;
      const having = titles.filter(({ stems }) => words.every((word) => stems.has(word)));
      const isOdd = tokens.slice(from, to).some((token) => !lexicon.stems.has(stem(token.text)));
      const item = itemOfTitles(lexicon, {
        titles: having.map(({ title }) => title),
        words: text.slice(tokens[from]!.from, tokens[to - 1]!.to),
        count: words.length,
        isOdd,
        isOneWord: to - from === 1,
        isBeforeNoun: /^(?:alert|detection|rule|alarm|case|event|incident)$/.test(stem(tokens[to]?.text ?? '')),
        // "List blocked accounts" is no rule that has these words apart.
        areTogether: having.some(({ stems }) => ` ${[...stems].join(' ')} `.includes(` ${words.join(' ')} `)),
      });
      if (!item) continue;
      edges.push({ from, to, item: item.item, cost: item.cost + 0.2 * (to - from) });
      break;
    }
  return edges;
}

interface TitleWords {
  /** Of the rules that have them. */
  titles: readonly string[];
  words: string;
  count: number;
  isOdd: boolean;
  isOneWord: boolean;
  isBeforeNoun: boolean;
  areTogether: boolean;
}
/** A rule by words of its title, or a word of the trade that many have, such as "powershell": a text to look for. */
function itemOfTitles(
  lexicon: Lexicon,
  { titles, words, count, isOdd, isOneWord, isBeforeNoun, areTogether }: TitleWords,
): { item: Item; cost: number } | undefined {
  if (titles.length === 0 || (!isOdd && !(count >= 3 && areTogether))) return undefined;
  if (titles.length <= maxLikeRules && (count >= 3 || isBeforeNoun || titles.length === 1))
    return { item: ruleItem(lexicon, titles, words, count === 1 || !(areTogether || isBeforeNoun)), cost: 1 };
  return isOneWord ? { item: tradeItem(lexicon, words), cost: 2 } : undefined;
}
const titlesKept = new Map<string, Set<string>>();
function rootsOf(rules: readonly string[]) {
  const titles = rules.map((title) => {
    let stems = titlesKept.get(title);
    if (!stems) {
      stems = new Set(
        tokensOf(title)
          .map((token) => root(token.text))
          .filter((word) => !small.test(word)),
      );
      if (titlesKept.size >= maxKeysKept) titlesKept.clear();
      titlesKept.set(title, stems);
    }
    return { title, stems };
  });
  return { titles, every: new Set(titles.flatMap(({ stems }) => [...stems])) };
}
/** Cuts endings, so that "sprayings" meets "spraying" and "locked" meets "lock". */
const root = (word: string): string => {
  const own = stem(word);
  const cut = own.replace(/(?:ing|ed|er|ion)$/, '');
  return cut.length >= 3 ? cut : own;
};
const small = /^(?:the|a|an|of|for|in|on|and|or|to|with|by|from|how|many|any|all|our|my|is|are|at|via|alert|rule|ca|de)$/;
