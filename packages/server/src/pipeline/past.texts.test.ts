/** Texts of rules over stored blocks, against the matcher on every event: random rules, fields and values in all layouts. */
import { randomUUID } from 'node:crypto';
import { compileRules } from '@parapet/sigma/matcher.ts';
import { loadRules } from '@parapet/sigma/rules.ts';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { Block } from '../domain/events/block.read.ts';
import { eventsWithTexts } from '../domain/events/block.textFilter.ts';
import { type BlockEvent, encodeBlock } from '../domain/events/block.write.ts';
import { idsOf } from '../domain/events/eventIds.ts';
import { textFilterOf } from './past.ts';

vi.setConfig({ testTimeout: 600_000 });

type Document = Record<string, unknown>;

const words = [
  'powershell.exe',
  'C:\\Windows\\system32\\cmd.exe',
  'net user /add',
  'ſekurlsa',
  'sekurlsa',
  'Kerberos',
  'ADMİN',
  'admin',
  'a "quoted" word',
  'a=1,b=2',
  'status: new',
  'tab\tnew',
  'line\nnext',
  'ΑΣ mixed é',
  'success',
  'SHA256=',
  'MD5=0123456789abcdef0123456789abcdef',
  '0123456789abcdef0123456789abcdef',
  '2026-11-26',
  'ann',
  'WS-1',
  'CORP',
  '/usr/bin/python3',
  '/tmp/../etc/passwd',
];
const numbers = [4625, 4104, 1, 12345, -4625, 1.5, '4625', '04625', '4625.0', '4.625e3', '4624.9999999999999999', '12345 '];
const word = fc.constantFrom(...words);
const value = fc.oneof(
  { weight: 6, arbitrary: word },
  { weight: 2, arbitrary: fc.array(word, { minLength: 2, maxLength: 3 }).map((parts) => parts.join(' ')) },
  { weight: 1, arbitrary: fc.array(word, { minLength: 2, maxLength: 2 }).map((parts) => parts.join('\\')) },
  { weight: 2, arbitrary: fc.constantFrom<unknown>(...numbers) },
  { weight: 1, arbitrary: fc.array(word, { minLength: 3, maxLength: 5 }).map((parts) => parts.join('\n')) },
  { weight: 1, arbitrary: fc.array(word, { minLength: 6, maxLength: 9 }).map((parts) => parts.join(' and ')) },
);
const nested = fc.oneof(
  { weight: 8, arbitrary: value },
  { weight: 1, arbitrary: fc.array(value, { maxLength: 3 }) },
  {
    weight: 1,
    arbitrary: fc.dictionary(fc.constantFrom('powershell.exe', 'name', 'b'), value, {
      minKeys: 1,
      maxKeys: 2,
      noNullPrototype: true,
    }),
  },
  { weight: 1, arbitrary: value.map((text) => ({ '#text': text })) },
);

/** Fields as rules name them, with places that hold them. */
const located: [field: string, path: readonly string[]][] = [
  ['CommandLine', ['process', 'command_line']],
  ['CommandLine', ['process', 'args']],
  ['CommandLine', ['process', 'decoded_command_line']],
  ['CommandLine', ['winlog', 'event_data', 'CommandLine']],
  ['CommandLine', ['Event', 'EventData', 'CommandLine']],
  ['CommandLine', ['process.command_line']],
  ['Image', ['process', 'executable']],
  ['Image', ['winlog', 'event_data', 'NewProcessName']],
  ['ParentImage', ['process', 'parent.executable']],
  ['User', ['user', 'name']],
  ['User', ['user', 'domain']],
  ['User', ['winlog', 'event_data', 'SubjectUserName']],
  ['Hashes', ['process', 'hash', 'md5']],
  ['md5', ['winlog', 'event_data', 'Hashes']],
  ['EventID', ['winlog', 'event_id']],
  ['EventID', ['event', 'code']],
  ['EventID', ['EventID']],
  ['status', ['ResultStatus']],
  ['Data', ['winlog', 'event_data', 'param1']],
  ['a1', ['process', 'args']],
  ['requestParameters', ['requestParameters']],
  ['ScriptBlockText', ['powershell', 'file', 'decoded_script_block_text']],
  ['Message', ['message']],
  ['cs-uri-query', ['url', 'original']],
  ['actor.displayName', ['okta', 'actor', 'display_name']],
];
const fields = [...new Set(located.map(([field]) => field))];

function put(document: Document, path: readonly string[], made: unknown): void {
  let inside = document;
  for (const key of path.slice(0, -1)) {
    if (typeof inside[key] !== 'object' || inside[key] === null || Array.isArray(inside[key])) inside[key] = {};
    inside = inside[key] as Document;
  }
  inside[path.at(-1)!] = made;
}

