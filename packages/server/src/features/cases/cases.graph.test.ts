import { type CaseGraph, caseGraph } from '@parapet/contract/caseGraph.ts';
import { casesApi } from '@parapet/contract/cases.ts';
import { hourMs } from '@parapet/contract/rules/duration.ts';
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { casesWorld } from '../../../test/cases.fixture.ts';
import { type SeededCase, seedCase, seedRule } from '../../../test/seed.ts';
import { scoped } from '../../core/db/scope.ts';
import { packAlertEvents } from '../../domain/alertEvents.pack.ts';
import { type GraphEvent, maxGraphEvents } from './cases.graph.store.ts';
import { buildGraph } from './cases.graph.ts';

const start = Date.parse('2026-11-20T10:00:00Z');
const nothing = {
  ...{ hostName: 'WS-01', hostIps: null, category: 'process', type: 'start', action: null, outcome: null, code: null },
  ...{ processId: null, pid: null, processName: null, executable: null, commandLine: null },
  ...{ parentId: null, parentPid: null, parentName: null, parentExecutable: null, parentCommandLine: null, sha256: null },
  ...{ userName: null, userDomain: null, targetUserName: null, targetUserDomain: null },
  ...{ effectiveUserName: null, effectiveUserDomain: null, sourceIps: null, destinationIps: null, resolvedIps: null },
  ...{ destinationName: null, destinationPort: null, direction: null, question: null, urlDomain: null, url: null },
  ...{ filePath: null, fileName: null, fileSha256: null, libraryPath: null, registryPath: null, registryData: null },
  ...{ serviceName: null, targetImage: null, targetPid: null, alertDevice: 'WS-01', alertUser: null },
};
let next = 0;
const event = (more: Partial<GraphEvent>): GraphEvent => {
  next++;
  return {
    ...nothing,
    at: new Date(start + next * 1000),
    alertId: next,
    rule: `Rule ${next}`,
    tactics: ['execution'],
    criticality: 3,
    ...more,
  };
};
const program = (path: string, pid: string | null, id: string | null = null) => ({ executable: path, pid, processId: id });
const by = (path: string, pid: string | null, id: string | null = null) => ({
  parentExecutable: path,
  parentPid: pid,
  parentId: id,
});

/** `from action to` of every edge, in order. */
const sentences = ({ nodes, edges }: CaseGraph) =>
  edges.map(({ from, to, action }) => `${nodes[from]!.label} ${action} ${nodes[to]!.label}`);
const nodeOf = ({ nodes }: CaseGraph, label: string) => nodes.find((node) => node.label === label)!;

