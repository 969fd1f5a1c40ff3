/**
 * Verifies a model’s text against the facts: every number, name, id and address in it must occur in the skill’s answer.
 * Content that cannot be checked word by word (markup, links, pictures, hidden characters) is rejected as a whole.
 */
import { chatLinkMarker } from './texts.ts';
import { isKnown } from './understanding/words.ts';

const maxWords = 6_000;
const numberWords: Record<string, string> = {
  two: '2',
  three: '3',
  four: '4',
  five: '5',
  six: '6',
  seven: '7',
  eight: '8',
  nine: '9',
  ten: '10',
  eleven: '11',
  twelve: '12',
  thirteen: '13',
  fourteen: '14',
  fifteen: '15',
  sixteen: '16',
  seventeen: '17',
  eighteen: '18',
  nineteen: '19',
  twenty: '20',
  thirty: '30',
  forty: '40',
  fifty: '50',
  sixty: '60',
  seventy: '70',
  eighty: '80',
  ninety: '90',
  dozen: '12',
  dozens: '12',
  hundred: '100',
  hundreds: '100',
  thousand: '1000',
  thousands: '1000',
  million: '1000000',
  millions: '1000000',
};

const bare = (text: string) => text.toLowerCase().replace(/['’]s$/, '');
/** Normalises numbers: 1,234.50 and 1234.5 are equal. */
const numbersIn = (text: string): string[] =>
  (text.match(/\d+(?:[,\u202f\u00a0]\d{3})*(?:\.\d+)?/g) ?? []).map((each) => String(Number(each.replace(/[^\d.]/g, ''))));
/** Tokens including the characters that join the parts of a name. */
const tokensIn = (text: string): string[] => text.match(/[\p{L}\p{N}](?:[\p{L}\p{N}'’._@\\:/-]*[\p{L}\p{N}])?/gu) ?? [];

/** Returns the reason why a text cannot be used; undefined for a valid one. Names in `question` are no facts. */
export function violationOf(text: unknown, { facts, question }: { facts: string; question: string }): string | undefined {
  if (typeof text !== 'string' || text.trim() === '') return 'it is no text';
  if (text.length > maxWords) return 'it is too long';
  if (/[\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}]|[^\P{Cc}\n\t]/u.test(text)) return 'it has hidden characters';
  if (/<\/?[a-z!]|&[a-z#]\w*;/i.test(text)) return 'it has markup';
  if (/!?\[[^\]]*\]\s*\(|!\[|\[[^\]]*\]:|\[\s*chat-link\s*\]/i.test(text) || text.includes(chatLinkMarker))
    return 'it has links of its own';
  const known = facts.toLowerCase();
  const address = text.match(/\b[a-z][a-z0-9+.-]*:\/\/\S*|\bwww\.\S+|\b(?:javascript|data|mailto):\S*/i)?.[0];
  if (address !== undefined) return `it has the address ${address.slice(0, 100)}`;
  for (const path of text.match(/(?:^|\s)\/[a-z]\S*/gi) ?? []) {
    const shown = path.trim().replace(/[.,;:!?)]+$/, '');
    if (!known.includes(shown.toLowerCase())) return `it leads to ${shown.slice(0, 100)}`;
  }
  const numbers = new Set(numbersIn(facts));
  const invented = numbersIn(text).find((each) => !numbers.has(each));
  if (invented !== undefined) return `it has the number ${invented}, which no fact has`;
  const words = new Set(tokensIn(facts).flatMap((each) => [bare(each), ...bare(each).split(/[-/:]/)]));
  const foreign = new Set(
    tokensIn(question)
      .map(bare)
      .filter((each) => !isKnown(each) && !words.has(each)),
  );
  for (const token of tokensIn(text)) {
    const word = bare(token);
    const number = numberWords[word];
    if (number !== undefined && !numbers.has(number) && !words.has(word)) return `it has the number ${word}, which no fact has`;
    if (foreign.has(word)) return `it speaks of ${word.slice(0, 100)}, which no fact has`;
    // Numbers have been compared above.
    if (/^[\d.,]+$/.test(token)) continue;
    const isName = /\p{Lu}/u.test(token) || /[\d@\\_]/.test(token) || /\p{L}[.:/]\p{L}/u.test(token);
    if (!isName || words.has(word) || isKnown(word) || known.includes(word)) continue;
    const parts = word.split(/[-/:]/);
    if (parts.every((part) => words.has(part) || isKnown(part))) continue;
    return `it names ${token.slice(0, 100)}, which no fact has`;
  }
  return undefined;
}
