import { expect, test } from 'vitest';
import { faultOfFile } from './files.ts';

const types = ['image/png', 'image/jpeg', 'image/webp'];
const max = 2 * 1024 * 1024;

test.each([
  [{ type: 'image/png', size: 1 }, undefined],
  [{ type: 'image/webp', size: max }, undefined],
  [{ type: 'image/png', size: max + 1024 * 1024 }, 'This file has 3.0 MiB; at most 2 MiB are taken.'],
  [{ type: 'image/svg+xml', size: 10 }, 'This is no PNG, JPEG or WEBP file.'],
  [{ type: '', size: 10 }, 'This is no PNG, JPEG or WEBP file.'],
  [{ type: 'image/png', size: 0 }, 'This file is empty.'],
])('%j', (file, fault) => {
  expect(faultOfFile(file, types, max)).toBe(fault);
});

test('where browsers name no type, the ending counts', () => {
  const endings = ['.csv', '.json'];
  expect(faultOfFile({ type: '', size: 1, name: 'List.JSON' }, endings, max)).toBeUndefined();
  expect(faultOfFile({ type: 'application/vnd.ms-excel', size: 1, name: 'a.csv' }, endings, max)).toBeUndefined();
  expect(faultOfFile({ type: 'text/csv', size: 1, name: 'a.csv.exe' }, endings, max)).toBe('This is no CSV or JSON file.');
});
