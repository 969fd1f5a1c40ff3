import { describe, expect, test } from 'vitest';
import { identifierOf, type Known, mergesOf, pairKey, shortNameOf } from './identity.rules.ts';

let number = 0;
const device = (
  name: string,
  more: Partial<Omit<Known, 'identifiers' | 'vouched'>> & Partial<Known['identifiers']> = {},
): Known => {
  const { serial = [], cloud = [], directory = [], ...rest } = more;
  return {
    id: name,
    members: [name],
    names: [name],
    identifiers: { serial, cloud, directory },
    // An agent alone reports these.
    vouched: more.hasAgent ? { serial: [], cloud: [], directory: [] } : { serial, cloud, directory },
    hasAgent: false,
    isListed: true,
    createdAt: number++,
    ...rest,
  };
};
const rulesOf = (devices: Known[], separated: string[] = []) =>
  mergesOf(devices, new Set(separated)).map(({ target, duplicate, rule }) => `${duplicate} → ${target} by ${rule}`);

describe('identifierOf', () => {
  test.each([
    'To Be Filled By O.E.M.',
    'Default string',
    'System Serial Number',
    'Not Specified',
    'N/A',
    '0',
    '00000000',
    'None',
    ' . . ',
    '00000000-0000-0000-0000-000000000000',
    'x'.repeat(101),
    '',
    null,
  ])('identifies nothing by %s', (text) => {
    expect(identifierOf(text)).toBeUndefined();
  });
  test('ignores case and spaces', () => {
    expect(identifierOf('  VMware-56  4D 1a ')).toBe('vmware-56 4d 1a');
  });
});

test.each([
  ['WEB01.corp.example', 'web01'],
  ['Alder-WS-028', 'alder-ws-028'],
  ['10.1.2.3', undefined],
  ['fe80::1', undefined],
  ['localhost.localdomain', undefined],
  ['ubuntu', undefined],
  ['Okta · alder.example', undefined],
  ['<script>', undefined],
  ['-x', undefined],
  ['', undefined],
])('derives of %s the host name %s', (name, short) => {
  expect(shortNameOf(name)).toBe(short);
});

describe('mergesOf', () => {
  test('prefers the stronger rule, and keeps the device with an agent', () => {
    const falcon = device('PC-1.corp.example', { serial: ['s1'] });
    const agent = device('pc-1', { serial: ['s1'], hasAgent: true });
    expect(rulesOf([falcon, agent])).toEqual(['PC-1.corp.example → pc-1 by serial']);
  });
  test('joins by cloud machine, directory object and host name', () => {
    expect(rulesOf([device('a1', { cloud: ['i-1'] }), device('b1', { cloud: ['i-1'] })])).toEqual(['b1 → a1 by cloud']);
    expect(rulesOf([device('a1', { directory: ['d'] }), device('b1', { directory: ['d'] })])).toEqual(['b1 → a1 by directory']);
    expect(rulesOf([device('a1'), device('A1.corp.example')])).toEqual(['A1.corp.example → a1 by name']);
  });
  test('joins agent, endpoint protection and cloud into one', () => {
    const agent = device('web01', { serial: ['s1'], hasAgent: true });
    const edr = device('WEB01.corp.example', { serial: ['s1'], cloud: ['i-1'] });
    const cloud = device('ip-10-0-0-7', { cloud: ['i-1'] });
    expect(rulesOf([cloud, edr, agent])).toEqual(['WEB01.corp.example → web01 by serial', 'ip-10-0-0-7 → web01 by cloud']);
  });
  test('joins nothing of another host name by what only an agent reports', () => {
    const intruder = device('kiosk', { serial: ['s1'], cloud: ['i-1'], hasAgent: true });
    expect(rulesOf([intruder, device('dc01', { serial: ['s1'] }), device('dc02', { cloud: ['i-1'] })])).toEqual([]);
    expect(rulesOf([intruder, device('KIOSK.corp.example', { serial: ['s1'] })])).toEqual([
      'KIOSK.corp.example → kiosk by serial',
    ]);
  });
  test('joins nothing by a weaker rule that a stronger identifier distinguishes', () => {
    expect(rulesOf([device('pc', { serial: ['s1'] }), device('pc1'), device('pc1.corp.example', { serial: ['s2'] })])).toEqual([
      'pc1.corp.example → pc1 by name',
    ]);
    expect(rulesOf([device('pc1', { serial: ['s1'] }), device('pc1.corp.example', { serial: ['s2'] })])).toEqual([]);
    expect(rulesOf([device('a', { serial: ['s1'], cloud: ['c'] }), device('b', { serial: ['s2'], cloud: ['c'] })])).toEqual([]);
  });
  test('joins no two agents, and no host name of two domains', () => {
    expect(rulesOf([device('a', { serial: ['s'], hasAgent: true }), device('b', { serial: ['s'], hasAgent: true })])).toEqual([]);
    expect(rulesOf([device('pc1'), device('pc1.a.example'), device('pc1.b.example')])).toEqual([]);
  });
  test('needs an agent or a vendor that lists one of the names', () => {
    const [short, full] = [device('db1', { isListed: false }), device('db1.corp.example', { isListed: false })];
    expect(rulesOf([short, full])).toEqual([]);
    expect(rulesOf([short, { ...full, isListed: true }])).toEqual(['db1.corp.example → db1 by name']);
  });
  test('joins nothing by an identifier that many devices have', () => {
    expect(rulesOf(Array.from({ length: 5 }, (_, at) => device(`clone-${at}`, { serial: ['same'] })))).toEqual([]);
  });
  test('leaves alone what a person took apart, whatever the rule and the target', () => {
    const [one, other] = [device('a', { serial: ['s'] }), device('b', { serial: ['s'], members: ['b', 'c'] })];
    expect(rulesOf([one, other], [pairKey('c', 'a')])).toEqual([]);
    expect(rulesOf([one, other], [pairKey('c', 'x')])).toEqual(['b → a by serial']);
  });
  test('matches 50,000 devices within two seconds', () => {
    const many = Array.from({ length: 50_000 }, (_, at) =>
      device(at % 2 ? `pc-${at - 1}.corp.example` : `pc-${at}`, { serial: [`s-${at}`.slice(0, at % 3 ? 12 : 4)] }),
    );
    const started = performance.now();
    mergesOf(many, new Set());
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});
