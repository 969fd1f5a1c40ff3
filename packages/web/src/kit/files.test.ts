import { expect, test } from 'vitest';
import { faultOfFile, textOf } from './files.ts';

const types = ['image/png', 'image/jpeg', 'image/webp'];
const max = 2 * 1024 * 1024;

test.each([
  [{ type: 'image/png', size: 1 }, undefined],
  [{ type: 'image/webp', size: max }, undefined],
  [{ type: 'image/png', size: max + 1024 * 1024 }, 'This file has 3.0 MiB; the maximum is 2 MiB.'],
  [{ type: 'image/svg+xml', size: 10 }, 'This isn’t a PNG, JPEG or WEBP file.'],
  [{ type: '', size: 10 }, 'This isn’t a PNG, JPEG or WEBP file.'],
  [{ type: 'image/png', size: 0 }, 'This file is empty.'],
])('%j', (file, fault) => {
  expect(faultOfFile(file, types, max)).toBe(fault);
});

test('where browsers name no type, the ending counts', () => {
  const endings = ['.csv', '.json'];
  expect(faultOfFile({ type: '', size: 1, name: 'List.JSON' }, endings, max)).toBeUndefined();
  expect(faultOfFile({ type: 'application/vnd.ms-excel', size: 1, name: 'a.csv' }, endings, max)).toBeUndefined();
  expect(faultOfFile({ type: 'text/csv', size: 1, name: 'a.csv.exe' }, endings, max)).toBe('This isn’t a CSV or JSON file.');
});

test.each([
  ['UTF-8', Buffer.from('Müller – Ö')],
  ['UTF-8 with its mark', Buffer.from('\ufeffMüller – Ö')],
  ['Windows-1252', Buffer.from([0x4d, 0xfc, 0x6c, 0x6c, 0x65, 0x72, 0x20, 0x96, 0x20, 0xd6])],
  ['UTF-16 LE', Buffer.from('\ufeffMüller – Ö', 'utf16le')],
  ['UTF-16 BE', Buffer.from('\ufeffMüller – Ö', 'utf16le').swap16()],
])('reads a text in %s', async (_, bytes) => {
  expect(await textOf(new Blob([bytes]))).toBe('Müller – Ö');
});
