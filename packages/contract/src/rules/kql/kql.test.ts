import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { clauses, type Kql, type KqlNode, kqlLimits } from './ast.ts';
import type { SearchedEvent } from './fields.ts';
import { literals } from './literals.ts';
import { matcher } from './match.ts';
import { parseKql } from './parse.ts';
import { printKql } from './print.ts';

const astOf = (text: string): Kql => {
  const parsed = parseKql(text);
  if (!parsed.ok || !parsed.ast) throw new Error(`${text}: ${parsed.ok ? 'empty' : parsed.error.message}`);
  return parsed.ast;
};
const errorOf = (text: string) => {
  const parsed = parseKql(text);
  return parsed.ok ? undefined : parsed.error;
};
const withoutSpans = (ast: KqlNode): unknown =>
  JSON.parse(JSON.stringify(ast, (key, value) => (key === 'at' || key === 'length' ? undefined : value)));
const event = (document: Record<string, unknown>, columns: Partial<SearchedEvent> = {}): SearchedEvent => ({
  at: '2026-11-23T10:00:00.000Z',
  receivedAt: '2026-11-23T10:00:02.000Z',
  shape: 'winlog',
  deviceName: 'srv-01',
  userName: 'CORP\\alice',
  text: 'Process started by alice',
  document,
  ...columns,
});
const matches = (search: string, document: Record<string, unknown>, columns?: Partial<SearchedEvent>) =>
  matcher(astOf(search))(event(document, columns));

const logon = JSON.parse(`{
  "event": { "code": 4625, "outcome": "failure", "duration": "1500" },
  "source": { "ip": ["203.0.113.5", "10.1.2.3"], "port": 445 },
  "process": { "executable": "C:\\\\Windows\\\\System32\\\\cmd.exe", "command_line": "powershell.exe -enc SQBFAFgA" },
  "winlog.event_data": { "TargetUserName": "Bob", "Threat Name": "Mimikatz (gen)" },
  "host.name": "srv-01", "empty": null, "none": {}, "is_admin": true, "__proto__": { "constructor": "evil" }
}`);

describe('matcher', () => {
  test.each(
    [
      ['powershell', 'POWERSHELL SQBFAFgA', '"powershell.exe -enc"', 'power*', '*shell*', 'alice started', 'srv'],
      ['event.code: 4625', 'event.code: 4625.0', 'event.code: "4625"', 'event.code: 46*', 'event.code:(1 or 4625)'],
      [
        'event.code >= 4625',
        'event.code<5000 and event.code > 4000',
        'event.duration > 999',
        '@timestamp >= 2026-11-23',
        '@timestamp < "2026-11-23T10:01"',
      ],
      ['source.ip: 10.0.0.0/8', 'source.ip: "203.0.113.0/24"', 'source.ip: 203.0.113.5', 'source.ip: (10.0.0.0/8 and 203.*)'],
      [
        'process.executable: C:\\\\Windows\\\\*',
        'process.executable: "C:\\Windows\\System32\\cmd.exe"',
        '"c:\\windows"',
        'C:\\\\Windows\\\\*',
      ],
      [
        'process.executable: *\\\\cmd.exe',
        'process.executable: C:\\Windows\\System32\\cmd.exe',
        'process: *',
        'proc*.exec*: *cmd.exe',
      ],
      [
        'host.name: SRV-01',
        'winlog.event_data.targetusername: bob',
        '"winlog.event_data.Threat Name": mimikatz*',
        'event.outcome: fail*',
      ],
      ['device: srv-01', 'device.name: SRV*', 'user: corp\\alice', 'message: started', 'shape: winlog', 'is_admin: true'],
      [
        'not event.outcome: success',
        'not (a: b or c: d)',
        'event.code: 1 or event.code: 4625 and source.port: 445',
        'NOT x AND powershell',
      ],
      ['winlog.event_data.Threat\\ Name: "Mimikatz (gen)"', '*: bob', '*', '__proto__.constructor: evil'],
      ['winlog.event_data.*: Bob', 'event.code: 4625 source.port: 445', 'powershell source.ip: 10.1.2.3'],
    ].flat(),
  )('matches %s', (search) => {
    expect(matches(search, logon)).toBe(true);
  });

  test.each(
    [
      ['powers', 'shell', '"owershell.exe"', 'power*zzz', 'powershell missing', 'TargetUserName'],
      [
        'event.code: 462',
        'event.code: "4625 "',
        'event.code > 4625',
        'event.outcome >= 1',
        'missing > 1',
        'event.code >= 2026-01-01',
      ],
      [
        'source.ip: 10.0.0.0/16',
        'source.ip: ::/0',
        'source.ip: 203.0.113',
        'empty: *',
        'none: *',
        'missing: *',
        'toString: *',
        'constructor: *',
      ],
      [
        'process.executable: cmd.exe',
        'process.executable: "C:\\Windows\\*"',
        'process.executable: C:\\Windows\\*',
        'message: start',
      ],
      ['not powershell', 'not event.code: *', 'user: alice', 'event.code: (1 or 2)', '(a or b) and powershell'],
    ].flat(),
  )('does not match %s', (search) => {
    expect(matches(search, logon)).toBe(false);
  });

  test('folds case beyond ASCII, without making ASCII of other letters', () => {
    expect(matches('user.name: ΟΔΥΣΣΕΥΣ', { user: { name: 'οδυσσευς' } })).toBe(true);
    expect(matches('user.name: É*', { user: { name: 'élan' } })).toBe(true);
    expect(matches('user.name: k', { user: { name: '\u212a' } })).toBe(false);
    expect(matches('lan', { a: 'élan' })).toBe(false);
    expect(matches('a', { a: '\u{1d504}a' })).toBe(false);
    expect(matches('"\ud83d"', { a: 'x \ud83d' })).toBe(true);
  });

  test('compares IPv6 addresses', () => {
    expect(matches('source.ip: 2001:db8::/32', { source: { ip: '2001:DB8:0:1::5' } })).toBe(true);
    expect(matches('source.ip: fe80::1', { source: { ip: 'fe80::1' } })).toBe(true);
    expect(matches('10.0.0.1', { source: { ip: '110.0.0.12' } })).toBe(false);
    expect(matches('source.ip: 10.0.0.0/8', { source: { ip: '::ffff:10.2.3.4' } })).toBe(true);
  });
});

