import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CorruptBlockError } from './block.format.ts';
import { Block } from './block.read.ts';
import { type BlockEvent, encodeBlock } from './block.write.ts';
import { idsOf } from './eventIds.ts';
import { valueAt } from './fields.ts';
import { positionsPerToken, tokenHashes } from './tokens.ts';

const now = Date.UTC(2026, 10, 26);
const eventOf = (text: string, document: Record<string, unknown>, more: Partial<BlockEvent> = {}): BlockEvent => ({
  id: randomUUID(),
  at: now,
  receivedAt: now,
  clockSkew: 0,
  shape: 'ecs',
  text,
  document,
  ...more,
});

async function open(events: readonly BlockEvent[]) {
  const { body, tokens } = await encodeBlock(events);
  const block = new Block(body, idsOf(events));
  return { block, tokens, heads: await block.heads(), documents: await block.documents(), size: body.length };
}

/** The condition of blockRows.ts on a filter. */
const mayHave = (tokens: Buffer, word: string): boolean => {
  const [first, second] = tokenHashes(word);
  return Array.from({ length: positionsPerToken }, (_, n) => (first + n * second) % (8 * tokens.length)).every(
    (bit) => (tokens[bit >>> 3]! >> (bit & 7)) & 1,
  );
};

const stringsOf = (value: unknown): string[] =>
  typeof value === 'string'
    ? [value]
    : typeof value === 'object' && value !== null
      ? Object.values(value).flatMap(stringsOf)
      : [];

/** Parts that a search looks for: printable, without what JSON escapes. */
const searched = /[ !#$%()*,\-.:;=?@[\]^_`{|}~\da-z]{3,}/g;

const part = fc.oneof(
  fc.constantFrom('a.exe', 'ann', 'C:\\', 'CORP\\ann', 'ann"b', '\\', '…', 'é', '10.0.0.1', '443', 'x\ty', '\ud800', ''),
  fc.stringMatching(/^[a-z\d]{1,6}$/),
  fc.string({ unit: 'binary', maxLength: 4 }),
);
const path = fc.array(part, { minLength: 1, maxLength: 3 }).chain((parts) => fc.constantFrom(parts.join('\\'), parts.join('/')));
const made = fc.record({
  image: path,
  user: part,
  device: fc.option(part),
  target: path,
  script: fc.array(part, { maxLength: 40 }).map((parts) => parts.join(' ')),
  kind: fc.constantFrom('start', 'open', 'script', 'plain', 'glued'),
  other: part,
});

const namesOf = ({ deviceName, userName }: BlockEvent): string => `${deviceName} ${userName}`.toLowerCase();

/** Not hexadecimal: digits of hashes are packed in documents alone. */
const randomWord = (): string => BigInt(`0x${randomUUID().replaceAll('-', '')}`).toString(36);

const nameOf = (text: string): string => text.slice(Math.max(text.lastIndexOf('\\'), text.lastIndexOf('/')) + 1);

function asEvent({
  image,
  user,
  device,
  target,
  script,
  kind,
  other,
}: ReturnType<typeof made.generate>['value'] & object): BlockEvent {
  const text = {
    start: `${nameOf(image)} started by ${user}: ${target}`,
    open: `${image} opened ${nameOf(target)} on ${device ?? 'a device'}`,
    script: script.length > 60 ? `Script: ${script.slice(0, 60)}…` : `Script: ${script}`,
    plain: other,
    glued: `${image}${user}x${target}`,
  }[kind];
  const digest = Buffer.from(image.padEnd(16).slice(0, 16)).toString('hex').slice(0, 32);
  const document = {
    event: { kind },
    winlog: { Image: image, TargetObject: target, Script: script, Hashes: `MD5=${digest.toUpperCase()}` },
    process: { executable: image, name: nameOf(image), hash: { md5: digest } },
    registry: { value: nameOf(target), key: target.split(/[\\/]/).slice(1, -1).join('\\') },
    user: { name: user },
  };
  return eventOf(text, document, { deviceName: device, userName: user });
}

test('returns texts made of values of their documents, and the documents, as written, and finds every part', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(made, { minLength: 1, maxLength: 60 }), async (all) => {
      const events = all.map((each, n) => ({ ...asEvent(each), at: now + n }));
      const { block, heads, documents, tokens } = await open(events);
      expect(heads.text).toEqual(events.map(({ text }) => text));
      // The newest first, as a page of a search reads them.
      for (let n = events.length - 1; n >= 0; n--) expect(documents.text(n)).toBe(JSON.stringify(events[n]!.document));
      for (const field of [
        ['process', 'name'],
        ['winlog', 'Script'],
        ['registry', 'key'],
        ['user', 'name'],
      ])
        expect(await block.column(field)).toEqual(events.map(({ document }) => valueAt(document, ...field)));
      for (const { text, document } of events.slice(0, 8))
        for (const value of [text, ...stringsOf(document)]) {
          for (const needle of value.toLowerCase().match(searched)?.slice(0, 3) ?? []) {
            const found = documents.candidates(needle);
            for (const [n, event] of events.entries())
              if ([event.text, ...stringsOf(event.document)].some((own) => own.toLowerCase().includes(needle)))
                // Of device and user the heads have the rest.
                expect([needle, n, found[n] === 1 || namesOf(event).includes(needle)]).toEqual([needle, n, true]);
          }
          for (const [word] of value.matchAll(/(?<![\da-z\x80-\uffff])[\da-z]{3,}(?![\da-z\x80-\uffff])/gi))
            expect([word, mayHave(tokens, word.toLowerCase())]).toEqual([word, true]);
        }
    }),
    { numRuns: 120 },
  );
}, 120_000);