describe('buildGraph', () => {
  test('draws processes as a tree below their device, with the user at its root', () => {
    const graph = buildGraph([
      event({
        ...program('C:\\Windows\\winword.exe', '10', '{a}'),
        ...by('C:\\Windows\\explorer.exe', '5', '{e}'),
        userName: 'ann',
      }),
      event({
        ...program('C:\\Windows\\powershell.exe', '11', '{b}'),
        ...by('C:\\Windows\\winword.exe', '10', '{a}'),
        userName: 'ALDER\\ann',
        commandLine: 'powershell -enc AAAA',
        criticality: 5,
        tactics: ['command-and-control', 'execution'],
      }),
      event({ ...program('whoami.exe', '12'), ...by('powershell.exe', '11'), userName: 'ann@alder.example' }),
    ]);
    expect(sentences(graph)).toEqual([
      'WS-01 ran explorer.exe',
      'explorer.exe started winword.exe',
      'ann ran winword.exe',
      'winword.exe started powershell.exe',
      'powershell.exe started whoami.exe',
    ]);
    const powershell = nodeOf(graph, 'powershell.exe');
    expect(powershell).toMatchObject({
      kind: 'process',
      value: 'C:\\Windows\\powershell.exe',
      severity: 'critical',
      tactics: ['Execution', 'Command and Control'],
      alertCount: 1,
      parent: nodeOf(graph, 'winword.exe').id,
    });
    expect(powershell.facts).toContainEqual({ name: 'Command line', value: 'powershell -enc AAAA' });
    expect(nodeOf(graph, 'WS-01').parent).toBeNull();
    // The same person in three notations.
    expect(graph.nodes.filter(({ kind }) => kind === 'user')).toHaveLength(1);
  });

  test('tells a reused process ID and processes of other devices apart', () => {
    const graph = buildGraph([
      event(program('a.exe', '7')),
      event(program('b.exe', '7')),
      event({ ...program('a.exe', '7'), hostName: 'WS-02', alertDevice: 'WS-02' }),
      event(program('c.exe', '8', '{one}')),
      event(program('c.exe', '8', '{two}')),
    ]);
    expect(graph.nodes.filter(({ kind }) => kind === 'process').map(({ label }) => label)).toEqual([
      'a.exe',
      'b.exe',
      'a.exe',
      'c.exe',
      'c.exe',
    ]);
  });

  test('connects processes with addresses, names, files and registry keys', () => {
    const of = program('C:\\x\\evil.exe', '20', '{x}');
    const graph = buildGraph([
      event({ ...of, question: 'c2.example', resolvedIps: ['203.0.113.9'], category: 'network' }),
      event({ ...of, destinationIps: '203.0.113.9', destinationPort: '443', direction: 'egress', category: 'network' }),
      event({ ...of, filePath: 'C:\\x\\note.txt', category: 'file', type: '["creation"]' }),
      event({ ...of, registryPath: 'HKLM\\Run\\Evil', registryData: '["x"]', category: 'registry', type: 'change' }),
      event({ ...of, targetImage: 'C:\\Windows\\lsass.exe', targetPid: '600', code: '10' }),
    ]);
    expect(sentences(graph)).toEqual(
      [
        'WS-01 ran evil.exe',
        'c2.example resolved to 203.0.113.9',
        'evil.exe looked up c2.example',
        'WS-01 ran lsass.exe',
        'evil.exe connected to 203.0.113.9',
        'evil.exe created note.txt',
        'evil.exe changed Evil',
        'evil.exe opened lsass.exe',
      ].toSorted((a, b) => sentences(graph).indexOf(a) - sentences(graph).indexOf(b)),
    );
    expect(nodeOf(graph, '203.0.113.9').facts).toContainEqual({ name: 'Port', value: '443' });
  });

  test('draws one node for all names of a person', () => {
    const named = (userName: string, userDomain: string | null, pid: string) =>
      event({ ...program('C:\\a.exe', pid), userName, userDomain });
    const events = [named('ann', 'ALDER', '1'), named('a.lee@mail.example', null, '2'), named('ann', null, '3')];
    const names = ['ALDER\\ann', 'a.lee@mail.example', 'ann@alder.example'];
    const usersOf = ({ nodes }: CaseGraph) => nodes.filter(({ kind }) => kind === 'user').map(({ value }) => value);
    expect(usersOf(buildGraph(events))).toHaveLength(2);
    expect(usersOf(buildGraph(events, new Map(names.map((name) => [name, 'ann@alder.example']))))).toEqual(['ann@alder.example']);
  });

  test('follows a sign-in from one device of the case to another, and loops', () => {
    const signIn = (from: string, to: string) =>
      event({
        hostName: to,
        alertDevice: to,
        hostIps: [to === 'WS-01' ? '10.0.0.1' : '10.0.0.2'],
        sourceIps: [from],
        userName: 'ann',
        category: 'authentication',
        outcome: 'success',
      });
    const graph = buildGraph([signIn('203.0.113.5', 'WS-01'), signIn('10.0.0.1', 'DC-01'), signIn('10.0.0.2', 'WS-01')]);
    expect(sentences(graph).sort()).toEqual([
      '203.0.113.5 signed in as ann',
      'DC-01 signed in as ann',
      'WS-01 signed in as ann',
      'ann signed in to DC-01',
      'ann signed in to WS-01',
    ]);
    expectTree(graph);
  });

  test('shows an alert without stored events by its device and user', () => {
    const graph = buildGraph([event({ hostName: null, alertUser: 'ann', category: null, type: null })]);
    expect(sentences(graph)).toEqual(['ann acted on WS-01']);
    expect(nodeOf(graph, 'ann').alertCount).toBe(1);
    expect(buildGraph([event({ alertDevice: null, hostName: null })]).nodes).toEqual([]);
  });

  test('groups similar entities and keeps the severe ones', () => {
    const graph = buildGraph(
      Array.from({ length: 61 }, (_, i) =>
        event({ ...program(`p${i}.exe`, `${100 + i}`), ...by('cmd.exe', '1'), criticality: i === 50 ? 5 : 2 }),
      ),
    );
    const group = graph.nodes.find(({ grouped }) => grouped > 0)!;
    expect(group).toMatchObject({ label: '+37 similar processes', kind: 'process', grouped: 37, alertCount: 37 });
    expect(group.alerts).toHaveLength(5);
    expect(nodeOf(graph, 'p50.exe').severity).toBe('critical');
    expect(graph.nodes).toHaveLength(2 + 24 + 1);
    expect(graph.edges.find(({ to }) => to === group.id)).toMatchObject({ action: 'started', count: 37 });
  });

  test.each([
    ['a chain', (i: number) => ({ ...program(`c${i}`, `${i + 1}`), ...by(`c${i - 1}`, `${i}`) })],
    ['devices', (i: number) => ({ hostName: `h${i}`, alertDevice: `h${i}`, alertUser: 'ann' })],
    ['addresses', (i: number) => ({ destinationIps: `203.0.${i >> 8}.${i & 255}`, direction: 'egress' })],
  ])('fits %s of 5,000 events into 500 nodes', (_name, more) => {
    const all = Array.from({ length: maxGraphEvents + 1 }, (_, i) => event(more(i)));
    const graph = buildGraph(all);
    expect(caseGraph.parse(graph)).toEqual(graph);
    expect(graph).toMatchObject({ events: maxGraphEvents, isPartial: true });
    expectTree(graph);
    const entities = graph.nodes.reduce((sum, { grouped }) => sum + Math.max(1, grouped), 0);
    expect(entities).toBeGreaterThanOrEqual(maxGraphEvents);
  });

  test('bounds hostile text', () => {
    const hostile = `\u202e<img src=x onerror=alert(1)>${'😀'.repeat(5_000)}`;
    const graph = buildGraph([event({ executable: hostile, commandLine: hostile, userName: hostile, rule: hostile })]);
    expect(caseGraph.parse(graph)).toEqual(graph);
    expect(JSON.stringify(graph).isWellFormed()).toBe(true);
    expect(graph.nodes.every(({ label }) => label.length <= 200)).toBe(true);
  });

  test('builds a tree without cycles, within its contract, whatever the order of events', () => {
    const name = fc.constantFrom('a', 'b', 'c', 'd', null);
    const pid = fc.constantFrom('1', '2', '3', null);
    const ip = fc.constantFrom('10.0.0.1', '10.0.0.2', '203.0.113.1', ['10.0.0.3', 7], null);
    const anyEvent = fc
      .record({
        hostName: fc.constantFrom('h1', 'h2', 'h3'),
        category: fc.constantFrom('process', 'authentication', 'network', 'iam', null),
        executable: name,
        pid,
        parentExecutable: name,
        parentPid: pid,
        userName: fc.constantFrom('u1', 'D\\u1', 'u2@d.example', 'SYSTEM', '', null),
        targetUserName: fc.constantFrom('u1', 'u2', null),
        hostIps: ip,
        sourceIps: ip,
        destinationIps: ip,
        resolvedIps: ip,
        question: name,
        filePath: name,
        code: fc.constantFrom('10', null),
        targetImage: name,
        targetPid: pid,
        tactics: fc.anything(),
        criticality: fc.integer({ min: 1, max: 5 }),
      })
      .map((more) => event({ ...more, alertDevice: more.hostName }));
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 60 }), fc.nat(), (events, turn) => {
        const graph = buildGraph(events);
        expect(caseGraph.parse(graph)).toEqual(graph);
        expectTree(graph);
        const cut = events.length === 0 ? 0 : turn % events.length;
        expect(buildGraph([...events.slice(cut), ...events.slice(0, cut)])).toEqual(graph);
      }),
      { numRuns: 300 },
    );
  });
});

