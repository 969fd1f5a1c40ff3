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
