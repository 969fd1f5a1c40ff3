/** Full-text search of the help texts. */
import MiniSearch from 'minisearch';
import { type HelpEntry, helpEntries } from './help.data.ts';
import { stem, tidy, tokensOf } from './parsing/tokens.ts';

/** Words of questions about use, without a subject. */
const common = new Set(
  'a an and are at be by can do does for from get have how i in is it me my not of on one or our please so that the there this to up use was we what when where which who why will with work you your'.split(
    ' ',
  ),
);
const termsOf = (text: string): string[] =>
  tokensOf(tidy(text))
    .map(({ text: word }) => stem(word))
    .filter((word) => /\p{L}/u.test(word) && !common.has(word));

const index = new MiniSearch<HelpEntry & { id: number }>({
  fields: ['title', 'questions', 'steps'],
  tokenize: termsOf,
  processTerm: (term) => term,
  extractField: (entry, field) => {
    const value = entry[field as keyof HelpEntry];
    return typeof value === 'object' ? value.join(' . ') : String(value);
  },
  searchOptions: { boost: { title: 2, questions: 3 }, combineWith: 'OR', fuzzy: (term) => (term.length < 6 ? false : 0.15) },
});
index.addAll(helpEntries.map((entry, id) => ({ ...entry, id })));

/** Share of the question’s words that a text must have. */
const minShare = 0.6;

/** The best help text; undefined if none has most of the question’s words. */
export function findHelp(question: string): HelpEntry | undefined {
  const terms = [...new Set(termsOf(question))];
  const [best] = index.search(terms.join(' '));
  return best && terms.length > 0 && new Set(best.queryTerms).size / terms.length >= minShare
    ? helpEntries[best.id as number]
    : undefined;
}
