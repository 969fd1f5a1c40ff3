import type { MatrixTactic } from '@parapet/contract/attack.ts';
import { describe, expect, test } from 'vitest';
import {
  type Cell,
  columnsOf,
  heatOf,
  linesOf,
  sentenceOf,
  stepFrom,
  tableOf,
  techniquesWith,
  techniquesWithRules,
} from './matrix.ts';

const cell = (id: string, more: Partial<Cell> = {}): Cell => ({
  id,
  name: `Technique ${id}`,
  count: 0,
  before: 0,
  criticality: 0,
  rules: 0,
  liveRules: 0,
  blockedRules: 0,
  coverage: 'none' as const,
  sources: [],
  missing: [],
  recordings: 0,
  provedBy: null,
  ...more,
});
const technique = (id: string, more = {}, subtechniques: ReturnType<typeof cell>[] = []) => ({
  ...cell(id, more),
  subtechniques,
});
const tactics: MatrixTactic[] = [
  {
    id: 'TA1',
    name: 'First',
    count: 3,
    techniques: [
      technique('T1', { count: 3, rules: 1, liveRules: 1, coverage: 'seen' }, [cell('T1.001', { count: 3 }), cell('T1.002')]),
      technique('T2', { rules: 2, coverage: 'blind' }),
      technique('T3'),
    ],
  },
  { id: 'TA2', name: 'Second', count: 0, techniques: [technique('T4')] },
  { id: 'TA3', name: 'Third', count: 0, techniques: [technique('T5', { before: 2 })] },
];
const ids = (columns: ReturnType<typeof columnsOf>) => columns.map(({ cells }) => cells.map(({ id }) => id));

describe('matrix', () => {
  test('filters techniques by alerts, by rules, or not at all', () => {
    expect(ids(columnsOf(tactics, 'seen', false))).toEqual([['T1'], ['T5']]);
    expect(ids(columnsOf(tactics, 'known', false))).toEqual([['T1', 'T2'], ['T5']]);
    expect(ids(columnsOf(tactics, 'all', true))).toEqual([['T1', 'T1.001', 'T1.002', 'T2', 'T3'], ['T4'], ['T5']]);
  });

  test('moves between cells by arrow keys', () => {
    const columns = columnsOf(tactics, 'known', false);
    const from = (id: string, key: string) =>
      stepFrom(columns, columns.flatMap(({ cells }) => cells).find((each) => each.id === id)!, key)?.id;
    expect([from('T1', 'ArrowDown'), from('T1', 'ArrowUp'), from('T2', 'ArrowRight'), from('T5', 'ArrowLeft')]).toEqual([
      'T2',
      undefined,
      'T5',
      'T1',
    ]);
    expect([from('T1', 'End'), from('T2', 'Home'), from('T5', 'ArrowRight'), from('T1', 'x')]).toEqual([
      'T2',
      'T1',
      undefined,
      undefined,
    ]);
  });

  test('scales heat by order of magnitude', () => {
    expect(heatOf(0, 100)).toBe(0);
    expect(heatOf(1, 1)).toBe(1);
    expect(heatOf(1, 100)).toBeCloseTo(0.15);
    expect(heatOf(10, 100)).toBeCloseTo(0.575);
    expect(heatOf(100, 100)).toBe(1);
  });

  test('describes cells as text and as a table', () => {
    const columns = columnsOf(tactics, 'seen', false);
    expect(sentenceOf(columns[0]!.cells[0]!, true)).toBe(
      'T1 Technique T1: 3 alerts, 0 in the comparison timeframe; detected, 1 of 1 rule can match',
    );
    expect(tableOf(columns, true).rows[1]).toEqual(['T5', 'Technique T5', 'Third', 0, 2, 0, 0, 0, 'no rules']);
    expect(tableOf(columns, false).head).not.toContain('Before');
  });

  test('lists the techniques with rules once each, with their sources, and finds them by all words', () => {
    const source = { logSource: 'linux / auditd', isLive: true, rules: 1, devices: 1, lastEventAt: null, connectors: [] };
    const missing = {
      field: 'CommandLine',
      logSource: 'x',
      code: null,
      lastSeenTime: null,
      events: 100,
      sinceTime: '',
      rules: 1,
      connectors: [],
    };
    const ofRules = techniquesWithRules({
      tactics: [
        ...tactics,
        {
          id: 'TA4',
          name: 'Fourth',
          count: 0,
          techniques: [
            technique('T2', { rules: 2 }),
            technique('T0', { rules: 1, sources: [0], missing: [0], provedBy: 'Cron job added' }),
          ],
        },
      ],
      sources: [source],
      missing: [missing],
    });
    expect(ofRules.map(({ id, sources }) => [id, sources])).toEqual([
      ['T0', ['linux / auditd']],
      ['T1', []],
      ['T2', []],
    ]);
    expect(techniquesWith(ofRules, 'commandline').map(({ id, missing }) => [id, missing])).toEqual([['T0', ['CommandLine']]]);
    expect(techniquesWith(ofRules, 'auditd CRON').map(({ id }) => id)).toEqual(['T0']);
    expect(techniquesWith(ofRules, 'cron windows')).toEqual([]);
    expect(techniquesWith(ofRules, '')).toHaveLength(3);
  });

  test.each([
    ['Phishing', 16, ['Phishing']],
    ['Command and Scripting Interpreter', 16, ['Command and', 'Scripting…']],
    ['Supercalifragilistic', 8, ['Superca…']],
  ])('writes %j in lines of %d', (name, width, lines) => {
    expect(linesOf(name, width).every((line) => line.length <= width)).toBe(true);
    expect(linesOf(name, width)[0]).toBe(lines[0]);
    expect(linesOf(name, width)).toHaveLength(lines.length);
  });
});
