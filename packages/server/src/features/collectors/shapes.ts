/** Schema combinators for configurations, with their error messages. Any value may be empty (`~`). */
export type Shape =
  | { is: 'any' }
  | { is: 'text'; choices?: readonly string[] }
  | { is: 'whole'; min: number; max: number }
  | { is: 'flag' }
  | { is: 'duration' }
  | { is: 'size' }
  | { is: 'list'; of: Shape }
  | { is: 'either'; shapes: readonly Shape[] }
  | MapShape
  /** Forbidden setting. */
  | { is: 'refused'; text: string };

export type Keys = Readonly<Record<string, Shape>>;
export interface MapShape {
  is: 'map';
  keys: Keys;
  /** True if unknown keys are allowed. */
  isOpen?: boolean;
  needs?: readonly string[];
  /** Additional keys by the value of one: an input’s by its type. An unlisted value allows any. */
  by?: { key: string; kinds: Readonly<Record<string, Keys>>; others: readonly string[] };
}

export const any: Shape = { is: 'any' };
export const text: Shape = { is: 'text' };
export const flag: Shape = { is: 'flag' };
export const duration: Shape = { is: 'duration' };
export const size: Shape = { is: 'size' };
export const one = (...choices: string[]): Shape => ({ is: 'text', choices });
export const whole = (min = 0, max = 2 ** 53): Shape => ({ is: 'whole', min, max });
export const list = (of: Shape): Shape => ({ is: 'list', of });
export const either = (...shapes: Shape[]): Shape => ({ is: 'either', shapes });
export const texts = list(text);
/** A list, or a single item without its dash. */
export const textOrTexts = either(text, texts);
export const map = (keys: Keys, more: Omit<MapShape, 'is' | 'keys'> = {}): MapShape => ({ is: 'map', keys, ...more });
export const refused = (text: string): Shape => ({ is: 'refused', text });
export const port = whole(0, 65_535);

function errorOfWhole({ min, max }: { min: number; max: number }, value: unknown): string | undefined {
  const given = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value;
  if (Number.isInteger(given) && (given as number) >= min && (given as number) <= max) return undefined;
  return max < 2 ** 53 ? `This must be a whole number from ${min} to ${max}.` : `This must be a whole number from ${min}.`;
}

/** Returns the error of a plain value; undefined for a valid one. */
export function errorOfValue(shape: Shape, value: unknown): string | undefined {
  if (value === null) return undefined;
  // A variable of the host’s environment or of the Beat’s keystore.
  if (typeof value === 'string' && value.includes('${')) return undefined;
  switch (shape.is) {
    case 'any':
      return undefined;
    case 'text':
      if (!shape.choices || shape.choices.includes(String(value).toLowerCase())) return undefined;
      return `"${String(value)}" is none of ${shape.choices.join(', ')}.`;
    case 'whole':
      return errorOfWhole(shape, value);
    case 'flag':
      return typeof value === 'boolean' || /^(true|false|yes|no|on|off)$/i.test(String(value))
        ? undefined
        : 'This must be true or false.';
    case 'duration':
      if (typeof value === 'number' || /^-?(\d+(\.\d+)?(ns|us|µs|ms|s|m|h))+$|^-?\d+$/.test(String(value))) return undefined;
      return `"${String(value)}" is no duration. Write it like 30s, 5m or 72h.`;
    case 'size':
      if (typeof value === 'number' || /^\d+(\.\d+)? ?([kmgt]i?b?|b)?$/i.test(String(value))) return undefined;
      return `"${String(value)}" is no size. Write it like 512KiB, 10MB or 1GiB.`;
    case 'list':
      return 'This must be a list: one item a line, each after a dash.';
    case 'map':
      return 'This must have settings beneath it, each with its name and a colon.';
    case 'either': {
      const faults = shape.shapes.map((each) => errorOfValue(each, value));
      return faults.includes(undefined) ? undefined : faults[0];
    }
    case 'refused':
      return shape.text;
  }
}
