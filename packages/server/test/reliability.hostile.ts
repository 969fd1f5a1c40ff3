/** Hostile values, and requests with some of their places replaced by them. */
import type { Endpoint } from '@parapet/contract/endpoint.ts';
import type { randomFor } from '@parapet/world/random.ts';
import type { Input } from './access.probes.kinds.ts';

export type Random = ReturnType<typeof randomFor>;

const nested = (depth: number, inner: unknown): unknown => {
  let value = inner;
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value };
  return value;
};

const values: readonly unknown[] = [
  null,
  undefined,
  true,
  false,
  -1,
  0,
  1.5,
  2 ** 31,
  2 ** 53,
  -(2 ** 63),
  1e308,
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  '\u202e\u0000\ufffe',
  '﷽'.repeat(300),
  "' or 1 = 1 --",
  '"; drop table cases; --',
  '%',
  '%00',
  '../../../etc/passwd',
  '<script>alert(1)</script>',
  '{{constructor.constructor("return 1")()}}',
  '*',
  '(((((((((((((((((((((((((',
  '[a-z',
  '(a+)+$',
  'toString',
  '__proto__',
  'constructor',
  'NaN',
  'Infinity',
  '1e999',
  '0x10',
  '-0',
  '٣',
  '0000-00-00T00:00:00Z',
  '2026-02-30T00:00:00Z',
  '+275760-09-13T00:00:00.001Z',
  '-271821-04-19T23:59:59.999Z',
  '9999-12-31T23:59:59.999Z',
  '2026-11-01',
  '00000000-0000-4000-8000-000000000000',
  '00000000-0000-0000-0000-00000000000g',
  '255.255.255.256',
  '::ffff:10.0.0.1%eth0',
  'xn--',
  'a@b@c',
  'javascript:alert(1)',
  'http://[::1',
  'file:///etc/passwd',
  'x'.repeat(5_000),
  'x,'.repeat(3_000),
  [],
  {},
  [[]],
  [null],
  Array.from({ length: 2_000 }, (_, index) => index),
  { length: 1e9 },
  nested(200, 'x'),
  JSON.parse('{"__proto__":{"isAdmin":true},"constructor":{"prototype":{}}}'),
];

/** Paths of all places of a value, its own first. */
function* placesIn(value: unknown, path: readonly string[] = []): Generator<readonly string[]> {
  yield path;
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) yield* placesIn(inner, [...path, name]);
}

function withPlace(value: unknown, [name, ...rest]: readonly string[], replaced: unknown): unknown {
  if (name === undefined) return replaced;
  const copy = Array.isArray(value) ? [...value] : { ...(value as object) };
  const own = copy as Record<string, unknown>;
  own[name] = withPlace(own[name], rest, replaced);
  return copy;
}

/** With one to three places of parameters, query and body replaced, or a field added. */
export function hostileInput(input: Input, random: Random): Input {
  let changed: Input = { params: { ...input.params }, query: { ...input.query }, body: structuredClone(input.body) };
  for (let count = random.int(1, 3); count > 0; count--) {
    const places = [...placesIn(changed)].filter((path) => path.length > 1 || (path.length === 1 && path[0] === 'body'));
    const value = random.pick(values);
    if (places.length === 0 || random.chance(0.1))
      changed = { ...changed, query: { ...changed.query, [random.pick(names)]: value } };
    else changed = withPlace(changed, random.pick(places), value) as Input;
  }
  return changed;
}

const names = ['page', 'pageSize', 'sort', 'order', 'text', 'search', 'severity', 'timeframe', '__proto__', 'a[b]', ''];

const textOf = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value));
const encoded = (text: string): string => encodeURIComponent(text.toWellFormed());

/** Also with escapes that decode to no text. */
export function hostileUrl(endpoint: Endpoint, { params = {}, query = {} }: Input, random: Random): string {
  const part = (value: unknown) =>
    random.chance(0.01) ? random.pick(['%ff', '%c0%af', '%', '..', '%2e%2e%2f']) : encoded(textOf(value) || ' ');
  const path = endpoint.path.replace(/:([A-Za-z]+)/g, (_whole, name: string) => part(params[name]));
  const search = Object.entries(query).flatMap(([name, value]) =>
    (Array.isArray(value) ? value.slice(0, 50) : [value]).map((each) => `${encoded(name)}=${part(each)}`),
  );
  return `${endpoint.prefix}${path}${search.length > 0 ? `?${search.join('&')}` : ''}`;
}
