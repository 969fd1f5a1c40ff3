import { describe, expect, test } from 'vitest';
import { sampleFacts as facts, sampleRule as rule } from '../../../test/decisioning.samples.ts';
import { decide } from './decisioning.model.ts';
import type { Detail } from './decisioning.signals.ts';
import type { RuleFact } from './decisioning.types.ts';

const detail = (name: Detail['name'], value: string) => ({ details: [{ name, field: name, value }] });
const textsOf = (more: Partial<RuleFact>) =>
  decide(facts({ rules: [rule(more)] }))
    .evidence.map(({ text }) => text)
    .join(' ');

describe('the host behind a container', () => {
  const entered = (command: string) => textsOf({ techniques: ['T1611'], ...detail('process.command_line', command) });

  test.each([
    'docker run -v /:/host alpine chroot /host',
    'nsenter -t 1 -m -u -i -n -p -- id',
    'nsenter --target 1 --mount --uts sh',
    'nsenter -t 1 -a bash',
  ])('counts as entered by %s', (command) => expect(entered(command)).toContain('The command opened a shell of the host'));

  test.each([
    'nsenter -t 4711 -n ip address',
    'nsenter -t 1 -n ip address',
    'nsenter -t 12 -m -- id',
    'docker run -v /data:/data alpine chroot /host',
  ])('counts as left alone by %s', (command) => expect(entered(command)).not.toContain('The command opened a shell of the host'));
});

describe('an internal address', () => {
  const from = (more: Partial<RuleFact>) => textsOf({ ...detail('source.ip', '10.70.5.9'), ...more });
  const text = 'It came from an internal address';

  test('explains guesses and scans, and a guess that succeeded', () => {
    expect(from({ techniques: ['T1046'], tactics: ['discovery'] })).toContain(text);
    expect(from({ techniques: ['T1110.001', 'T1078.003'], tactics: ['credential-access', 'initial-access'] })).toContain(text);
  });

  test('explains no scan of a machine that takes orders from outside', () => {
    expect(from({ techniques: ['T1568.002', 'T1046'], tactics: ['command-and-control', 'discovery'] })).not.toContain(text);
  });
});
