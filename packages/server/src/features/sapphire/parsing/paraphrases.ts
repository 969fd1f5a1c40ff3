/**
 * Everyday ways of saying a thing, replaced by the words of the grammar before a question is read (docs/decisions/0071-paraphrases.md). A line of the
 * data is `words: paraphrase, paraphrase`. A paraphrase that begins with ~ is a verb phrase and stands for all forms of its first word; one in which
 * a / occurs stands for both words ("owner/name").
 */
import { paraphrases } from './paraphrases.data.ts';
import { records } from './paraphrases.records.ts';
import { type Token, tokensOf } from './tokens.ts';

interface Phrase {
  words: readonly string[];
  /** Of the grammar. */
  meaning: string;
}

/** Past and participle of verbs that do not end in -ed. */
const irregular: Readonly<Record<string, string>> = Object.fromEntries(
  'get got gotten,go went gone,take took taken,come came come,see saw seen,give gave given,put put put,set set set,cut cut cut,shut shut shut,hit hit hit,let let let,run ran run,begin began begun,break broke broken,write wrote written,throw threw thrown,blow blew blown,fall fell fallen,find found found,leave left left,lose lost lost,make made made,send sent sent,sit sat sat,stick stuck stuck,have had had,do did done,bring brought brought,catch caught caught,deal dealt dealt,keep kept kept,say said said,speak spoke spoken,tell told told,think thought thought,read read read,hear heard heard,hold held held,build built built,buy bought bought,fly flew flown,freeze froze frozen,hang hung hung,hide hid hidden,lay laid laid,lead led led,lie lay lain,meet met met,rise rose risen,shake shook shaken,slip slipped slipped,spot spotted spotted,stop stopped stopped,drop dropped dropped,log logged logged,tag tagged tagged,flag flagged flagged,plug plugged plugged,ban banned banned,pop popped popped,wrap wrapped wrapped,sign signed signed,submit submitted submitted,permit permitted permitted,trip tripped tripped,step stepped stepped,strip stripped stripped,scan scanned scanned,spin spun spun,bite bit bitten,wake woke woken,swallow swallowed swallowed,overrun overran overrun,outdo outdid outdone,miss missed missed,nab nabbed nabbed,grab grabbed grabbed,pin pinned pinned'
    .split(',')
    .map((line) => line.split(' '))
    .map(([base, past, participle]) => [base!, `${past} ${participle}`]),
);

/** Forms of a verb: base, third person, past, participle, -ing. */
function formsOf(verb: string): string[] {
  const isAfterE = /e$/.test(verb);
  const root = isAfterE && !/(?:ee|ye|oe)$/.test(verb) ? verb.slice(0, -1) : verb;
  const known = irregular[verb]?.split(' ');
  // "Wrapped", "wrapping".
  const doubled =
    known && known[0]!.startsWith(verb + verb.at(-1)!)
      ? verb + verb.at(-1)!
      : known && /^(?:get|put|set|cut|shut|hit|let|run|begin|sit|spin)$/.test(verb)
        ? verb + verb.at(-1)!
        : undefined;
  const third = /(?:s|sh|ch|x|z|o)$/.test(verb) ? `${verb}es` : /[^aeiou]y$/.test(verb) ? `${verb.slice(0, -1)}ies` : `${verb}s`;
  const past = known ?? [/[^aeiou]y$/.test(verb) ? `${verb.slice(0, -1)}ied` : isAfterE ? `${verb}d` : `${verb}ed`];
  const present = verb === 'lie' ? 'lying' : `${doubled ?? root}ing`;
  return [...new Set([verb, third, ...past, present])];
}

/** "owner/name on it" is two phrases. */
const spread = (phrase: string): string[] =>
  phrase
    .split(' ')
    .reduce<string[]>((all, word) => all.flatMap((start) => word.split('/').map((each) => `${start} ${each}`)), ['']);

function phrasesOf(text: string): Map<string, Phrase[]> {
  const byFirst = new Map<string, Phrase[]>();
  for (const line of text.split('\n')) {
    const [meaning = '', list = ''] = line.split(/:(.*)/s);
    for (const alias of list.split(',').map((each) => each.trim())) {
      if (alias === '') continue;
      for (const phrase of spread(alias.replace(/^~/, ''))) {
        const [first = '', ...rest] = tokensOf(phrase).map(({ text: word }) => word);
        for (const form of alias.startsWith('~') ? formsOf(first) : [first])
          byFirst.set(form, [...(byFirst.get(form) ?? []), { words: [form, ...rest], meaning: meaning.trim() }]);
      }
    }
  }
  for (const list of byFirst.values()) list.sort((a, b) => b.words.length - a.words.length);
  return byFirst;
}

const known = phrasesOf(`${paraphrases}\n${records}`);

/** Words that may stand inside a phrase of several words. */
const loose = new Set(
  'a an the our my your their his her its any some of all still already yet actually really just ever even currently now also simply so'.split(
    ' ',
  ),
);

/** End of the phrase in the tokens, exclusive. */
function endOf({ words }: Phrase, tokens: readonly Token[], from: number): number | undefined {
  let at = from + 1;
  for (const word of words.slice(1)) {
    for (let skipped = 0; skipped < 2 && tokens[at]?.text !== word && loose.has(tokens[at]?.text ?? ''); skipped++) at++;
    if (tokens[at]?.text !== word) return undefined;
    at++;
  }
  return at;
}

/** Every phrase of the data, for its test. */
export const allParaphrases = (): readonly { phrase: string; meaning: string }[] =>
  [...known.values()].flat().map(({ words, meaning }) => ({ phrase: words.join(' '), meaning }));

/** Stretches of the text that are names, such as the title of a rule. */
function namesIn(text: string, names: readonly string[]): [from: number, to: number][] {
  const lower = text.toLowerCase();
  return names.flatMap((name): [number, number][] => {
    const at = / /.test(name) ? lower.indexOf(name.toLowerCase()) : -1;
    return at < 0 ? [] : [[at, at + name.length]];
  });
}

/** The text with its paraphrases replaced, the longest first; quoted text and names stay. */
export function paraphrased(text: string, names: readonly string[] = []): string {
  const tokens = tokensOf(text);
  const spans = namesIn(text, names);
  let result = '';
  let last = 0;
  let isQuoted = false;
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at]!;
    if (token.text === '"') isQuoted = !isQuoted;
    if (isQuoted) continue;
    for (const phrase of known.get(token.text) ?? []) {
      const to = endOf(phrase, tokens, at);
      if (to === undefined || spans.some(([start, end]) => token.from < end && start < tokens[to - 1]!.to)) continue;
      result += text.slice(last, token.from) + phrase.meaning;
      last = tokens[to - 1]!.to;
      at = to - 1;
      break;
    }
  }
  return result + text.slice(last);
}
