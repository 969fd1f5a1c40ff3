import { describe, expect, test } from 'vitest';
import { firstKeyAt, itemsAt, readYaml, valueAt, withItem, withoutItem, withValue } from './yamlText.ts';

const text = `# why
filebeat.inputs:
  # the first
  - type: filestream
    id: system
    paths:
      - /var/log/auth.log # sign-ins
filebeat:
  registry.path: /x
logging.level: warning
`;
const value = (yaml: string, key: string) => valueAt(readYaml(yaml)!, [], key);

describe('reads', () => {
  test('reads dotted and nested keys', () => {
    expect(value(text, 'logging.level')).toBe('warning');
    expect(value(text, 'filebeat.registry.path')).toBe('/x');
    expect(value('a:\n  b.c:\n    d: [1, 2]\n', 'a.b.c.d')).toEqual([1, 2]);
    expect(value(text, 'logging.to_files')).toBeUndefined();
    expect(itemsAt(readYaml(text)!, 'filebeat.inputs')).toEqual([['filebeat.inputs', 0]]);
    expect(firstKeyAt(readYaml('processors:\n  - drop_event: ~\n')!, ['processors', 0])).toBe('drop_event');
  });

  test('returns undefined for text without settings', () => {
    expect(readYaml('a: [')).toBeUndefined();
    expect(readYaml('- a')).toBeUndefined();
    expect(readYaml('hello')).toBeUndefined();
    expect(value('', 'a')).toBeUndefined();
    expect(value('output:\n', 'output.elasticsearch.worker')).toBeUndefined();
  });
});

describe('writes', () => {
  test('writes a value in place and leaves the rest unchanged', () => {
    expect(withValue(text, [], 'logging.level', 'info')).toBe(text.replace('warning', 'info'));
    expect(withValue(text, ['filebeat.inputs', 0], 'enabled', false)).toBe(
      text.replace('sign-ins\n', 'sign-ins\n    enabled: false\n'),
    );
    expect(withValue(text, ['filebeat.inputs', 0], 'id', undefined)).toBe(text.replace('    id: system\n', ''));
    expect(withValue(text, [], 'filebeat.registry.flush', '1s')).toBe(text.replace('/x\n', '/x\n  registry.flush: 1s\n'));
  });

  test('keeps the style of lists', () => {
    expect(withValue('a: 1\n', [], 'ports', [53, 54])).toBe('a: 1\nports: [ 53, 54 ]\n');
    expect(withValue('a: 1\n', [], 'paths', ['/a', '/b'])).toBe('a: 1\npaths:\n  - /a\n  - /b\n');
    expect(withValue('paths: [/a]\n', [], 'paths', ['/b'])).toBe('paths: [ /b ]\n');
  });

  test('creates missing keys', () => {
    expect(withValue('', [], 'output.elasticsearch.worker', 2)).toBe('output.elasticsearch.worker: 2\n');
    expect(withValue('output:\n', [], 'output.worker', 2)).toContain('worker: 2');
    expect(withValue('# only a word\n', [], 'name', 'x')).toContain('name: x');
    expect(withValue('a: 1\n', [], 'a', undefined)).toBe('');
  });

  test('adds and removes items', () => {
    const more = withItem(text, 'filebeat.inputs', { type: 'tcp', host: '0.0.0.0:9000' });
    expect(itemsAt(readYaml(more)!, 'filebeat.inputs')).toHaveLength(2);
    expect(more).toContain('# the first');
    expect(withoutItem(more, ['filebeat.inputs', 1])).toBe(text);
    expect(withItem('files: []\n', 'files', { path: '/a' })).toBe('files:\n  - path: /a\n');
    expect(withoutItem('files:\n  - path: /a\n', ['files', 0])).toBe('files: []\n');
    expect(withItem('', 'processors', { drop_event: null })).toBe('processors:\n  - drop_event: null\n');
  });

  test('leaves unparseable text unchanged', () => {
    for (const change of [withValue('a: [', [], 'a', 1), withItem('a: [', 'a', {}), withoutItem('a: [', ['a', 0])])
      expect(change).toBe('a: [');
  });
});
