import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { splitEvents } from './events.ts';

vi.setConfig({ testTimeout: 60_000 });

const folder = mkdtempSync(join(tmpdir(), 'sigma-cli-'));
afterAll(() => rmSync(folder, { recursive: true }));
mkdirSync(join(folder, 'rules', 'deep'), { recursive: true });
const rule = (id: string, rest: string) =>
  `title: Rule ${id}\nid: ${id}\nlogsource: {product: windows, service: security}\n${rest}`;
writeFileSync(join(folder, 'rules', 'a.yml'), `${rule('r1', 'level: high\ndetection: {s: {EventID: 4625}, condition: s}')}\n`);
writeFileSync(join(folder, 'rules', 'deep', 'b.yaml'), rule('r2', 'detection: {s: {EventID: 1}, condition: t}'));
writeFileSync(
  join(folder, 'rules', 'deep', 'c.yml'),
  'title: Burst\nid: c1\nlevel: critical\ncorrelation: {type: event_count, rules: [r1], group-by: [u], timespan: 5m, generate: true, condition: {gte: 2}}',
);
writeFileSync(join(folder, 'rules', 'notes.txt'), 'not a rule');
const event = JSON.stringify({ Channel: 'Security', EventID: 4625, u: 'x' });
writeFileSync(join(folder, 'e.ndjson'), `${event}\n\n{broken\n[1]\n${event}\r\n`);
writeFileSync(join(folder, 'e.json'), `[\n  ${event},\n  {"x": "a,]}\\"["},\n  ${event}\n]`);

const cli = (...args: string[]) => {
  const { stdout, stderr, status } = spawnSync(process.execPath, [join(import.meta.dirname, 'cli.ts'), ...args], {
    encoding: 'utf8',
  });
  return { lines: stdout.split('\n').filter(Boolean), stderr, status };
};
const hits = [
  '{"ruleId":"r1","title":"Rule r1","level":"high","event":1}',
  (last: number) => `{"ruleId":"r1","title":"Rule r1","level":"high","event":${last}}`,
  (last: number) => `{"ruleId":"c1","title":"Burst","level":"critical","event":${last}}`,
] as const;

describe('match', () => {
  test('prints a line per hit, and reports and skips broken lines', () => {
    const { lines, stderr, status } = cli('match', '--rules', join(folder, 'rules'), '--events', join(folder, 'e.ndjson'));
    expect(lines).toEqual([hits[0], hits[1](5), hits[2](5)]);
    expect(stderr).toMatch(/line 3: not valid JSON/);
    expect(stderr).toMatch(/line 4: not a JSON object/);
    expect(status).toBe(0);
  });

  test('reads an array of events', () => {
    const { lines } = cli('match', '--rules', join(folder, 'rules'), '--events', join(folder, 'e.json'));
    expect(lines).toEqual([hits[0], hits[1](3), hits[2](3)]);
  });

  test('exits quietly when the reader closes the pipe', async () => {
    writeFileSync(join(folder, 'many.ndjson'), `${event}\n`.repeat(50_000));
    const child = spawn(process.execPath, [
      join(import.meta.dirname, 'cli.ts'),
      'match',
      '--rules',
      join(folder, 'rules', 'a.yml'),
      '--events',
      join(folder, 'many.ndjson'),
    ]);
    let stderr = '';
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    child.stdout.once('data', () => child.stdout.destroy());
    const status = await new Promise((resolve) => child.on('close', resolve));
    expect([status, stderr]).toEqual([0, '']);
  });
});

describe('files of events', () => {
  const r1 = ['--rules', join(folder, 'rules', 'a.yml')];
  const pretty = JSON.stringify(JSON.parse(event), null, 2);
  const found = (name: string, content: string | Buffer): [events: number[], stderr: string, status: number | null] => {
    writeFileSync(join(folder, name), content);
    const { lines, stderr, status } = cli('match', ...r1, '--events', join(folder, name));
    return [lines.map((line) => JSON.parse(line).event), stderr, status];
  };
  test.each<[string, string | Buffer, number[]]>([
    ['a byte order mark and CRLF', `\ufeff${event}\r\n${event}\r\n`, [1, 2]],
    ['UTF-16 with a mark', Buffer.from(`\ufeff${event}\n${event}`, 'utf16le'), [1, 2]],
    ['UTF-16 without', Buffer.from(`${event}\n`, 'utf16le'), [1]],
    ['gzip', gzipSync(`${event}\n${event}\n`), [1, 2]],
    ['objects over several lines', `${pretty}\n${pretty}\n`, [1, 2]],
    ['evtx_dump -o json', `Record 7\n${pretty}\nRecord 8\n${pretty}\n`, [1, 2]],
    ['a broken first line', `{broken\n${event}\n`, [2]],
    ['nothing', '', []],
  ])('%s', (name, content, expected) => {
    const [events, , status] = found(name.replaceAll(' ', '-'), content);
    expect([events, status]).toEqual([expected, 0]);
  });
  test.each<[string, string | Buffer, RegExp]>([
    ['a binary event log', 'ElfFile\0\0', /this is no JSON/],
    ['XML', '<Events><Event/></Events>', /this is no JSON/],
    ['text', 'hello\nworld\n', /not one event could be read/],
    ['gzip cut off', gzipSync(`${event}\n`.repeat(1000)).subarray(0, 60), /unexpected end of file/],
  ])('exits with a reason for %s', (name, content, reason) => {
    const [, stderr, status] = found(name.replaceAll(' ', '-'), content);
    expect(stderr).toMatch(reason);
    expect(status).toBe(1);
  });
});

