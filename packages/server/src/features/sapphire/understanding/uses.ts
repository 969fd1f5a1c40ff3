/** Slots that each skill supports. */
import type { SapphireSkill, SapphireSlots } from '@parapet/contract/rules/sapphire.ts';

/** Other slots have no meaning for the skill. */
export const uses: Record<SapphireSkill, readonly (keyof SapphireSlots)[]> = {
  'cases.count': ['clients', 'timeframe', 'severities', 'states', 'device', 'user', 'assigned'],
  'cases.list': ['clients', 'timeframe', 'severities', 'states', 'device', 'user', 'assigned', 'limit'],
  'cases.trend': ['clients', 'timeframe', 'severities', 'states', 'device', 'user', 'assigned', 'bucket'],
  'case.summarise': ['caseId'],
  'alerts.count': ['clients', 'timeframe', 'severities', 'device', 'user', 'rule', 'technique'],
  'alerts.list': ['clients', 'timeframe', 'severities', 'device', 'user', 'rule', 'technique', 'limit'],
  'alerts.trend': ['clients', 'timeframe', 'severities', 'device', 'user', 'rule', 'technique', 'bucket'],
  'alert.explain': ['alertId'],
  'top.rules': ['clients', 'timeframe', 'severities', 'device', 'user', 'technique', 'limit'],
  'top.devices': ['clients', 'timeframe', 'severities', 'user', 'rule', 'technique', 'limit'],
  'top.users': ['clients', 'timeframe', 'severities', 'device', 'rule', 'technique', 'limit'],
  'top.techniques': ['clients', 'timeframe', 'limit'],
  'devices.count': ['clients', 'deviceState', 'limit'],
  'devices.riskiest': ['clients', 'timeframe', 'device', 'limit'],
  'response.state': ['clients', 'timeframe', 'device', 'user', 'caseId'],
  times: ['clients', 'timeframe', 'severities'],
  'risk.score': ['clients', 'timeframe'],
  'risk.improve': ['clients', 'limit'],
  vulnerabilities: ['clients', 'severities', 'cve', 'device', 'limit'],
  coverage: ['clients', 'timeframe', 'technique'],
  'changes.since': ['clients', 'timeframe'],
  'compare.periods': ['clients', 'timeframe', 'before', 'metric', 'severities', 'states', 'device', 'user', 'rule', 'technique'],
  'period.summary': ['clients', 'timeframe'],
  'agent.install': ['platform'],
  howto: [],
  capabilities: [],
};

export const slotsFor = (skill: SapphireSkill, slots: SapphireSlots): SapphireSlots =>
  Object.fromEntries(uses[skill].flatMap((name) => (slots[name] === undefined ? [] : [[name, slots[name]]])));