/** Every node reaches a root, edges are in order of time and have no duplicates. */
function expectTree({ nodes, edges }: CaseGraph): void {
  for (const [index, node] of nodes.entries()) {
    expect(node.id).toBe(index);
    let steps = 0;
    for (let at: number | null = node.id; at !== null; at = nodes[at]!.parent) expect(steps++).toBeLessThanOrEqual(nodes.length);
  }
  for (const { from, to } of edges) expect(from).not.toBe(to);
  expect(new Set(edges.map(({ from, to, action }) => `${from} ${action} ${to}`)).size).toBe(edges.length);
  expect(edges.map(({ firstTime }) => firstTime)).toEqual(edges.map(({ firstTime }) => firstTime).sort());
}

describe('cases.graph', async () => {
  const { t, client, sibling, analyst, clientAnalyst, stranger, ok, statusOf } = await casesWorld();
  let made: SeededCase;
  beforeAll(async () => {
    const rule = await seedRule(t.db, { title: 'Encoded command', criticality: 4 });
    made = await seedCase(t.db, {
      organisationId: client,
      at: Date.now() - 5 * hourMs,
      alerts: [1, 2].map((i) => ({ at: Date.now() - i * hourMs, rule, device: 'WS-1', user: 'ann' })),
    });
    const document = {
      host: { name: 'WS-1', ip: ['10.1.1.1'] },
      process: {
        pid: 44,
        name: 'powershell.exe',
        executable: 'powershell.exe',
        command_line: 'x'.repeat(10_000),
        parent: { pid: 4, name: 'cmd.exe' },
      },
      user: { name: 'ann' },
    };
    await scoped(t.db, 'system', async (tx) => {
      const [{ id, at }] = [made.alerts[0]!];
      await sql`insert into alert_events (organisation_id, alert_id, alert_at, event_id, event_at, text, why, document, is_recent)
        select organisation_id, id, at, gen_random_uuid(), at, 'started', '{}', ${JSON.stringify(document)}::jsonb, true from alerts
        where id = ${id} and at = ${new Date(at)}`.execute(tx);
    });
    expect(await packAlertEvents(t.db, Date.now() + 7_200_000, 60_000)).toBe(1);
  });
  afterAll(() => t.close());
  const input = () => ({ params: { caseId: made.id } });

  test('returns the graph of a case to its analysts and its client', async () => {
    for (const user of [analyst, clientAnalyst]) {
      const graph = await ok(casesApi.graph, input(), user);
      expect(sentences(graph)).toEqual(
        expect.arrayContaining(['WS-1 ran cmd.exe', 'cmd.exe started powershell.exe', 'ann acted on WS-1']),
      );
      const shown = nodeOf(graph, 'powershell.exe');
      expect(shown.alerts).toEqual([{ id: made.alerts[0]!.id, rule: 'Encoded command', criticality: 'high' }]);
      expect(shown.facts[0]).toEqual({ name: 'Command line', value: 'x'.repeat(2_000) });
      expect(graph).toMatchObject({ events: 2, isPartial: false, omittedEdges: 0 });
    }
  });

  test('returns 401 without sign-in and 404 for other tenants', async () => {
    const neighbour = await t.user({ organisationId: sibling, role: 'Administrator' });
    expect(await statusOf(casesApi.graph, input())).toBe(401);
    expect(await statusOf(casesApi.graph, input(), stranger)).toBe(404);
    expect(await statusOf(casesApi.graph, input(), neighbour)).toBe(404);
    expect(await statusOf(casesApi.graph, { params: { caseId: 2_000_000_000 } }, analyst)).toBe(404);
  });
});