describe('parseKql', () => {
  test.each([
    ['user.name:', 10, 0, 'Expected a value after “user.name:”.'],
    ['a: and b', 3, 1, 'Expected a value after “a:”.'],
    ['a and', 5, 0, 'Expected a condition after “and”.'],
    ['or a', 0, 2, 'Expected a condition before “or”. Put the word in quotation marks to search for it.'],
    ['a: "open', 3, 1, 'This quotation mark is not closed. Close it; write \\\\ for a backslash before one.'],
    ['(a or b', 0, 1, 'This “(” has no “)”. Close it.'],
    ['a)', 1, 1, 'This “)” has no “(”. Remove it, or put it in quotation marks.'],
    ['()', 1, 0, 'Expected a condition after “(”.'],
    [': b', 0, 1, 'Expected a field before “:”. Put text that contains it in quotation marks.'],
    ['<script>', 0, 1, 'Expected a field before “<”. Put text that contains it in quotation marks.'],
    ['bytes >= many', 9, 4, 'Enter a number or a time such as 2026-11-23T10:00Z after “>=”.'],
    ['bytes >=', 8, 0, 'Expected a value after “bytes >=”.'],
    ['not', 3, 0, 'Expected a condition after “not”.'],
    ['""', 0, 2, 'Expected text between the quotation marks.'],
  ])('rejects %s', (text, at, length, message) => {
    expect(errorOf(text)).toEqual({ at, length, message });
  });

  test('binds not before and, and before or', () => {
    expect(withoutSpans(astOf('a or not b and c d'))).toEqual(withoutSpans(astOf('a or ((not b) and c and d)')));
  });

  test('reads several words after a field as one value, up to the next field', () => {
    expect(withoutSpans(astOf('user.name: John  Smith host.name: a'))).toEqual(
      withoutSpans(astOf('user.name: "John Smith" and host.name: "a"')),
    );
  });

  test('marks the place of each clause', () => {
    const text = 'error and user.name: (alice or bob) not  x >= 5';
    expect(clauses(astOf(text)).map(({ at, length }) => text.slice(at, at + length))).toEqual([
      'error',
      'user.name: (alice or bob)',
      'not  x >= 5',
    ]);
  });

  test('limits length, conditions and depth', () => {
    expect(errorOf('a '.repeat(10_000))?.at).toBe(kqlLimits.length);
    expect(errorOf('a '.repeat(501))).toEqual({
      at: 1000,
      length: 1,
      message: 'A search has at most 500 conditions. Remove some.',
    });
    expect(errorOf(`${'('.repeat(51)}a`)?.message).toContain('50 levels');
    expect(errorOf(`${'not '.repeat(51)}a`)?.message).toContain('50 levels');
    expect(parseKql(' \n ')).toEqual({ ok: true, ast: undefined });
  });

  test('returns an error or a tree for any text', () => {
    const unit = fc.constantFrom(
      '"',
      '\\',
      '(',
      ')',
      ':',
      '*',
      '<',
      '>',
      '=',
      ' ',
      'and',
      'or ',
      'not ',
      'a',
      '\ud800',
      '\u0000',
      '{',
      '/',
    );
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 40 }), (parts) => void parseKql(parts.join(''))),
      { numRuns: 2000 },
    );
  });
});

