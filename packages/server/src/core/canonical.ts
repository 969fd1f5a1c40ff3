/** JSON in one form (RFC 8785, JCS), for what is hashed and signed: members in the order of their names, no spaces, numbers and strings as ECMAScript writes them. */

export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue | undefined };

export function canonicalJson(value: JsonValue): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (isList(value)) return `[${value.map(canonicalJson).join(',')}]`;
  // The default order is by UTF-16 code units, as the RFC requires.
  const members = Object.keys(value)
    .filter((name) => value[name] !== undefined)
    .sort();
  return `{${members.map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name] ?? null)}`).join(',')}}`;
}

const isList = (
  value: readonly JsonValue[] | { readonly [name: string]: JsonValue | undefined },
): value is readonly JsonValue[] => Array.isArray(value);

/** Only a number of so many characters can be beyond what JSON's readers hold exactly. */
const longNumber = /[\d.]{16}/;

/** The value of a text of `jsonb`. A number that would be read as another one stands as its text, so that no two stored values are hashed alike. */
export const parseStored = (text: string): JsonValue =>
  longNumber.test(text) ? (JSON.parse(text, exact) as JsonValue) : (JSON.parse(text) as JsonValue);

function exact(_name: string, value: unknown, context?: { source?: string }): unknown {
  return typeof value === 'number' && context?.source !== undefined && plain(String(value)) !== plain(context.source)
    ? context.source
    : value;
}

/** Digits without an exponent, as PostgreSQL writes a numeric. */
function plain(number: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(number) ?? [];
  const digits = whole + fraction;
  const point = whole.length + Number(exponent);
  const shifted =
    point <= 0 ? `0.${'0'.repeat(-point)}${digits}` : `${digits.slice(0, point).padEnd(point, '0')}.${digits.slice(point)}`;
  return sign + shifted.replace(/0+$/, '').replace(/\.$/, '');
}
