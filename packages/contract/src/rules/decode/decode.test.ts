/** Decoding of published shapes of obfuscation, hostile input, and its bounds. */
import { deflateRawSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { maxLength } from './bytes.ts';
import { narrow, plain, samples, wide } from './decode.samples.ts';
import { decode, maxRounds } from './decode.ts';

/** Generous for a busy machine; the usual time is a tenth of it. */
/** Of processor time for one text. */
const maxMs = 500;

function timed(text: string) {
  const started = process.cpuUsage();
  const decoded = decode(text);
  return { decoded, ms: process.cpuUsage(started).user / 1000 };
}

describe('decode', () => {
  test('reads forty shapes or more', () => expect(samples.length).toBeGreaterThanOrEqual(40));

  test.each(samples)('undoes $shape', ({ text, holds, steps }) => {
    const decoded = decode(text);
    expect(decoded?.text).toContain(holds);
    expect(decoded?.steps).toEqual(steps);
    expect(decoded?.isPartial).toBe(false);
  });

  test.each(samples)('finds nothing further after $shape', ({ text }) => {
    expect(decode(decode(text)!.text)).toBeUndefined();
  });

  test.each(plain)('leaves %s', (text) => expect(decode(text)).toBeUndefined());

  test.each(Array.from('encodedcommand', (_, index) => 'encodedcommand'.slice(0, index + 1)))('reads -%s', (option) => {
    expect(decode(`powershell -${option} ${wide('Get-Process lsass')}`)?.text).toBe(`powershell -${option} Get-Process lsass`);
  });

  test('leaves the data of other options', () => {
    const text = `powershell -EncodedX ${wide('id')}`;
    expect(decode(text)).toBeUndefined();
  });
});

describe('decode of hostile input', () => {
  test('stops in Base64 of Base64, fifty times', () => {
    let text = 'whoami';
    // Each layer grows by a third: the innermost that fit.
    for (let layer = 0; layer < 50 && text.length < maxLength / 2; layer++) text = narrow(text);
    const { decoded, ms } = timed(`echo ${text} | base64 -d`);
    expect(decoded?.isPartial).toBe(true);
    expect(decoded!.steps.length).toBeLessThanOrEqual(maxRounds);
    expect(ms).toBeLessThan(maxMs);
  });

  test('reads the beginning of fifty layers that are far too long', () => {
    let text = 'A'.repeat(30);
    for (let layer = 0; layer < 50 && text.length < 4_000_000; layer++) text = narrow(text);
    const { decoded, ms } = timed(text);
    expect(decoded?.isPartial).toBe(true);
    expect(decoded!.text.length).toBeLessThanOrEqual(maxLength);
    expect(ms).toBeLessThan(maxMs);
  });

  test('bounds a bomb of gzip, and one of deflate', () => {
    const zeros = Buffer.alloc(50_000_000, 'a');
    for (const bomb of [gzipSync(zeros), deflateRawSync(zeros)]) {
      const { decoded, ms } = timed(`[IO.Compression.DeflateStream] FromBase64String('${narrow(bomb)}')`);
      expect(decoded?.isPartial).toBe(true);
      expect(decoded!.text.length).toBeLessThanOrEqual(maxLength);
      expect(ms).toBeLessThan(maxMs);
    }
  });

  test('bounds many bombs in one text', () => {
    const bomb = narrow(gzipSync(Buffer.alloc(20_000, 'b')));
    const { decoded, ms } = timed(Array.from({ length: 1_000 }, () => bomb).join(' '));
    expect(decoded!.text.length).toBeLessThanOrEqual(maxLength);
    expect(ms).toBeLessThan(maxMs);
  });

  test('replaces lone surrogates of UTF-16', () => {
    const bytes = Buffer.concat([Buffer.from('whoami /all ', 'utf16le'), Buffer.from([0x00, 0xd8, 0x41, 0x00])]);
    const decoded = decode(`powershell -enc ${narrow(bytes)}`);
    expect(decoded?.text).toBe('powershell -enc whoami /all \ufffdA');
  });

  test('leaves bytes that are no text', () => {
    for (const bytes of [
      Buffer.alloc(60, 0xff),
      Buffer.from('MZ\u0090\0\u0003\0\0\0\u0004\0', 'latin1'),
      Buffer.from([0x1f, 0x8b, 8, 0, 1, 2]),
    ])
      expect(decode(`powershell -enc ${narrow(bytes)}`)).toBeUndefined();
  });

  test.each([
    ['letters', 'aB1'.repeat(350_000)],
    ['digits and commas', '1,'.repeat(500_000)],
    ['numbers, then a letter', `char ${'1,'.repeat(4_999)}x`],
    ['hexadecimal digits', 'a1'.repeat(500_000)],
    ['quotes', `'+`.repeat(350_000)],
    ['open quotes with spaces', `'a' ${' '.repeat(90)}`.repeat(10_000)],
    ['joined strings', `'a'+`.repeat(250_000)],
    ['braces', `'${'{0}'.repeat(300_000)}' -f 'aaaa'`],
    ['a format that grows', `"${'{0}'.repeat(15_000)}" -f "${'{0}'.repeat(100)}","b"`],
    ['carets', '^a'.repeat(500_000)],
    ['only carets', '^'.repeat(1_000_000)],
    ['backticks', 'a`'.repeat(500_000)],
    ['percents', '%41'.repeat(350_000)],
    ['percents of percents', `%${'25'.repeat(30_000)}41`],
    ['options', '-e '.repeat(350_000)],
    ['options with long names', `-${'e'.repeat(500_000)} ${'A'.repeat(500_000)}`],
    ['char calls', '[char](65)+'.repeat(90_000)],
    ['open char calls', '[char]('.repeat(150_000)],
    ['chr calls', 'chr(65)&'.repeat(120_000)],
    ['escapes', '\\x41'.repeat(250_000)],
    ['spaces', `base64 ${' '.repeat(1_000_000)}x`],
  ])('is quick on a megabyte of %s', (_, text) => {
    const { decoded, ms } = timed(text);
    expect(decoded?.text.length ?? 0).toBeLessThanOrEqual(maxLength);
    expect(ms).toBeLessThan(maxMs);
  });
});

/** Pieces that encodings are made of, in any order, and encoded texts. */
const piece = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom(
    ...[
      "'",
      '"',
      '\\"',
      '+',
      ' -f ',
      '{0}',
      '{1}',
      '^',
      '`',
      '%',
      '%41',
      '\\x41',
      '[char]',
      '[char[]]',
      '(',
      ')',
      ',',
      '0x41',
      '65',
    ],
    ...['chr(', ' -e ', ' -enc ', 'base64 ', 'xxd ', 'gzip ', 'deflate ', 'H4sI', 'eJw', '//4', '=='],
  ),
  fc.string().map((text) => wide(text)),
  fc.string().map((text) => narrow(text)),
  fc.uint8Array({ maxLength: 60 }).map((bytes) => narrow(Buffer.from(bytes))),
  fc.string().map((text) => narrow(gzipSync(text))),
  fc.string().map((text) => Buffer.from(text).toString('hex')),
  fc.string().map((text) => encodeURIComponent(text.toWellFormed())),
);

test('decode of any text ends, stays within its bounds, and leaves nothing to decode', { timeout: 60_000 }, () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const text = pieces.join('');
      const decoded = decode(text);
      if (!decoded) return;
      expect(decoded.text).not.toBe(text);
      expect(decoded.text.length).toBeLessThanOrEqual(maxLength);
      expect(decoded.text.isWellFormed()).toBe(true);
      expect(decoded.steps.length).toBeGreaterThan(0);
      expect(decode(text)).toEqual(decoded);
      if (!decoded.isPartial) expect(decode(decoded.text)).toBeUndefined();
    }),
    { numRuns: 3_000 },
  );
});
