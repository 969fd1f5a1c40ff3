/**
 * Version orders of Linux packages, after the package managers’ own code; each returns below 0, 0 or above 0 for any two texts.
 * Sources: dpkg, lib/dpkg/version.c (Debian policy 5.6.12); rpm, rpmio/rpmvercmp.c; apk-tools 2, src/version.c.
 */

const isDigit = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at);
  return code >= 48 && code <= 57;
};
const isLetter = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at) | 32;
  return code >= 97 && code <= 122;
};

/** Compares digit strings of any length as numbers. */
export function compareDigits(a: string, b: string): number {
  const [x, y] = [a.replace(/^0+/, ''), b.replace(/^0+/, '')];
  return x.length - y.length || (x < y ? -1 : x > y ? 1 : 0);
}

/** Splits "[epoch:]version[-revision]". */
function partsOf(text: string): { epoch: string; version: string; revision: string } {
  const epoch = /^(\d*):/.exec(text);
  const rest = epoch ? text.slice(epoch[0].length) : text;
  const dash = rest.lastIndexOf('-');
  return {
    epoch: epoch?.[1] ?? '',
    version: dash === -1 ? rest : rest.slice(0, dash),
    revision: dash === -1 ? '' : rest.slice(dash + 1),
  };
}

const byParts = (compare: (a: string, b: string) => number) => (a: string, b: string) => {
  const [x, y] = [partsOf(a.trim()), partsOf(b.trim())];
  return compareDigits(x.epoch, y.epoch) || compare(x.version, y.version) || compare(x.revision, y.revision);
};

/** Letters sort before other characters, a tilde before everything including the end. */
function weight(text: string, at: number): number {
  if (at >= text.length || isDigit(text, at)) return 0;
  if (isLetter(text, at)) return text.charCodeAt(at);
  return text[at] === '~' ? -1 : text.charCodeAt(at) + 256;
}

function compareDebianPart(a: string, b: string): number {
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    while ((i < a.length && !isDigit(a, i)) || (j < b.length && !isDigit(b, j))) {
      const difference = weight(a, i) - weight(b, j);
      if (difference !== 0) return difference;
      i++;
      j++;
    }
    const [from, to] = [i, j];
    while (isDigit(a, i)) i++;
    while (isDigit(b, j)) j++;
    const difference = compareDigits(a.slice(from, i), b.slice(to, j));
    if (difference !== 0) return difference;
  }
  return 0;
}
export const compareDebian = byParts(compareDebianPart);

function compareRpmPart(a: string, b: string): number {
  let [i, j] = [0, 0];
  const isPart = (text: string, at: number) => isDigit(text, at) || isLetter(text, at) || text[at] === '~' || text[at] === '^';
  while (i < a.length || j < b.length) {
    while (i < a.length && !isPart(a, i)) i++;
    while (j < b.length && !isPart(b, j)) j++;
    if (a[i] === '~' || b[j] === '~') {
      if (a[i] !== '~') return 1;
      if (b[j] !== '~') return -1;
      i++;
      j++;
      continue;
    }
    // A caret sorts after the end and before anything else.
    if (a[i] === '^' || b[j] === '^') {
      if (i >= a.length) return -1;
      if (j >= b.length) return 1;
      if (a[i] !== '^') return 1;
      if (b[j] !== '^') return -1;
      i++;
      j++;
      continue;
    }
    if (i >= a.length || j >= b.length) break;
    const isNumber = isDigit(a, i);
    const belongs = isNumber ? isDigit : isLetter;
    const [from, to] = [i, j];
    while (belongs(a, i)) i++;
    while (belongs(b, j)) j++;
    // Numbers sort after letters.
    if (to === j) return isNumber ? 1 : -1;
    const [x, y] = [a.slice(from, i), b.slice(to, j)];
    const difference = isNumber ? compareDigits(x, y) : x < y ? -1 : x > y ? 1 : 0;
    if (difference !== 0) return difference;
  }
  return Number(i < a.length) - Number(j < b.length);
}
export const compareRpm = byParts(compareRpmPart);

