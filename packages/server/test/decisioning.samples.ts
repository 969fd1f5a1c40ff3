/** Facts for tests of the model: one severe rule, changed as a test needs it. */
import type { CaseFacts, Citation, RuleFact } from '../src/features/decisioning/decisioning.types.ts';

export const sampleCitation: Citation = { alertID: 7, field: 'process.command_line', value: 'x.exe' };

export const sampleRule = (more: Partial<RuleFact> = {}): RuleFact => ({
  ruleId: 1,
  title: 'Odd program',
  criticality: 4,
  confidence: 'medium',
  category: 'Suspicious Execution',
  techniques: ['T1059.001'],
  tactics: ['execution'],
  isOrdered: false,
  at: 1,
  lastAt: 1,
  alerts: 1,
  citation: sampleCitation,
  counted: [],
  details: [],
  device: 'WS-1',
  devices: ['ws-1'],
  users: [],
  addresses: [],
  outcomes: { malicious: 0, benign: 0 },
  firedBefore: 0,
  clearedBefore: 0,
  on: { alertID: 7, field: 'host.name', value: 'WS-1' },
  otherDevices: 0,
  firedAtClient: 5,
  event: `event ${more.ruleId ?? 1}`,
  ...more,
});

export const sampleFacts = (more: Partial<CaseFacts> = {}): CaseFacts => ({
  rules: [sampleRule()],
  indicators: [],
  hour: undefined,
  silent: [],
  ...more,
});