const letters = fc.constantFrom(...'aAbk19. "\\*:()<>/+&é\u212aςσ_-\ud800\n\t'.split(''), 'and', 'or', 'not');
const piece = fc.array(letters, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(''));
const pattern = fc.oneof(
  piece.map((text) => [text]),
  fc
    .tuple(fc.option(piece, { nil: '' }), fc.array(piece, { maxLength: 2 }), fc.option(piece, { nil: '' }))
    .map(([a, b, c]) => [a, ...b, c]),
);
const field = fc.oneof(
  fc.constantFrom('a', 'b.c', 'b', 'message', 'device').map((name) => [name]),
  pattern,
);
const leaf: fc.Arbitrary<KqlNode> = fc.oneof(
  pattern.map((text) => ({ kind: 'text' as const, text })),
  fc.record({ kind: fc.constant('field' as const), field, value: pattern }),
  fc.record({
    kind: fc.constant('range' as const),
    field,
    comparison: fc.constantFrom('<', '<=', '>', '>='),
    bound: fc.constantFrom('5', '-1.5', '2026-11-23', '1e3'),
  }) as fc.Arbitrary<KqlNode>,
);
const flat = (kind: 'and' | 'or', parts: KqlNode[]): KqlNode => ({
  kind,
  parts: parts.flatMap((part) => (part.kind === kind ? (part.parts as Kql[]) : [part as Kql])),
});
const tree: fc.Arbitrary<KqlNode> = fc.letrec<{ node: KqlNode }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 3 },
    leaf,
    tie('node').map((part) => ({ kind: 'not' as const, part: part as Kql })),
    fc
      .tuple(fc.constantFrom('and' as const, 'or' as const), fc.array(tie('node'), { minLength: 2, maxLength: 3 }))
      .map(([kind, parts]) => flat(kind, parts)),
  ),
})).node;

const value = fc.oneof(piece, fc.constantFrom<unknown>(1, 9, 1.5, true, null, '9', 'a\nb', 1e21));
const documents = fc.record({ a: value, 'b.c': value, b: fc.record({ c: fc.array(value, { maxLength: 2 }) }) });
const events = fc
  .record({ document: documents, text: piece, deviceName: fc.option(piece) })
  .map(({ document, ...rest }) => event(document, rest));

