/** The order of Maven's versions, after "Version Order Specification" of the POM reference (maven.apache.org/pom.html). */

interface Token {
  /** Separator before the token; a change between digits and letters counts as a hyphen. */
  separator: '.' | '-';
  text: string;
  isNumber: boolean;
}

/** The empty qualifier sorts between release candidates and service packs. */
const qualifiers = ['alpha', 'beta', 'milestone', 'rc', 'snapshot', '', 'sp'];
const release = qualifiers.indexOf('');
const names: Record<string, string> = { a: 'alpha', b: 'beta', m: 'milestone', cr: 'rc', ga: '', final: '', release: '' };

const isNothing = ({ text, isNumber }: Token): boolean => (isNumber ? /^0*$/.test(text) : text === '');

function tokensOf(version: string): Token[] {
  const tokens: Token[] = [];
  let separator: Token['separator'] = '-';
  const parts = version
    .trim()
    .toLowerCase()
    .split(/([.\-_])/);
  for (const [index, part] of parts.entries()) {
    if (index % 2 === 1) {
      separator = part === '.' ? '.' : '-';
      continue;
    }
    const pieces = part === '' ? ['0'] : (part.match(/\d+|\D+/g) ?? []);
    for (const [at, piece] of pieces.entries()) {
      const isNumber = /^\d/.test(piece);
      // A single letter is short for a qualifier before a number only.
      const isQualifier = !isNumber && (piece.length > 1 || at < pieces.length - 1);
      const text = isQualifier && Object.hasOwn(names, piece) ? names[piece]! : piece;
      tokens.push({ separator: at > 0 ? '-' : separator, text, isNumber });
    }
  }
  return trimmed(tokens);
}

/** Without trailing null values, also those before a hyphen. */
function trimmed(tokens: Token[]): Token[] {
  for (let at = tokens.length - 1; at > 0; at--) {
    const follower = tokens[at + 1];
    if (isNothing(tokens[at]!) && (follower === undefined || follower.separator === '-')) tokens.splice(at, 1);
  }
  return tokens;
}

/** ".qualifier" and "-qualifier" before "-number" before ".number". */
const rank = ({ separator, isNumber }: Token): number => (isNumber ? (separator === '-' ? 1 : 2) : 0);

function compareTokens(a: Token, b: Token): number {
  if (rank(a) !== rank(b)) return rank(a) - rank(b);
  if (a.isNumber) {
    const [x, y] = [a.text.replace(/^0+/, ''), b.text.replace(/^0+/, '')];
    return x.length - y.length || (x < y ? -1 : x > y ? 1 : 0);
  }
  const place = (text: string) => (qualifiers.includes(text) ? qualifiers.indexOf(text) : qualifiers.length);
  return place(a.text) - place(b.text) || (a.text < b.text ? -1 : a.text > b.text ? 1 : 0);
}

/** Padding for the shorter version. */
const padding = ({ separator, isNumber }: Token): Token =>
  isNumber ? { separator, text: '0', isNumber } : { separator, text: qualifiers[release]!, isNumber };

export function compareMaven(first: string, second: string): number {
  const [a, b] = [tokensOf(first), tokensOf(second)];
  for (let at = 0; at < Math.max(a.length, b.length); at++) {
    const [x, y] = [a[at] ?? padding(b[at]!), b[at] ?? padding(a[at]!)];
    const difference = compareTokens(x, y);
    if (difference !== 0) return difference;
  }
  return 0;
}