test('continues after unreadable, waiting and duplicate rules', () => {
  const odd = join(folder, 'odd');
  mkdirSync(join(odd, 'copy'), { recursive: true });
  const text = `${rule('r1', 'detection: {s: {EventID: 4625}, condition: s}')}\n`;
  writeFileSync(join(odd, 'a.yml'), text);
  writeFileSync(join(odd, 'copy', 'a.yml'), text);
  writeFileSync(join(odd, 'wait.yml'), rule('r9', "detection: {s: {'u|expand': '%admins%'}, condition: s}"));
  symlinkSync(join(odd, 'nowhere'), join(odd, 'dead.yml'));
  symlinkSync(odd, join(odd, 'loop'));
  const { lines, stderr } = cli('check', '--rules', odd);
  expect(lines).toEqual(['3 of 3 rules compiled']);
  expect(stderr).toMatch(/wait\.yml:1: compiled, but matches nothing without --placeholder admins=… \(Rule r9\)/);
  const match = (...rest: string[]) =>
    cli('match', '--rules', odd, '--events', join(folder, 'e.json'), ...rest).lines.map((line) => JSON.parse(line).ruleId);
  expect(match()).toEqual(['r1', 'r1', 'r1', 'r1']);
  expect(match('--placeholder', 'admins=x')).toEqual(['r1', 'r1', 'r9', 'r1', 'r1', 'r9']);
});

test('lints rules and runs their tests, with a status for scripts', () => {
  const checked = join(folder, 'checked');
  mkdirSync(checked);
  const text = (tests: string) =>
    `title: "Bad \\u001b[31mred"\nid: 4d0e3a3b-8a55-4a8a-9b1f-3a8f2c110e6a\nstatus: test\ndescription: d\nlevel: low\nlogsource: {product: windows, service: security}\ndetection: {s: {EventID: 4625}, condition: s}\n${tests}`;
  writeFileSync(join(checked, 'a.yml'), text(''));
  const linted = cli('lint', '--rules', checked);
  expect(linted.lines).toEqual([
    expect.stringMatching(/a\.yml:1: hint no-technique: No ATT&CK technique: .* \(Bad {2}\[31mred\)$/),
    '0 errors, 0 warnings, 1 hints',
  ]);
  expect(linted.status).toBe(0);
  expect(cli('lint', '--rules', join(folder, 'rules')).status).toBe(1);
  expect(cli('test', '--strict', '--rules', checked)).toMatchObject({
    lines: [expect.stringContaining('no test'), '0 tests of 0 rules, 0 failed; 1 rules without a test'],
    status: 1,
  });
  writeFileSync(
    join(checked, 'a.yml'),
    text(
      `tests: [{name: one, matches: true, event: ${event}}, {name: two, matches: true, event: {Channel: Security, EventID: 1}}]`,
    ),
  );
  expect(cli('test', '--rules', checked)).toMatchObject({
    lines: [
      expect.stringContaining('“two” fails: expected a match, found none.'),
      '2 tests of 1 rules, 1 failed; 0 rules without a test',
    ],
    status: 1,
  });
});

test('lists rules that fail to load, then the total', () => {
  const { lines, status } = cli('check', '--rules', join(folder, 'rules'));
  expect(lines).toHaveLength(2);
  expect(lines[0]).toMatch(/deep\/b\.yaml:4: the condition names "t"/);
  expect(lines[1]).toBe('2 of 3 rules compiled');
  expect(status).toBe(0);
  expect(cli('check', '--strict', '--rules', join(folder, 'rules')).status).toBe(1);
});

test.each([
  [[], /a command is missing/],
  [['guess'], /"guess" is no command/],
  [['match', '--rules', folder], /--events is missing/],
  [['check'], /--rules is missing/],
  [['check', '--rules', join(folder, 'nowhere')], /there is no /],
  [['match', '--rules', folder, '--events', folder], /there is no file/],
  [['check', '--rulez', folder], /--rulez/],
])('prints the usage for %j', (args, reason) => {
  const { stderr, status, lines } = cli(...args);
  expect(stderr).toMatch(reason);
  expect(stderr).toMatch(/usage:/);
  expect([status, lines]).toEqual([2, []]);
});

test('returns the same events for any chunking', async () => {
  const text = `\ufeff [{"a":"é"}, {"b":[1,{"c":"]"}]} ,{"d":"\\"}"}]`;
  const bytes = Buffer.from(text);
  for (let size = 1; size < 9; size++) {
    const chunks = async function* () {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    };
    const found: unknown[] = [];
    for await (const each of splitEvents(chunks())) found.push([each.number, JSON.parse(each.text)]);
    expect(found).toEqual([
      [1, { a: 'é' }],
      [2, { b: [1, { c: ']' }] }],
      [3, { d: '"}' }],
    ]);
  }
});
