import { expect, test } from 'vitest';
import { bytesText } from './bytes.ts';

test.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1024, '1 KiB'],
  [1536, '1.5 KiB'],
  [268_435_456, '256 MiB'],
  [5e15, '4547 TiB'],
])('%d bytes', (bytes, text) => {
  expect(bytesText(bytes)).toBe(text);
});
