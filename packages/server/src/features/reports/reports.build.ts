/** Builds the one object behind screen, PDF, CSV, workbook and email. Pure: equal facts give equal reports. */
import type { Report } from '@parapet/contract/reports.ts';
import { type Facts, totalOf } from './reports.facts.ts';
import { monthName } from './reports.months.ts';
import { nameBefore, pastRetentionText } from './reports.parts.ts';
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
import { compared, counted, countedWas, is, number, sentences, was } from './reports.words.ts';

/** Plain-language summary of the month for readers who read nothing else. */
function summaryOf(facts: Facts, recommendations: number): string[] {
  const { cases, alerts, balance } = facts;
  const total = totalOf(alerts.now);
  const { opened, closed, openAtEnd } = cases.now;
  const month = monthName(facts.month);
  const notOver = !isComplete(facts) && `${month} is not over: figures so far.`;
  if (total + opened + closed + openAtEnd + balance.now.received === 0)
    return sentences(facts.isPast && pastRetentionText, notOver, nothingText(facts));
  const more = compared(total, facts.hasBefore ? totalOf(alerts.before) : null, nameBefore(facts));
  return sentences(
    notOver,
    `In ${month}, ${counted(balance.now.received, 'event')} from ${facts.client.name} ${was(balance.now.received)} received and ${countedWas(total, 'alert')} raised${more}. They led to ${counted(opened, 'new case')}; ${number(closed)} ${was(closed)} closed. ${verdictText(facts)}`,
    `${responsesText(facts)}${openCasesText(facts)}`,
    riskText(facts),
    recommendations > 0
      ? `${counted(recommendations, 'recommendation')} ${recommendations === 1 ? 'follows' : 'follow'} from these figures.`
      : 'No recommendations follow from these figures.',
  );
}

const isComplete = ({ range, now }: Facts): boolean => range.end <= now;

function nothingText({ client, month, isPast, devices }: Facts): string {
  const hasDevices = devices.reporting.some(({ total }) => total !== 0);
  return `Nothing ${isPast ? 'that is kept ' : ''}was received from ${client.name} in ${monthName(month)}, and no alerts or cases resulted. ${
    hasDevices ? 'Check the devices below.' : 'No device is connected yet.'
  }`;
}

function verdictText({ cases }: Facts): string {
  const { malicious, opened } = cases.now;
  if (malicious > 0) return `${countedWas(malicious, 'case')} found malicious.`;
  return opened > 0 ? 'None of the cases opened was found malicious.' : 'No case was opened.';
}

function responsesText({ responses }: Facts): string {
  const done = responses.now.reduce((sum, row) => sum + row.done, 0);
  return done > 0 ? `${countedWas(done, 'response')} executed and verified. ` : '';
}

function openCasesText(facts: Facts): string {
  const { openAtEnd, waiting } = facts.cases.now;
  const isOver = isComplete(facts);
  if (openAtEnd === 0) return `No case ${isOver ? 'was open at the end of the month' : 'is open'}.`;
  const open = isOver ? `${was(openAtEnd)} open at the end of the month` : `${is(openAtEnd)} open`;
  return `${counted(openAtEnd, 'case')} ${open}${waiting > 0 ? `, ${number(waiting)} of them now waiting for you` : ''}.`;
}

function riskText(facts: Facts): string | undefined {
  const { days, before } = facts.risk;
  const score = days.at(-1)?.riskScore;
  if (score === undefined) return undefined;
  const better = before && score < before.riskScore ? 'better' : 'worse';
  const change =
    before?.riskScore === score
      ? ', unchanged'
      : before && `, ${better} than the ${number(before.riskScore)} of the month before`;
  return `The risk score ${isComplete(facts) ? 'was' : 'is'} ${number(score)}, on a scale from 100 (best) to 1,000 (worst)${change ?? ''}.`;
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
    isComplete: isComplete(facts),
    madeAt: new Date(facts.now).toISOString(),
    timeZone: facts.client.timeZone,
    summary: summaryOf(facts, recommendations.length),
    sections: sections.filter((section) => section !== undefined),
    recommendations,
  };
}
