/** Counts the private words and clause-like openings that `words.json` bounds. `node tools/words.ts [folder]` prints each hit. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root, sourceFiles } from './imports.ts';
import { declarationsOf, withoutLiterals } from './words.identifiers.ts';

export interface WordPattern {
  name: string;
  files: RegExp;
  pattern: RegExp;
}

const code = /\.tsx?$/;
/** Documents too, but the glossary, which names the older words. */
const everywhere = /^(?!docs\/words\.md).*\.(tsx?|md)$/;
/** Detection rules too. */
const everyText = /^(?!docs\/words\.md).*\.(tsx?|md|yml)$/;
const web = /^packages\/web\/src\//;
const contract = /^packages\/contract\/src\//;
const comment = String.raw`(/\*\*|^ *\*|//)`;
const opening = 'What|Whatever|Whether|Whoever|Who|Whose|Which|How|Why|Where|Until when';

/** Matched line by line. The source of the list is the editing guide of the project's language (docs/words.md). */
export const wordPatterns: readonly WordPattern[] = [
  { name: 'comment opens with a question word', files: code, pattern: new RegExp(`${comment} (${opening})\\b`) },
  {
    name: 'contract text opens with a question word',
    files: contract,
    pattern: /(describe\(|summary: *)'(What|Whether|Who|Whose|How|Why|Which|Where|When|Until when)\b/,
  },
  {
    name: 'code that speaks or thinks',
    files: code,
    pattern: new RegExp(`${comment}.*\\b(tells?|told|says?|said|knows|knew|believes?|wants|wanted|thinks)\\b`),
  },
  {
    name: 'code that asks or answers',
    files: code,
    pattern: new RegExp(`${comment}.*\\b(answers|answered|asks|asked|asking)\\b`),
  },
  { name: 'nobody and everybody', files: everyText, pattern: /\b([Nn]obody|[Ss]omebody|[Ww]hoever|[Ee]verybody)\b/ },
  {
    name: 'archaic adverbs',
    files: everyText,
    pattern: /\b(anew|any more|whence|save for|for ever|by itself|by themselves|lately|meanwhile)\b/,
  },
  {
    name: 'take away, back, out, in',
    files: everywhere,
    pattern: /\b([Tt]ake|[Tt]akes|[Tt]aken|[Tt]aking) (it |them )?(away|back|out|in)\b/,
  },
  {
    name: 'house, door, desk',
    files: everywhere,
    pattern: /\b([Hh]ouse|[Dd]oors?|[Cc]rowds?|[Kk]eepers?|[Tt]ellers?|[Dd]esk|[Rr]ivals?)\b/,
  },
  {
    name: 'private type names',
    files: code,
    pattern:
      /\b(Means|Wish|Wishes|Doer|Deed|Misfit|Happenings?|Hands|Kept|Told|Said|Asked|Asking|Because|Away|Cut|Bone|Things)\b/,
  },
  { name: 'private suffixes', files: code, pattern: /\b[A-Za-z]+(Ask|Peek|Doors?|Look|Desk|News)\b/ },
  { name: 'most and least', files: everywhere, pattern: /\b(most|least)[A-Z][A-Za-z]+/ },
  { name: 'space before a per cent sign', files: everywhere, pattern: /[0-9}] %[ '`.,;<)]/ },
  { name: 'kept aside', files: everywhere, pattern: /\b[Kk]ept aside\b/ },
  {
    name: 'heard of, looked at',
    files: everywhere,
    pattern: /\b([Hh]eard of|[Ll]ooked (at|into|for)|how far (it|they)|one.{1,3}s own)\b/,
  },
  { name: 'what="The', files: web, pattern: /what="(The|Its|Your|What|Who)\b/ },
  { name: 'titles that are clauses', files: web, pattern: /(title|empty)=?[:"'{ `]+(Nothing|There is no|Nobody|It )/ },
  { name: 'mail for email', files: web, pattern: /['">` ]([Mm]ails?|mailed)[ '"<.,:]/ },
  {
    name: 'test title that is no sentence',
    files: code,
    pattern: /^ *(test|it)(\.[a-z]+)*\(['"`](what|that|one|two|no|nobody|never|without|in|of|at|by|can|is|are|has|not)\b/,
  },
];

/** Private words as whole names. `ask` stands for a question to Sapphire; `said`, `told`, `fate` and `kept` are columns and fields of the wire. */
const privateNames =
  /^(kept|ask(s|ed|ing)?|sa(id|ys?|ying|yings)|tell(s|ing|er)?|told|fates?|deeds?|keepers?|whence|wish(es)?|means|doers?|heard|mend(s|ed)?|misfits?|happenings?|rivals?|bones?|nobody)$/;
const privateIdentifiers = 'private identifiers';

export const patternNames: readonly string[] = [...wordPatterns.map(({ name }) => name), privateIdentifiers];

export interface Hit {
  name: string;
  file: string;
  line: number;
  text: string;
}

/** Words of the wire, of columns, of other products, of accounts and of quoted questions. */
const names =
  /['`]nobody['`]|^ *- nobody$|\|nobody\b|\bnobody\||\bnobody(?=: )|"(with )?nobody[^"]*"|\btaken out of a trace\b|\bnobody@|\bresponseDesk\b|\bservice[- ]desk\b|\bAnyDesk\b|\bmail(?= server| scanner)|\bmail(?=[.:)]|, timeZone)|'mail'/gim;
/** Files with the vocabulary of people's questions in their literals. Only comments, names and test titles are checked there. */
const vocabulary = /^packages\/server\/src\/(features\/sapphire\/(parsing\/|help\.data|model\.test)|domain\/query\/entities\/)/;

/** Of the files whose path starts with `folder`, without this list itself. */
export function wordHits(folder = ''): Hit[] {
  const hits: Hit[] = [];
  for (const file of sourceFiles(
    '{packages,tools,bench,e2e}/**/*.{ts,tsx}',
    '*.md',
    '{docs,bench}/**/*.md',
    'detections/**/*.{md,yml}',
  )) {
    if (!file.startsWith(folder) || file.startsWith('tools/words.')) continue;
    const text = readFileSync(join(root, file), 'utf8');
    const lines = text.split('\n');
    const checked = vocabulary.test(file) ? withoutLiterals(file, text) : text;
    const bare = checked.replaceAll(names, '').split('\n');
    const add = (name: string, line: number) => hits.push({ name, file, line, text: lines[line - 1]?.trim() ?? '' });
    if (code.test(file))
      for (const start of declarationsOf(privateNames, file, text))
        add(privateIdentifiers, text.slice(0, start).split('\n').length);
    const patterns = wordPatterns.filter(({ files }) => files.test(file));
    for (const [index, line] of bare.entries())
      for (const { name, pattern } of patterns) if (pattern.test(line)) add(name, index + 1);
  }
  return hits;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const hits = wordHits(process.argv[2]);
  for (const { name, file, line, text } of hits) console.log(`${file}:${line}: ${name}: ${text.slice(0, 200)}`);
  for (const name of patternNames) console.log(`${hits.filter((hit) => hit.name === name).length}\t${name}`);
}
