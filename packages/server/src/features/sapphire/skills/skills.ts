/** Table of skills with titles and implementations. All are read-only. */
import type { SapphireSkill } from '@parapet/contract/rules/sapphire.ts';
import { countAlerts, explainAlert, listAlerts } from './alerts.ts';
import { summariseCase } from './cases.one.ts';
import { caseTime, countCases, listCases } from './cases.ts';
import { coverage } from './coverage.ts';
import { countDevices, riskiestDevice } from './devices.ts';
import type { Skill, SkillContext } from './facts.ts';
import { capabilities, howTo, installAgent } from './help.ts';
import { changesSince, comparePeriods, periodSummary } from './periods.ts';
import { responseState, times } from './responses.ts';
import { improveRisk, riskScore } from './risk.ts';
import { topDevices, topRules, topTechniques, topUsers } from './tops.ts';
import { trendOfAlerts, trendOfCases } from './trends.ts';
import { vulnerabilities } from './vulnerabilities.ts';

export interface SkillEntry {
  /** Title of the intent, followed by owner and time in the summary of the parsed question. */
  title: string;
  /** True if a timeframe applies. */
  isTimed: boolean;
  answer: Skill;
  /** Label of the time, when it differs from the question’s. */
  time?: (context: SkillContext) => string;
}

export const skills: Record<SapphireSkill, SkillEntry> = {
  'cases.count': { title: 'Number of cases', isTimed: true, answer: countCases, time: (context) => caseTime(context).label },
  'cases.list': { title: 'List of cases', isTimed: true, answer: listCases, time: (context) => caseTime(context).label },
  'cases.trend': { title: 'Cases over time', isTimed: true, answer: trendOfCases },
  'case.summarise': { title: 'Summary of a case', isTimed: false, answer: summariseCase },
  'alerts.count': { title: 'Number of alerts', isTimed: true, answer: countAlerts },
  'alerts.list': { title: 'List of alerts', isTimed: true, answer: listAlerts },
  'alerts.trend': { title: 'Alerts over time', isTimed: true, answer: trendOfAlerts },
  'alert.explain': { title: 'Explanation of an alert', isTimed: false, answer: explainAlert },
  'top.rules': { title: 'Most common alert types', isTimed: true, answer: topRules },
  'top.devices': { title: 'Devices with the most alerts', isTimed: true, answer: topDevices },
  'top.users': { title: 'Users with the most alerts', isTimed: true, answer: topUsers },
  'top.techniques': { title: 'Most common techniques', isTimed: true, answer: topTechniques },
  'devices.count': { title: 'Number of devices', isTimed: false, answer: countDevices },
  'devices.riskiest': { title: 'Riskiest device', isTimed: true, answer: riskiestDevice },
  'response.state': { title: 'State of responses', isTimed: true, answer: responseState },
  times: { title: 'Times to acknowledge, contain and resolve', isTimed: true, answer: times },
  'risk.score': { title: 'Risk score', isTimed: false, answer: riskScore },
  'risk.improve': { title: 'Risk score improvements', isTimed: false, answer: improveRisk },
  vulnerabilities: { title: 'Vulnerabilities by priority', isTimed: false, answer: vulnerabilities },
  coverage: { title: 'Coverage and blind spots', isTimed: true, answer: coverage },
  'changes.since': { title: 'Changes', isTimed: true, answer: changesSince },
  'compare.periods': { title: 'Comparison of two periods', isTimed: true, answer: comparePeriods },
  'period.summary': { title: 'Summary of a period', isTimed: true, answer: periodSummary },
  'agent.install': { title: 'Installing the agent', isTimed: false, answer: installAgent },
  howto: { title: 'How to use the portal', isTimed: false, answer: howTo },
  capabilities: { title: 'Capabilities', isTimed: false, answer: capabilities },
};