test('stores what a text has of its document once', async () => {
  const events = Array.from({ length: 500 }, (_, n) => {
    const [name, target] = [`${randomWord()}.exe`, randomWord()];
    const script = Array.from({ length: 8 }, randomWord).join(' ');
    const document = { image: `C:\\Windows\\${name}`, process: { name }, target, script };
    const text = n % 2 ? `${name} opened ${target}` : `Script: ${script.slice(0, 150)}…`;
    return eventOf(text, document, { at: now + n });
  });
  const { size } = await open(events);
  const plain = await open(events.map((event) => ({ ...event, text: '' })));
  expect(size - plain.size).toBeLessThan(events.length * 3);
});

test('takes no text apart that other values of its layout do not make', async () => {
  const events = Array.from({ length: 60 }, (_, n) => eventOf(`${randomUUID()} of ann`, { user: { name: 'ann' }, n }));
  const { heads, documents } = await open(events);
  expect(heads.text).toEqual(events.map(({ text }) => text));
  for (const [n, { document }] of events.entries()) expect(documents.text(n)).toBe(JSON.stringify(document));
});

test('rejects changed bytes of texts by name, or reads them as written', async () => {
  const events = Array.from({ length: 40 }, (_, n) =>
    eventOf(`${n}.exe opened target ${n % 7}`, { process: { name: `${n}.exe` }, target: `target ${n % 7}` }, { at: now + n }),
  );
  const { body } = await encodeBlock(events);
  let rejected = 0;
  for (let at = 3; at < body.length; at += 3) {
    const changed = Buffer.from(body);
    changed[at] = changed[at]! ^ 0xff;
    try {
      const block = new Block(changed, idsOf(events));
      const [heads, documents] = [await block.heads(), await block.documents()];
      for (const [n, { text, document }] of events.entries()) {
        expect(heads.text[n]).toBe(text);
        expect(documents.text(n)).toBe(JSON.stringify(document));
      }
    } catch (error) {
      expect(error).toBeInstanceOf(CorruptBlockError);
      rejected++;
    }
  }
  expect(rejected).toBeGreaterThan((body.length / 3) * 0.9);
});

test('reads blocks of the third version', async () => {
  const body = Buffer.from(
    'AwZzKLUv/WQFAC0DAHLEEBiQOwc3aCABlrJwq1XsX+tmKap46+ouIRWHURC6nGU1hm9hL254yAWeO7fqKiTKUfBmrJ5Jn0dHSZ+L9HsybR0jowINACAR8B34GPgk519KtWyXaJWD75LO1bCL33kFD5cENtWobSi1L/1kCgC1BABCiR4fUIU6B0x5rL8J3XvyGLGlMLpAu/qyqqNt0AyjidwyBdxVK9DjNExXrSwtigyJZKagWDDEDzvcMMPLch4xOGPs7MmRH9/rM5BfX11f//X599SeOzT7NbiKRKrB2CfMTakj1RN0iarklmqEHdDHE+C1SPVz8cCahPwFAQsAYAvYBzYDW7gMiEoXQBU56AGngEsEBmaBwLcG',
    'base64',
  );
  const ids = Array.from({ length: 6 }, (_, n) => `0123456${n}-89ab-cdef-0123-456789abcdef`);
  const block = new Block(body, idsOf(ids.map((id) => ({ id }))));
  const [heads, documents] = [await block.heads(), await block.documents()];
  for (const [n, id] of ids.entries()) {
    const ingested = now + 9_000 + (n % 2);
    expect([heads.text[n], heads.userName[n], heads.receivedAt[n]]).toEqual([`a${n}.exe started by ann`, 'ann', ingested]);
    expect(documents.text(n)).toBe(
      JSON.stringify({
        '@timestamp': new Date(now + n * 1_000).toISOString(),
        event: { id, ingested: new Date(ingested).toISOString() },
        n,
        host: { name: 'WS-1' },
        image: `C:\\a${n}.exe`,
      }),
    );
  }
  expect([...documents.candidates('a3.exe')]).toEqual([0, 0, 0, 1, 0, 0]);
});
