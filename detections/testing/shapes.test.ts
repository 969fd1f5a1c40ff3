import { normalise } from '@parapet/server/pipeline/normalise/normalise.ts';
import { expect, test } from 'vitest';
import { documentOf, shapeNames } from './shapes.ts';

test.each(shapeNames())('%s is recognised by the normaliser', (name) => {
  const { shape } = normalise(documentOf(name), Date.UTC(2026, 10, 20, 9, 14, 6));
  expect(shape).not.toBe('unknown');
});

test('a renamed program keeps what its file says of itself', () => {
  const { event_data: data } = documentOf('sysmon-1', { Image: 'C:\\Windows\\System32\\net.exe' }).winlog as {
    event_data: object;
  };
  expect(data).toMatchObject({ OriginalFileName: 'net.exe', Description: 'Net Command' });
});

test('throws for an unknown shape and an unknown field', () => {
  expect(() => documentOf('sysmon-99')).toThrow('There is no shape sysmon-99');
  expect(() => documentOf('sysmon-1', { Comandline: 'x' })).toThrow('The event sysmon-1 has no field Comandline.');
});
