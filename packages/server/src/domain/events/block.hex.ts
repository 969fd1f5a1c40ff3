/**
 * Columns of hashes and GUIDs as bytes: as text they take a quarter more however they are compressed. Values of one form (`{8-4-4-4-12}`, `MD5=32,SHA256=64`) become a
 * mark each, their digits bytes behind all columns.
 */

/** Stands for a value whose digits are packed. */
const packedMark = '\x05';
const packedByte = 5;
const lineFeed = 10;
/** Shorter ones gain nothing. */
const minDigits = 16;
const maxFormLength = 400;
/** Of the values that are no mark: how many have the form at least. */
const minShare = 0.8;

const lower = '0123456789abcdef';
const upper = '0123456789ABCDEF';
const runs = /(?<![\da-zA-Z])[\da-fA-F]{4,}(?![\da-zA-Z])/g;

/** Form of a value: its text with `\x05` for each digit; undefined if it has few. */
function formOf(value: string): string | undefined {
  if (value.length < minDigits || value.length > maxFormLength) return undefined;
  let digits = 0;
  const form = value.replace(runs, (run) => {
    digits += run.length;
    return packedMark.repeat(run.length);
  });
  return digits >= minDigits && digits % 2 === 0 ? form : undefined;
}

const digitsOf = (form: string): number => form.split(packedMark).length - 1;

const isMark = (value: string): boolean => value.length === 1 && value < ' ';

/** Regular expression of a form, with its digits of one case. */
function patternOf(form: string, isUpper: boolean): RegExp {
  const escaped = form.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
  const pattern = escaped.replace(/\x05+/g, (run) => `${isUpper ? '[0-9A-F]' : '[0-9a-f]'}{${run.length}}`);
  return new RegExp(`^${pattern}$`);
}

export interface PackedColumn {
  form: string;
  isUpper: boolean;
  values: string[];
  digits: Buffer;
}

/** Undefined for a column that is better kept as text. */
export function packHex(values: readonly string[]): PackedColumn | undefined {
  const first = values.find((value) => value.length >= minDigits);
  const form = first === undefined ? undefined : formOf(first);
  if (form === undefined) return undefined;
  const lettered = values.find((value) => value.length === form.length && /[a-fA-F]/.test(onlyDigits(value, form)));
  const isUpper = lettered !== undefined && /[A-F]/.test(onlyDigits(lettered, form));
  const pattern = patternOf(form, isUpper);
  let own = 0;
  let packed = 0;
  const digits: string[] = [];
  const rest = values.map((value) => {
    if (isMark(value)) return value;
    own++;
    if (value.length !== form.length || !pattern.test(value)) return value;
    packed++;
    digits.push(onlyDigits(value, form));
    return packedMark;
  });
  // Repeated values compress well as they are.
  if (packed < own * minShare || new Set(digits).size * 2 < packed) return undefined;
  return { form, isUpper, values: rest, digits: Buffer.from(digits.join(''), 'hex') };
}

function onlyDigits(value: string, form: string): string {
  let digits = '';
  for (let from = form.indexOf(packedMark); from >= 0; ) {
    let to = from;
    while (form[to] === packedMark) to++;
    digits += value.slice(from, to);
    from = form.indexOf(packedMark, to);
  }
  return digits;
}

/** The column’s text, with the bytes of its digits; throws a RangeError if they do not fit. */
export function unpackHex(text: Buffer, form: string, isUpper: boolean, digits: Buffer): Buffer {
  const perValue = digitsOf(form) / 2;
  if (perValue === 0 || digits.length % perValue > 0) throw new RangeError('Digits of a column are cut off.');
  const count = digits.length / perValue;
  const template = Buffer.from(form);
  const alphabet = Buffer.from(isUpper ? upper : lower);
  const column = Buffer.allocUnsafe(text.length + count * (template.length - 1));
  let [to, digit, used] = [0, 0, 0];
  for (let from = 0; from < text.length; from++) {
    const byte = text[from]!;
    if (byte !== packedByte || (from > 0 && text[from - 1] !== lineFeed)) {
      column[to++] = byte;
      continue;
    }
    if (++used > count) throw new RangeError('Digits of a column are missing.');
    for (const part of template) {
      if (part === packedByte) {
        const pair = digits[digit >> 1]!;
        column[to++] = alphabet[digit & 1 ? pair & 15 : pair >> 4]!;
        digit++;
      } else column[to++] = part;
    }
  }
  if (used !== count) throw new RangeError('Digits of a column are left over.');
  return column;
}