// apk’s token numbers: the kind of the next token decides between otherwise equal versions.
const kinds = { invalid: -1, digitOrZero: 0, digit: 1, letter: 2, suffix: 3, suffixNumber: 4, revision: 5, end: 6 } as const;
type Kind = (typeof kinds)[keyof typeof kinds];
const suffixes = ['alpha', 'beta', 'pre', 'rc', 'cvs', 'svn', 'git', 'hg', 'p'];
const preReleases = 4;

class ApkTokens {
  kind: Kind = kinds.digit;
  private at = 0;
  private readonly text: string;
  constructor(text: string) {
    this.text = text;
  }

  take(): number | bigint {
    const { text } = this;
    if (this.at >= text.length) {
      this.kind = kinds.end;
      return 0;
    }
    let value: number | bigint = 0;
    let next: Kind | undefined;
    const from = this.at;
    if (this.kind === kinds.digitOrZero && text[this.at] === '0') {
      // Leading zeros compare as a fraction, so 1.01 is older than 1.1.
      while (text[this.at] === '0') this.at++;
      next = kinds.digit;
      value = from - this.at;
    } else if (this.kind === kinds.letter) value = text.charCodeAt(this.at++);
    else if (this.kind === kinds.suffix) {
      const found = suffixes.findIndex((suffix) => text.startsWith(suffix, this.at));
      if (found === -1) {
        this.kind = kinds.invalid;
        return 0;
      }
      value = found - preReleases;
      this.at += suffixes[found]!.length;
    } else {
      while (isDigit(text, this.at)) this.at++;
      if (this.at > from) value = BigInt(text.slice(from, this.at));
    }
    // A number, possibly empty, follows leading zeros; otherwise 1.0 would be older than 1.0_rc1, as in apk 2 itself.
    if (next !== undefined) this.kind = next;
    else if (this.at >= text.length) this.kind = kinds.end;
    else this.goOn();
    return value;
  }

  private goOn(): void {
    const { text, at, kind } = this;
    let next: Kind = kinds.invalid;
    if ((kind === kinds.digit || kind === kinds.digitOrZero) && /[a-z]/.test(text[at]!)) next = kinds.letter;
    else if (kind === kinds.letter && isDigit(text, at)) next = kinds.digit;
    else if (kind === kinds.suffix && isDigit(text, at)) next = kinds.suffixNumber;
    else if (text[at] === '.') next = kinds.digitOrZero;
    else if (text[at] === '_') next = kinds.suffix;
    else if (text.startsWith('-r', at)) {
      next = kinds.revision;
      this.at++;
    }
    if (text[at] === '.' || text[at] === '_' || text[at] === '-') this.at++;
    const goesBack =
      next < kind &&
      !(
        (next === kinds.digitOrZero && kind === kinds.digit) ||
        (next === kinds.suffix && kind === kinds.suffixNumber) ||
        (next === kinds.digit && kind === kinds.letter)
      );
    this.kind = goesBack ? kinds.invalid : next;
  }
}

export function compareApk(first: string, second: string): number {
  const [a, b] = [new ApkTokens(first.trim()), new ApkTokens(second.trim())];
  let [x, y]: [number | bigint, number | bigint] = [0, 0];
  while (a.kind === b.kind && a.kind !== kinds.end && a.kind !== kinds.invalid) {
    x = a.take();
    y = b.take();
    if (x < y) return -1;
    if (x > y) return 1;
  }
  if (a.kind === b.kind) return 0;
  // The longer version is newer, unless it continues with a pre-release. Reading the suffix moves on to the next kind, by which
  // apk 2 itself takes 1.0_p and 1.0 for equal and so loses transitivity.
  const longer = b.kind - a.kind;
  if (a.kind === kinds.suffix && a.take() < 0) return -1;
  if (b.kind === kinds.suffix && b.take() < 0) return 1;
  return longer;
}
