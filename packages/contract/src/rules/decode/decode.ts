/**
 * Text of obfuscated commands, decoded where it stands: `powershell -enc SQBF…` becomes `powershell -enc IEX …`. Nothing is run. Rounds,
 * characters read and output are bounded, so that any input costs a few milliseconds at most; ordinary texts cost one look at each character.
 */
import { type Budget, base64Bytes, hexBytes, maxLength, narrowText, newBudget, type ReadBytes, readBytes } from './bytes.ts';
import { withCharacters, withoutBackticks, withoutCarets, withWholeStrings } from './script.ts';
import { mayBeEncoded, minRun } from './signs.ts';

export interface Decoded {
  text: string;
  /** Names of the encodings in the order in which they were undone, once for each round. */
  steps: string[];
  /** True if a limit was reached: more may be encoded, or follow. */
  isPartial: boolean;
}

/** Layers inside each other. */
export const maxRounds = 10;
/** Characters read in all rounds. */
const maxRead = 4 * maxLength;

/** Undefined if nothing is encoded. A complete result decodes to nothing further. */
export function decode(original: string): Decoded | undefined {
  if (!mayBeEncoded(original)) return undefined;
  const whole = original.slice(0, maxLength);
  const work: Work = { steps: [], isPartial: original.length > maxLength, budget: newBudget() };
  let text = whole;
  let read = 0;
  for (let round = 0; ; round++) {
    const next = undo(text, work);
    if (next === text) break;
    text = next;
    read += text.length;
    if (round + 1 < maxRounds && read < maxRead) continue;
    work.isPartial ||= undo(text, { ...work, steps: [] }) !== text;
    break;
  }
  if (text === whole) return undefined;
  return { text: text.toWellFormed(), steps: work.steps, isPartial: work.isPartial || work.budget.bytes <= 0 };
}

interface Work {
  steps: string[];
  isPartial: boolean;
  budget: Budget;
}

/** One layer of each encoding. */
function undo(text: string, work: Work): string {
  let found = text;
  const take = (next: string, ...steps: readonly string[]) => {
    if (next === found) return;
    found = next.length > maxLength ? next.slice(0, maxLength) : next;
    work.isPartial ||= next.length > maxLength;
    work.steps.push(...steps);
  };
  if (found.includes('^')) take(withoutCarets(found), 'Caret escapes');
  if (found.includes('`')) take(withoutBackticks(found), 'Backtick escapes');
  take(withCharacters(found), 'Character codes');
  const strings = withWholeStrings(found);
  take(strings.text, ...strings.steps);
  if (found.includes('%')) take(inUrl(found), 'URL encoding');
  for (const decodeIn of [inEncodedCommand, inBase64, inHex]) {
    const steps: string[] = [];
    take(
      decodeIn(found, work.budget, (bytes) => {
        work.isPartial ||= bytes.isPartial;
        steps.push(...bytes.steps);
        return bytes.text;
      }),
      ...new Set(steps),
    );
  }
  return found;
}

type Take = (bytes: ReadBytes) => string;

/** Name of a step and of what its bytes were: `Base64 (UTF-16LE)`, or `Base64` and `gzip`. */
const named = (name: string, bytes: ReadBytes): ReadBytes => ({
  ...bytes,
  steps: bytes.steps[0] === 'UTF-16LE' ? [`${name} (UTF-16LE)`] : [name, ...bytes.steps],
});

/** `-e`, `-ec` and every other beginning of `-EncodedCommand`, with each dash and slash that PowerShell takes. */
const encodedCommand = /([-\u2013-\u2015/])(e[a-z]{0,13})([\s:]{1,10}["']?)([A-Za-z0-9+/]{4,}={0,2})/gi;

const inEncodedCommand = (text: string, budget: Budget, take: Take): string =>
  text.replace(encodedCommand, (match, dash: string, name: string, gap: string, data: string) => {
    const option = name.toLowerCase();
    if (option !== 'ec' && !'encodedcommand'.startsWith(option)) return match;
    const bytes = readBytes(base64Bytes(data.replace(/=+$/, '')), budget);
    return bytes?.steps[0] === 'UTF-16LE' ? `${dash}${name}${gap}${take(named('Base64', bytes))}` : match;
  });

const anyRun = new RegExp(`[A-Za-z0-9+/]{${minRun},}={0,2}`, 'g');
/** Lines of one length, as mail and `[Convert]::ToBase64String` with line breaks wrap it, the last one shorter. */
const wrappedRun = /(?:[A-Za-z0-9+/]{60,76}\r?\n)+[A-Za-z0-9+/]{1,76}={0,2}/g;
/** Short runs count where the text names Base64, between quotes or spaces. */
const shortRun = /(?<![^\s"'(,|<>=])[A-Za-z0-9+/]{8,}={0,2}(?![^\s"'),|<>;\\])/g;
const namesBase64 = /b(?:ase)?64/i;
const namesCompression = /deflate|gzip|inflate|zlib|decompress/i;
const isMixed = (run: string): boolean => /[a-z]/.test(run) && /[A-Z]/.test(run);

function inBase64(text: string, budget: Budget, take: Take): string {
  const isCompressed = namesCompression.test(text);
  const decodeRun = (run: string): string => {
    if (!isMixed(run)) return run;
    const bytes = readBytes(base64Bytes(run.replace(/=+$/, '')), budget, isCompressed && run.length >= minRun);
    return bytes ? take(named('Base64', bytes)) : run;
  };
  const unwrapped = text.replace(wrappedRun, (lines) => {
    const [first = '', ...others] = lines.split(/\r?\n/);
    if (others.some((line, at) => (at < others.length - 1 ? line.length !== first.length : line.length > first.length)))
      return lines;
    const run = [first, ...others].join('');
    const decoded = decodeRun(run);
    return decoded === run ? lines : decoded;
  });
  const found = unwrapped.replace(anyRun, decodeRun);
  return namesBase64.test(text) ? found.replace(shortRun, (run) => (/\d|=/.test(run) ? decodeRun(run) : run)) : found;
}

const hexRun = new RegExp(`(?<![\\w])(?:0x)?((?:[0-9a-f]{2}){${minRun / 2},})(?![\\w])`, 'gi');
const shortHexRun = /(?<![\w])((?:[0-9a-f]{2}){4,})(?![\w])/gi;
const namesHex = /xxd|hex/i;
const escapedHex = /(?:\\x[0-9a-f]{2}){2,}/gi;

function inHex(text: string, budget: Budget, take: Take): string {
  const decodeRun = (run: string, digits: string): string => {
    if (!/[a-f]/i.test(digits) && !namesHex.test(text)) return run;
    const bytes = readBytes(hexBytes(digits), budget);
    return bytes ? take(named('Hex', bytes)) : run;
  };
  const escapes = (run: string): string => {
    const found = narrowText(hexBytes(run.replaceAll(/\\x/gi, '')));
    return found === undefined ? run : take({ text: found, steps: ['Hex'], isPartial: false });
  };
  const found = text.replace(hexRun, decodeRun);
  const whole = namesHex.test(text) ? found.replace(shortHexRun, decodeRun) : found;
  return whole.includes('\\x') || whole.includes('\\X') ? whole.replace(escapedHex, escapes) : whole;
}

const percents = /(?:%[0-9a-f]{2})+/gi;

/** Spaces alone hide nothing. Of escapes that are no text, such as variables of a batch file (`%CD%`), none is undone. */
function inUrl(text: string): string {
  if (!/%(?!20)[0-9a-f]{2}/i.test(text)) return text;
  return text.replace(percents, (run) => narrowText(hexBytes(run.replaceAll('%', ''))) ?? run);
}
