/** Small changes of a source text, of which each should make a test fail. */

export interface Mutant {
  /** Whole source text. */
  text: string;
  line: number;
  /** Changed line before and after, trimmed. */
  before: string;
  after: string;
}

/** Comments, texts and signs, so that nothing within a comment or a text counts as a sign. */
const tokens =
  /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`|===|!==|&&|\|\||\?\?|<=|>=|=>|(?<= )[<>](?= )|!(?=[\w(])|\b(?:true|false|null)\b|\b\d[\d_]*\b|\b(?:every|some|min|max)(?=\()|throw [^\n]*;|\bif \([^\n]*\) return[^\n]*;|(?<=[ (])[+-](?= )/g;

const swaps: Record<string, readonly string[]> = {
  '===': ['!=='],
  '!==': ['==='],
  '&&': ['||'],
  '||': ['&&'],
  '??': ['&&'],
  '<': ['<=', '>'],
  '>': ['>=', '<'],
  '<=': ['<', '>'],
  '>=': ['>', '<'],
  '!': [''],
  true: ['false'],
  false: ['true'],
  every: ['some'],
  some: ['every'],
  min: ['max'],
  max: ['min'],
  '+': ['-'],
  '-': ['+'],
};

const isType = /^\s*(?:import|export \{|export type|type|export interface|interface|\||readonly|\w+\??: (?:'|\w+;))/;
const cells: Record<string, string> = { s: 'own', own: 's', me: 's', '-': 's' };

/** Changes of one token; none for comments, types and texts for people. */
function changesOf(token: string, line: string): readonly string[] {
  if (token.startsWith('/')) return [];
  const swapped = swaps[token];
  if (swapped) return isType.test(line) ? [] : swapped;
  if (/^\d/.test(token)) return isType.test(line) ? [] : [String(Number(token.replaceAll('_', '')) + 1)];
  if (token.startsWith('throw ')) return [';'];
  if (token.startsWith('if ')) return [';'];
  if (token.startsWith("'")) {
    const inner = token.slice(1, -1);
    const isRow = /\brow\(/.test(line) && inner.includes(' ');
    if (isRow)
      // Each cell of a row of the access table.
      return inner
        .split(/( +)/)
        .flatMap((cell, index, all) => (cells[cell] ? [`'${all.with(index, cells[cell]).join('')}'`] : []));
    const isText = inner.includes(' ') || inner === '';
    return isType.test(line) || isText || line.includes(`${token}:`) ? [] : [`'${inner}x'`];
  }
  return [];
}

/** All mutants of a source text. */
export function mutantsOf(source: string): Mutant[] {
  const all: Mutant[] = [];
  for (const match of source.matchAll(tokens)) {
    const [token] = match;
    const start = source.lastIndexOf('\n', match.index) + 1;
    const lineOf = (text: string) => text.slice(start, text.indexOf('\n', match.index));
    const before = lineOf(source);
    for (const change of changesOf(token, before)) {
      const text = source.slice(0, match.index) + change + source.slice(match.index + token.length);
      all.push({ text, line: source.slice(0, start).split('\n').length, before: before.trim(), after: lineOf(text).trim() });
    }
    // Changes within a statement that is also removed.
    if (/^(?:throw|if) /.test(token)) {
      const inner = mutantsOf(`${token.replace(/^(?:throw|if) /, '     ').slice(0, -1)} `);
      for (const { text: changed } of inner) {
        const retained = `${token.slice(0, token.indexOf(' '))} ${changed.trim()};`;
        const text = source.slice(0, match.index) + retained + source.slice(match.index + token.length);
        all.push({ text, line: source.slice(0, start).split('\n').length, before: before.trim(), after: lineOf(text).trim() });
      }
    }
  }
  return all;
}