/** Leaves with their names, and a regular expression for each pattern: slow and plain. */
function naive(node: KqlNode, { document, text, deviceName, userName, ...columns }: SearchedEvent): boolean {
  const all: [string, unknown][] = [
    ['@timestamp', columns.at],
    ['event.ingested', columns.receivedAt],
    ['shape', columns.shape],
    ['message', text],
    ['device', deviceName],
    ['device.name', deviceName],
    ['user', userName],
  ];
  const words: unknown[] = [text, deviceName, userName];
  const walk = (name: string, each: unknown) => {
    if (Array.isArray(each)) for (const item of each) walk(name, item);
    else if (each !== null && typeof each === 'object')
      for (const [key, child] of Object.entries(each)) walk(name ? `${name}.${key}` : key, child);
    else all.push([name, each]) && words.push(each);
  };
  walk('', document);
  const low = (each: unknown) => [...String(each)].map((c) => (c === '\u212a' ? c : c.toLowerCase().replace('ς', 'σ'))).join('');
  const source = (pieces: readonly string[]) =>
    pieces.map((each) => low(each).replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')).join('[^]*');
  const whole = (pieces: readonly string[], each: unknown) => new RegExp(`^${source(pieces)}$`).test(low(each));
  const isWordLike = (char: string | undefined) => char !== undefined && /[\p{L}\p{N}]/u.test(char);
  const word = (pieces: readonly string[], each: unknown) => {
    const [first = '', last = ''] = [low(pieces[0]), low(pieces.at(-1))];
    return new RegExp(
      `${isWordLike(first[0]) ? '(?<![\\p{L}\\p{N}])' : ''}${source(pieces)}${isWordLike(last.at(-1)) ? '(?![\\p{L}\\p{N}])' : ''}`,
      'u',
    ).test(low(each));
  };
  if (node.kind === 'and') return node.parts.every((part) => naive(part, { document, text, deviceName, userName, ...columns }));
  if (node.kind === 'or') return node.parts.some((part) => naive(part, { document, text, deviceName, userName, ...columns }));
  if (node.kind === 'not') return !naive(node.part, { document, text, deviceName, userName, ...columns });
  if (node.kind === 'text') return words.some((each) => each !== null && word(node.text, each));
  const name = low(node.field.join('*'));
  const found = all.filter(
    ([at, each]) =>
      each !== null &&
      (whole(node.field, at) ||
        (node.field.length === 1 && low(at).startsWith(`${name}.`) && !['device.name', 'event.ingested'].includes(at))),
  );
  if (node.kind === 'field')
    return found.some(
      ([, each]) =>
        whole(node.value, each) ||
        (typeof each === 'number' &&
          node.value.length === 1 &&
          /^[-+]?(\d+\.?\d*|\.\d+)$/.test(node.value[0] ?? '') &&
          Number(node.value[0]) === each) ||
        (node.field.length === 1 && name === 'message' && word(node.value, each)),
    );
  const bound = node.bound === '2026-11-23' ? undefined : Number(node.bound);
  return found.some(([, each]) => {
    const at =
      bound === undefined
        ? /^\d{4}-/.test(String(each))
          ? Date.parse(String(each))
          : Number.NaN
        : typeof each === 'number' || (typeof each === 'string' && /^\s*[-+]?(\d+\.?\d*|\.\d+)\s*$/.test(each))
          ? Number(each)
          : Number.NaN;
    const edge = bound ?? Date.parse('2026-11-23');
    return { '<': at < edge, '<=': at <= edge, '>': at > edge, '>=': at >= edge }[node.comparison];
  });
}

describe('properties', () => {
  test('parses a printed tree to the same tree', () => {
    fc.assert(
      fc.property(tree, (node) => {
        const parsed = parseKql(printKql(node as Kql));
        expect(parsed.ok && parsed.ast && withoutSpans(parsed.ast)).toEqual(withoutSpans(node));
      }),
      { numRuns: 2000 },
    );
  });

  test('agrees with a plain reference', () => {
    fc.assert(
      fc.property(tree, events, (node, stored) => {
        expect(matcher(node as Kql)(stored)).toBe(naive(node, stored));
      }),
      { numRuns: 2000 },
    );
  });

  test('excludes no match by literals, however the event is escaped', () => {
    const escaped = (text: string) =>
      text.replace(/[<>&'/+\u007f-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
    let matched = 0;
    fc.assert(
      fc.property(tree, events, (node, stored) => {
        if (!matcher(node as Kql)(stored)) return;
        matched++;
        const { text, deviceName, userName, document } = stored;
        const serialised = JSON.stringify([text, deviceName, userName, document]);
        const runs: string[] = [];
        JSON.stringify([text, deviceName, userName, document], (_, each) => {
          if (typeof each !== 'object')
            runs.push(
              ...(String(each)
                .replace(/[A-Z]/g, (c) => c.toLowerCase())
                .match(/[\da-z]+/g) ?? []),
            );
          return each;
        });
        const { substrings, tokens } = literals(node as Kql);
        for (const form of [serialised, escaped(serialised)])
          for (const substring of substrings) expect(form.replace(/[A-Z]/g, (c) => c.toLowerCase())).toContain(substring);
        for (const token of tokens) expect(runs).toContain(token);
      }),
      { numRuns: 2000 },
    );
    expect(matched).toBeGreaterThan(500);
  });
});

describe('literals', () => {
  test.each([
    ['Mimikatz and user.name: *bob', ['mimikatz', 'bob'], ['mimikatz']],
    ['a: "C:\\Users\\x y"', ['users', 'x y', 'c:'], ['c', 'users', 'x', 'y']],
    ['a: 4625 and b: 1.50', ['4625'], ['4625']],
    ['foo or "foo bar"', ['foo'], ['foo']],
    ['not foo', [], []],
    ['source.ip: 10.0.0.0/8', [], []],
    ['@timestamp: 2026*', [], []],
    ['power*shell', ['power', 'shell'], []],
  ])('of %s', (search, substrings, tokens) => {
    expect(literals(astOf(search))).toEqual({ substrings, tokens });
  });
});

describe('hostile input', () => {
  test('matches wildcards in linear time', () => {
    const search = astOf(`a: ${'*a'.repeat(1500)}*b`);
    const words = astOf(`${'*a'.repeat(1500)}*b`);
    const letters = astOf('a'.repeat(4000));
    const long = { a: 'a'.repeat(250_000) };
    for (let i = 0; i < 20; i++) {
      expect(matcher(search)(event(long))).toBe(false);
      expect(matcher(words)(event(long))).toBe(false);
      expect(matcher(letters)(event(long))).toBe(false);
    }
  });

  test('reads no deeper than 64 levels', () => {
    let deep: Record<string, unknown> = { x: 'needle' };
    for (let i = 0; i < 20_000; i++) deep = { a: deep };
    expect(matches('needle', deep)).toBe(false);
    expect(matches('*.x: needle', deep)).toBe(false);
  });
});
