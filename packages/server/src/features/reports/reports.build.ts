/** Builds the one object behind screen, PDF, CSV, workbook and email. Pure: equal facts give equal reports. */
import type { Report } from '@parapet/contract/reports.ts';
import { type Facts, totalOf } from './reports.facts.ts';
import { monthName } from './reports.months.ts';
import { nameBefore, notKept } from './reports.parts.ts';
import { recommendationsOf } from './reports.recommendations.ts';
import { balanceSection, devicesSection } from './reports.sections.sources.ts';
import {
  alertsSection,
  caseListSection,
  casesSection,
  coverageSection,
  responseSection,
  riskSection,
  targetsSection,
  vulnerabilitiesSection,
} from './reports.sections.ts';
import { compared, counted, number } from './reports.words.ts';

/** Plain-language summary of the month for readers who read nothing else. */
function summaryOf(facts: Facts, recommendations: number): string[] {
  const { cases, alerts, risk, balance } = facts;
  const total = totalOf(alerts.now);
  const before = facts.hasBefore ? totalOf(alerts.before) : null;
  const month = monthName(facts.month);
  const done = facts.responses.now.reduce((sum, row) => sum + row.done, 0);
  const isComplete = facts.range.end <= facts.now;
  if (total + cases.now.opened + cases.now.closed + cases.now.openAtEnd + balance.now.received === 0)
    return [
      ...(facts.isPast ? [notKept] : []),
      `Nothing ${facts.isPast ? 'that is kept ' : ''}was received from ${facts.client.name} in ${month}, and no alerts or cases resulted. ${
        facts.devices.reporting.every(({ total }) => total === 0) ? 'No device is connected yet.' : 'Check the devices below.'
      }`,
    ];
  const verdict =
    cases.now.malicious > 0
      ? `${counted(cases.now.malicious, 'case')} ${cases.now.malicious === 1 ? 'was' : 'were'} found malicious.`
      : cases.now.opened > 0
        ? 'None of the cases opened was found malicious.'
        : 'No case was opened.';
  const [last] = risk.days.slice(-1);
  return [
    ...(isComplete ? [] : [`${month} is not over: figures so far.`]),
    `In ${month}, ${counted(balance.now.received, 'event')} from ${facts.client.name} ${balance.now.received === 1 ? 'was' : 'were'} received and ${counted(total, 'alert')} ${total === 1 ? 'was' : 'were'} raised${compared(total, before, nameBefore(facts))}. They led to ${counted(cases.now.opened, 'new case')}; ${number(cases.now.closed)} ${cases.now.closed === 1 ? 'was' : 'were'} closed. ${verdict}`,
    `${done > 0 ? `${counted(done, 'response')} ${done === 1 ? 'was' : 'were'} executed and verified. ` : ''}${
      cases.now.openAtEnd === 0
        ? `No case ${isComplete ? 'was open at the end of the month' : 'is open'}.`
        : `${counted(cases.now.openAtEnd, 'case')} ${
            isComplete
              ? `${cases.now.openAtEnd === 1 ? 'was' : 'were'} open at the end of the month`
              : `${cases.now.openAtEnd === 1 ? 'is' : 'are'} open`
          }${cases.now.waiting > 0 ? `, ${number(cases.now.waiting)} of them now waiting for you` : ''}.`
    }`,
    ...(last
      ? [
          `The risk score ${isComplete ? 'was' : 'is'} ${number(last.riskScore)}, on a scale from 100 (best) to 1,000 (worst)${
            risk.before
              ? last.riskScore === risk.before.riskScore
                ? ', unchanged'
                : `, ${last.riskScore < risk.before.riskScore ? 'better' : 'worse'} than the ${number(risk.before.riskScore)} of the month before`
              : ''
          }.`,
        ]
      : []),
    recommendations > 0
      ? `${counted(recommendations, 'recommendation')} ${recommendations === 1 ? 'follows' : 'follow'} from these figures.`
      : 'No recommendations follow from these figures.',
  ];
}

export function buildReport(facts: Facts): Report {
  const recommendations = recommendationsOf(facts);
  const sections = [
    alertsSection(facts),
    casesSection(facts),
    caseListSection(facts),
    responseSection(facts),
    targetsSection(facts),
    riskSection(facts),
    coverageSection(facts),
    vulnerabilitiesSection(facts),
    devicesSection(facts),
    balanceSection(facts),
  ];
  return {
    clientOrganizationID: facts.client.id,
    clientOrganizationName: facts.client.name,
    year: facts.month.year,
    month: facts.month.month,
    isComplete: facts.range.end <= facts.now,
    madeAt: new Date(facts.now).toISOString(),
    timeZone: facts.client.timeZone,
    summary: summaryOf(facts, recommendations.length),
    sections: sections.filter((section) => section !== undefined),
    recommendations,
  };
}