const document = fc.array(fc.tuple(fc.constantFrom(...located), nested), { minLength: 1, maxLength: 5 }).map((all) => {
  const made: Document = {};
  for (const [[, path], content] of all) put(made, path, content);
  return made;
});
const named = (content: unknown): Document => ({ Event: { System: { EventID: 4625 }, EventData: { Data: [content] } } });
const events = fc.array(
  fc.record({
    document: fc.oneof(
      { weight: 9, arbitrary: document },
      { weight: 1, arbitrary: value.map((text) => named({ '@Name': 'CommandLine', '#text': text })) },
    ),
    user: fc.constantFrom('ann', 'ADMİN', null),
    device: fc.constantFrom('WS-1', 'sekurlsa', null),
    copies: fc.integer({ min: 1, max: 9 }),
    text: fc.oneof(word, fc.constantFrom('message', 'started')),
  }),
  { minLength: 2, maxLength: 12 },
);

const modifiers = [
  '',
  '|contains',
  '|startswith',
  '|endswith',
  '|contains|all',
  '|windash|contains',
  '|cased|contains',
  '|re',
  '|re|i',
];
const escapedRegex = (text: string) => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&').replace(/\s/g, '\\s');
const cut = fc
  .tuple(word, fc.nat(12), fc.nat(30))
  .map(([text, from, length]) => text.slice(Math.min(from, text.length - 3), from + 3 + length));
const item = fc
  .tuple(fc.constantFrom(...fields), fc.constantFrom(...modifiers), fc.array(cut, { minLength: 1, maxLength: 3 }))
  .map(([field, modifier, texts]): [string, unknown] => [
    `${field}${modifier}`,
    modifier.startsWith('|re') ? texts.map(escapedRegex) : texts.map((text) => text.replaceAll('\\', '\\\\')),
  ]);
const plain = fc.tuple(fc.constantFrom(...fields), fc.oneof(word, fc.constantFrom<unknown>(...numbers)));
const selection = fc.oneof(
  { weight: 6, arbitrary: fc.array(fc.oneof(item, plain), { minLength: 1, maxLength: 2 }).map((all) => Object.fromEntries(all)) },
  { weight: 1, arbitrary: fc.array(cut, { minLength: 1, maxLength: 2 }) },
);
const rule = fc.record({
  title: fc.constant('Rule'),
  logsource: fc.constantFrom({}, { product: 'windows' }),
  detection: fc.record({
    s1: selection,
    s2: selection,
    condition: fc.constantFrom('s1', 's1', 's1 or s2', 's1 and s2', 's1 and not s2', '1 of s*'),
  }),
});

const now = Date.UTC(2026, 10, 26);
const textsOf = (found: unknown, text: string): string => (text === 'message' ? String(found ?? text) : `${text} by`);

async function blockOf(made: readonly BlockEvent[]) {
  const block = new Block((await encodeBlock(made)).body, idsOf(made));
  return block.documents();
}

test('keeps every stored event that a rule matches', async () => {
  let [ruledOut, matches] = [0, 0];
  await fc.assert(
    fc.asyncProperty(fc.array(rule, { minLength: 1, maxLength: 14 }), events, async (written, made) => {
      const { rules } = loadRules([
        { file: 'r.yml', text: written.map((each, id) => JSON.stringify({ ...each, id: String(id) })).join('\n---\n') },
      ]);
      const stored = made.flatMap(({ document: content, user, device, copies, text }) =>
        Array.from(
          { length: copies },
          (_, copy): BlockEvent => ({
            id: randomUUID(),
            at: now,
            receivedAt: now,
            clockSkew: 0,
            shape: 'ecs',
            text: textsOf((content.process as Document | undefined)?.command_line, text),
            document: copy % 3 === 1 ? { ...content, copy } : content,
            deviceName: device,
            userName: user,
          }),
        ),
      );
      const documents = await blockOf(stored);
      const read = stored.map((_, event) => JSON.parse(documents.text(event)) as Document);
      for (const judged of [...rules.map((each) => [each]), rules]) {
        const filter = textFilterOf(judged);
        if (!filter) continue;
        const found = eventsWithTexts(documents.parts(), filter);
        const matcher = compileRules(judged);
        for (const [event, content] of read.entries()) {
          const isMatch = matcher.match(content).length > 0;
          // As the past is judged: without the text of the document.
          expect(matcher.match(documents.view(event) as Document).length > 0).toBe(isMatch);
          if (isMatch) matches++;
          if (found?.[event] !== 1) ruledOut++;
          if (isMatch) expect([judged, content, found?.[event]]).toEqual([judged, content, 1]);
        }
      }
    }),
    { numRuns: Number(process.env.TEXT_RUNS ?? 100) },
  );
  expect(matches).toBeGreaterThan(100);
  expect(ruledOut).toBeGreaterThan(matches);
});
