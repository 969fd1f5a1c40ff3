/**
 * Finds names in a question: organisations, devices, users and rules in the caller’s scope, whole, in part or misspelt; and
 * words in the place of a name that match none.
 */
import type { SapphireSlots } from '@parapet/contract/rules/sapphire.ts';
import { type Word, wordsOf, wordsOfName } from './phrases.ts';
import type { NamedClient, Vocabulary } from './reading.ts';
import { correctSpelling, distance, isKnown, likeness } from './words.ts';

/** Common endings of organisation names, usually omitted in questions. */
const companyWords =
  /^(?:inc|ltd|llc|gmbh|ag|co|corp|group|company|the|and|of|services|solutions|security|systems|international|managed|it|cyber)$/;

export function findClients(
  text: string,
  words: readonly Word[],
  { clients, otherClients }: Vocabulary,
  slots: SapphireSlots,
  mark: (from: number, to: number, as: string) => boolean,
): NamedClient | undefined {
  const all = [...clients, ...otherClients];
  const lower = text.toLowerCase();
  const isOther = (client: NamedClient) => otherClients.includes(client);
  let other: NamedClient | undefined;
  const take = (client: NamedClient, from: number, to: number) => {
    if (!mark(from, to, 'xclient')) return;
    if (isOther(client)) other ??= client;
    else slots.clients = [...new Set([...(slots.clients ?? []), client.id])];
  };
  const standing = all.filter((client) => lower.includes(client.name.toLowerCase()));
  for (const client of standing.sort((a, b) => b.name.length - a.name.length)) {
    const name = client.name.toLowerCase();
    for (let at = lower.indexOf(name); at >= 0 && name.length >= 2; at = lower.indexOf(name, at + name.length)) {
      const isWhole = !/[\p{L}\p{N}]/u.test(lower[at - 1] ?? ' ') && !/[\p{L}\p{N}]/u.test(lower[at + name.length] ?? ' ');
      if (isWhole) take(client, at, at + name.length);
    }
  }
  // Words unique to one organisation: "Birch" of "Birch Dental Group".
  const owners = new Map<string, NamedClient[]>();
  for (const client of all)
    for (const word of wordsOfName(client.name)) {
      const known = owners.get(word);
      if (known) known.push(client);
      else owners.set(word, [client]);
    }
  for (let index = 0; index < words.length; index++) {
    const word = words[index]!;
    const bare = word.text.replace(/'s$/, '');
    if (companyWords.test(bare) || bare.length < 3) continue;
    let fitting = owners.get(bare);
    const isName =
      /^[\p{Lu}]/u.test(text.slice(word.from, word.to)) ||
      /\b(?:for|at|of|about|from|client|customer|with)\s+$/i.test(text.slice(0, word.from));
    if (!fitting && !isKnown(bare) && bare.length >= 4) {
      const near = [...owners].filter(
        ([each]) => each.length >= 4 && each[0] === bare[0] && !companyWords.test(each) && isSimilar(bare, each),
      );
      if (near.length === 1) fitting = near[0]?.[1];
    }
    const client = fitting?.length === 1 ? fitting[0] : undefined;
    if (!client || (isKnown(bare) && !isName)) continue;
    // Subsequent words of the name belong to it.
    const own = wordsOfName(client.name);
    let last = index;
    while (last + 1 < words.length && own.has(words[last + 1]!.text.replace(/'s$/, ''))) last++;
    take(client, word.from, words[last]!.to);
    index = last;
  }
  return other;
}

/** One letter more, less, different, or two swapped; or at least half the trigrams in common. */
const isSimilar = (a: string, b: string): boolean => likeness(a, b) >= 0.5 || distance(a, b, 1) <= 1;

export type MarkPlace = (from: number, to: number, as: string) => boolean;
type IsFree = (from: number, to: number) => boolean;

/** Finds devices, users and rules by exact name. */
export function findWholeNames(
  text: string,
  { devices, users, rules }: Vocabulary,
  slots: SapphireSlots,
  mark: MarkPlace,
  isFree: IsFree,
): void {
  const lower = text.toLowerCase();
  const placeOf = (name: string): [number, number] | undefined => {
    const wanted = name.toLowerCase();
    for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, at + 1)) {
      const to = at + wanted.length;
      if (!/[\p{L}\p{N}_-]/u.test(lower[at - 1] ?? ' ') && !/[\p{L}\p{N}_-]/u.test(lower[to] ?? ' ') && isFree(at, to))
        return [at, to];
    }
    return undefined;
  };
  const kinds = [
    ['rule', rules, 'xrule'],
    ['device', devices, 'xdevice'],
    ['user', users, 'xuser'],
  ] as const;
  for (const [kind, names, as] of kinds)
    for (const name of [...names].sort((a, b) => b.length - a.length)) {
      const place = name.length >= 2 && slots[kind] === undefined ? placeOf(name) : undefined;
      if (!place) continue;
      const before = text.slice(0, place[0]).toLowerCase();
      // The preceding word decides between a device and a user of one name; an everyday word is a name only after such a
      // word.
      if (kind === 'device' && users.includes(name) && /\b(?:user|account)\s*$/.test(before)) continue;
      if (
        kind !== 'rule' &&
        isKnown(name.toLowerCase()) &&
        !/\b(?:user|account|username|device|host|server|machine)\s+["']?$/.test(before)
      )
        continue;
      if (mark(...place, as)) slots[kind] = name;
    }
}

/** Finds rules by part of their title, and devices and users by a misspelt name. Ambiguous words are skipped. */
export function findSpokenNames(
  text: string,
  words: readonly Word[],
  { devices, users, rules }: Vocabulary,
  slots: SapphireSlots,
  mark: MarkPlace,
  isFree: IsFree,
): { said: string; names: string[] } | undefined {
  if (slots.rule === undefined) {
    const spoken =
      /"([^"]{4,100})"/.exec(text) ??
      /\brule (?:called |named |for )?([\w .,'&/-]{4,80})/i.exec(text) ??
      /([\w.,'&/-]+(?: [\w.,'&/-]+){0,7}) (?:rule|alerts?|detections?)\b/i.exec(text);
    const part = spoken?.[1];
    if (spoken && part) {
      const at = spoken.index + spoken[0].indexOf(part);
      const found = ruleInPhrase(part, rules, !spoken[0].startsWith('"'));
      if (found && mark(at + part.length - found.length, at + part.length, 'xrule')) slots.rule = found.title;
    }
  }
  for (const { text: word, from, to } of words) {
    const bare = word.replace(/'s$/, '');
    if (!isFree(from, to) || bare.length < 4 || isKnown(bare) || /^[\d.,:/-]+$/.test(bare)) continue;
    if (!/\d/.test(bare) && correctSpelling(bare) !== undefined) continue;
    const likeTo = (name: string) =>
      hasOtherNumber(bare, name) ? 0 : Math.max(likeness(bare, name), distance(bare, name.toLowerCase(), 1) <= 1 ? 0.8 : 0);
    const near = [
      ...(slots.device === undefined
        ? devices.map((name) => ({ kind: 'device' as const, as: 'xdevice', name, like: likeTo(name) }))
        : []),
      ...(slots.user === undefined
        ? users.map((name) => ({ kind: 'user' as const, as: 'xuser', name, like: likeTo(name) }))
        : []),
    ]
      .filter(({ like }) => like >= 0.5)
      .sort((a, b) => b.like - a.like);
    const [best, next] = near;
    if (!best) continue;
    if (next && next.like > best.like - 0.08) {
      mark(from, to, best.as);
      return { said: text.slice(from, to), names: near.slice(0, 5).map(({ name }) => name) };
    }
    if (mark(from, to, best.as)) slots[best.kind] = best.name;
  }
  return undefined;
}

/** True for names that differ in a number: WS-004 is no misspelt WS-001. */
function hasOtherNumber(a: string, b: string): boolean {
  const [left, right] = [a, b].map((text) => (text.match(/\d+/g) ?? []).map(Number).join());
  return left !== '' && right !== '' && left !== right;
}

/**
 * Finds the one rule whose title has all of these words; with `isLoose`, by the longest stretch before "alerts" that matches
 * a single title.
 */
function ruleInPhrase(part: string, rules: readonly string[], isLoose: boolean): { title: string; length: number } | undefined {
  const said = wordsOf(part);
  for (let first = 0; first < said.length; first++) {
    const some = said.slice(first);
    if (isLoose && some.length < 2) break;
    if (isLoose && small.test(some[0]!.text)) continue;
    const odd = some.filter(({ text }) => !small.test(text));
    if (odd.length === 0) break;
    const fitting = rules.filter((title) => {
      const own = wordsOfName(title);
      return odd.every(({ text }) => own.has(text) || own.has(text.replace(/s$/, '')));
    });
    if (fitting.length === 1) return { title: fitting[0]!, length: part.length - some[0]!.from };
    if (!isLoose) break;
  }
  return undefined;
}
const small =
  /^(?:the|a|an|of|for|in|on|and|or|to|with|by|from|how|many|much|any|all|our|my|list|show|what|which|were|was|are|is|did|we|have|has|had|critical|high|medium|low|informational|new|last|this|open|me)$/;

/** Returns the word in the place of a name that is neither a known name nor vocabulary. */
export function unknownNameIn(text: string, rest: readonly Word[], { rules }: Vocabulary): string | undefined {
  const isOfRule = (word: string) => rules.some((title) => wordsOfName(title).has(word));
  const isOdd = ({ text: word, from }: Word) => {
    const bare = word.replace(/'s$/, '');
    if (/^[\d.,:%+-]+$/.test(bare)) return false;
    if (isKnown(bare) || isOfRule(bare)) return false;
    const isCapital = /^\p{Lu}/u.test(text.slice(from)) && from > 0;
    return /\d/.test(bare) || isCapital || correctSpelling(bare) === undefined;
  };
  const leads =
    /\b(?:for|at|of|client|customer|company|organi[sz]ation|org|tenant|partner|device|host|server|machine|laptop|workstation|user|account|named|called)\s+(?:the |our |my |client |customer |user |device |host |account |server |machine )?["']?$/i;
  for (const [index, word] of rest.entries()) {
    if (!isOdd(word)) continue;
    const before = text.slice(0, word.from);
    const isCapital = /^\p{Lu}/u.test(text.slice(word.from));
    if (!leads.test(before) && !(isCapital && index > 0) && !/\d/.test(word.text)) continue;
    // Includes the words that continue the name.
    let last = index;
    while (
      last + 1 < rest.length &&
      /^\s?$/.test(text.slice(rest[last]!.to, rest[last + 1]!.from).replace(/[ ]/g, '')) &&
      /^\p{Lu}/u.test(text.slice(rest[last + 1]!.from))
    )
      last++;
    return text.slice(word.from, rest[last]!.to).replace(/'s$/i, '');
  }
  return undefined;
}
