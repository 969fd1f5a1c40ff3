/** Report sections, each built from the facts alone. Missing measurements are stated; no number is estimated. */

import type { ReportSection } from '@parapet/contract/reports.ts';
import { statusLabel } from '@parapet/contract/rules/cases.ts';
import { durationText } from '@parapet/contract/rules/duration.ts';
import { severities } from '@parapet/contract/rules/values.ts';
import { type Facts, type RiskDay, totalOf } from './reports.facts.ts';
import { aimed, earlier, figure, line, moment, nameBefore, notMeasured, pastRetentionText, section } from './reports.parts.ts';
import {
  actionName,
  capital,
  compared,
  counted,
  countedWas,
  criticalityName,
  is,
  listed,
  number,
  sentences,
  was,
} from './reports.words.ts';

export function alertsSection(facts: Facts): ReportSection {
  const { alerts, tops } = facts;
  const [total, before] = [totalOf(alerts.now), earlier(facts, totalOf(alerts.before))];
  const [busiest] = tops.topDevices;
  const [loudest] = tops.topRules;
  const peak = alerts.days.reduce<{ day: number; count: number }>(
    (most, { day, counts }) => (totalOf(counts) > most.count ? { day, count: totalOf(counts) } : most),
    { day: 0, count: 0 },
  );
  return section('alerts', 'Alerts', {
    text: sentences(
      facts.isPast && pastRetentionText,
      total === 0
        ? `No alert ${facts.isPast ? 'that is kept ' : ''}was raised.`
        : `Our rules raised ${counted(total, 'alert')}${compared(total, before, nameBefore(facts))}: ${listed(
            severities.filter((name) => alerts.now[name] > 0).map((name) => `${number(alerts.now[name])} ${name}`),
          )}.`,
      total > 0 &&
        loudest &&
        `The most frequent rule was “${loudest.name}” with ${counted(loudest.count, 'alert')}${
          busiest ? `; the busiest device was ${busiest.name} with ${number(busiest.count)}` : ''
        }.`,
    ),
    figures: [
      figure('alerts', 'Alerts', total, before),
      ...severities.map((name) =>
        figure(`alerts.${name}`, `${capital(name)} alerts`, alerts.now[name], earlier(facts, alerts.before[name])),
      ),
    ],
    columns: tops.topRules.length > 0 ? ['Rule', 'Alerts', 'Month before'] : [],
    rows: tops.topRules.map(({ name, count, before: then }) => [name, count, earlier(facts, then)]),
    chart:
      total === 0
        ? null
        : {
            kind: 'bars',
            labels: alerts.days.map(({ day }) => String(day)),
            series: severities
              .filter((name) => alerts.now[name] > 0)
              .map((name) => ({
                name: capital(name),
                values: alerts.days.map(({ counts }) => counts[name]),
              })),
            alternative: line(
              `Alerts by day of the month and severity. ${counted(total, 'alert')} in all; most on day ${peak.day} with ${number(peak.count)}.`,
            ),
          },
  });
}

export function casesSection(facts: Facts): ReportSection {
  const { now, before, mails } = facts.cases;
  const isComplete = facts.range.end <= facts.now;
  const open = isComplete ? `${was(now.openAtEnd)} open at the end of the month` : `${is(now.openAtEnd)} open now`;
  return section('cases', 'Cases', {
    text: sentences(
      now.opened + now.closed + now.openAtEnd === 0
        ? 'No cases.'
        : `${countedWas(now.opened, 'case')} opened${compared(now.opened, earlier(facts, before.opened), nameBefore(facts))}, and ${number(now.closed)} closed. ${
            now.malicious === 0
              ? 'None of those opened was found malicious'
              : `${number(now.malicious)} of those opened ${was(now.malicious)} found malicious`
          }.`,
      now.openAtEnd > 0 &&
        `${counted(now.openAtEnd, 'case')} ${open}${
          now.oldAtEnd > 0 ? `, ${number(now.oldAtEnd)} of them for more than 30 days` : ''
        }.`,
      now.closedLater > 0 &&
        `${counted(now.closedLater, 'case')} opened in the month ${was(now.closedLater)} closed after it ended: a report generated before then has an earlier verdict.`,
      mails > 0 && `${counted(mails, 'email')} about cases ${was(mails)} sent to you.`,
    ),
    figures: [
      figure('cases.opened', 'Cases opened', now.opened, earlier(facts, before.opened)),
      figure('cases.closed', 'Cases closed', now.closed, earlier(facts, before.closed)),
      figure('cases.malicious', 'Found malicious', now.malicious, earlier(facts, before.malicious)),
      figure('cases.open', isComplete ? 'Open at the end' : 'Open now', now.openAtEnd, earlier(facts, before.openAtEnd)),
      figure('cases.old', 'Open over 30 days', now.oldAtEnd, earlier(facts, before.oldAtEnd)),
    ],
    columns:
      now.byCriticality.length > 0
        ? ['Criticality', 'Opened', 'Closed', 'Malicious', isComplete ? 'Open at the end' : 'Open now']
        : [],
    rows: now.byCriticality.map((row) => [
      criticalityName(row.criticality),
      row.opened,
      row.closed,
      row.malicious,
      row.openAtEnd,
    ]),
  });
}

export function caseListSection(facts: Facts): ReportSection | undefined {
  const { list } = facts.cases;
  if (list.length === 0) return undefined;
  const zone = facts.client.timeZone;
  return section('caseList', 'Cases of the month', {
    text: [
      `Opened or closed in the month, malicious ones first${list.length === 100 ? '; the first 100' : ''}. Times are ${zone}.`,
    ],
    columns: ['Case', 'Title', 'Criticality', 'Status', 'Verdict', 'Alerts', 'Opened', 'Closed'],
    rows: list.map((row) => [
      row.id,
      row.title,
      criticalityName(row.criticality),
      statusLabel(row.status),
      row.verdict ?? 'None yet',
      row.alerts,
      moment(row.openedAt, zone),
      row.closedAt ? moment(row.closedAt, zone) : 'open',
    ]),
  });
}

export function responseSection(facts: Facts): ReportSection {
  const { now, before } = facts.responses;
  const sum = (rows: typeof now, of: 'requested' | 'done' | 'failed' | 'cancelled' | 'pending') =>
    rows.reduce((total, row) => total + row[of], 0);
  const requested = sum(now, 'requested');
  return section('response', 'Response', {
    text: [
      requested === 0
        ? 'No isolation, block or other response was requested.'
        : `${countedWas(requested, 'response')} requested: ${listed(
            [
              [sum(now, 'done'), 'done and verified'] as const,
              [sum(now, 'failed'), 'failed or expired'] as const,
              [sum(now, 'cancelled'), 'cancelled'] as const,
              [sum(now, 'pending'), 'in progress'] as const,
            ].flatMap(([count, became]) => (count > 0 ? [`${number(count)} ${became}`] : [])),
          )}.`,
    ],
    figures: [
      figure('response.asked', 'Responses requested', requested, earlier(facts, sum(before, 'requested'))),
      figure('response.done', 'Done', sum(now, 'done'), earlier(facts, sum(before, 'done'))),
      figure('response.failed', 'Failed or expired', sum(now, 'failed'), earlier(facts, sum(before, 'failed'))),
    ],
    columns: now.length > 0 ? ['Response', 'Requested', 'Done', 'Failed', 'Cancelled', 'In progress'] : [],
    rows: now.map((row) => [actionName(row.action), row.requested, row.done, row.failed, row.cancelled, row.pending]),
  });
}

export function riskSection(facts: Facts): ReportSection {
  const { days, before } = facts.risk;
  const last = days.at(-1);
  const part = (id: string, name: string, of: (day: RiskDay) => number) =>
    figure(id, name, last ? of(last) : null, before ? of(before) : null, 'score');
  const change = last && before ? last.riskScore - before.riskScore : undefined;
  return section('risk', 'Risk', {
    text: [
      last
        ? `The risk score was ${number(last.riskScore)} on ${last.date}${
            change === undefined
              ? ''
              : change === 0
                ? `, as at the end of ${nameBefore(facts)}`
                : `, ${number(Math.abs(change))} ${change > 0 ? 'worse' : 'better'} than at the end of ${nameBefore(facts)}`
          }.`
        : notMeasured('The risk score of this month'),
      'Scale: 100 (best) to 1,000 (worst). 100 plus 0.3 times each of its three components, each from 0 to 1,000.',
    ],
    figures: [
      part('risk.score', 'Risk score', (day) => day.riskScore),
      part('risk.cases', 'Component: open cases', (day) => day.caseScore),
      part('risk.devices', 'Component: devices', (day) => day.deviceScore),
      part('risk.practices', 'Component: best practices', (day) => day.practiceScore),
    ],
    chart:
      days.length < 2 || !last
        ? null
        : {
            kind: 'line',
            labels: days.map(({ date }) => String(Number(date.slice(8)))),
            series: [{ name: 'Risk score', values: days.map(({ riskScore }) => riskScore) }],
            alternative: line(
              `Risk score by day: from ${number(days[0]!.riskScore)} on ${days[0]!.date} to ${number(last.riskScore)} on ${last.date}.`,
            ),
          },
  });
}

export function coverageSection(facts: Facts): ReportSection {
  const { matrix } = facts;
  const count = (techniques: { coverage: string }[], ...which: string[]) =>
    techniques.filter(({ coverage }) => which.includes(coverage)).length;
  // A technique appears under each of its tactics; count it once.
  const once = [...new Map(matrix.tactics.flatMap(({ techniques }) => techniques).map((each) => [each.id, each])).values()];
  const [seen, blind] = [count(once, 'seen'), count(once, 'blind')];
  const silent = matrix.sources.filter(({ isLive }) => !isLive);
  return section('coverage', 'Coverage and blind spots', {
    text: sentences(
      `Of the ${number(matrix.techniques)} techniques of MITRE ATT&CK, ${number(matrix.covered)} are covered by the sources connected now, and ${number(seen)} were seen in the month. ${counted(blind, 'further technique')} ${blind === 1 ? 'has' : 'have'} rules that lack a log source or a field.`,
      matrix.missing.length > 0 &&
        `Fields that rules read and no event has: ${listed(
          matrix.missing.map(({ field, logSource, rules }) => `${field} of ${logSource} (${counted(rules, 'rule')})`),
          8,
        )}.`,
      silent.length > 0 &&
        `Blind spots are log sources that nothing sends: ${listed(
          silent.map(({ logSource, rules }) => `${logSource} (${counted(rules, 'rule')})`),
          8,
        )}.`,
    ),
    figures: [
      figure('coverage.covered', 'Techniques covered', matrix.covered, null),
      figure('coverage.seen', 'Techniques seen', seen, null),
      figure('coverage.blind', 'Techniques whose rules can’t match', blind, null),
      figure('coverage.sources', 'Live log sources', matrix.sources.length - silent.length, null),
    ],
    columns: ['Tactic', 'Techniques', 'Seen', 'Covered', 'Can’t match', 'No rule', 'Alerts'],
    rows: matrix.tactics.map(({ name, techniques, count: alerts }) => [
      name,
      techniques.length,
      count(techniques, 'seen'),
      techniques.filter(({ liveRules }) => liveRules > 0).length,
      count(techniques, 'blind'),
      count(techniques, 'none'),
      alerts,
    ]),
  });
}

const none = (count: number): string => (count === 0 ? 'none' : number(count));

export function vulnerabilitiesSection(facts: Facts): ReportSection {
  const found = facts.vulnerabilities;
  if (!found)
    return section('vulnerabilities', 'Vulnerabilities', {
      text: ['Vulnerabilities were not measured: no package inventory and no device scan.'],
    });
  return section('vulnerabilities', 'Vulnerabilities', {
    text: [
      `${counted(found.open, 'vulnerability', 'vulnerabilities')} ${is(found.open)} open now, ${number(found.knownExploited)} of them known exploited. In the month ${none(found.found)} appeared and ${none(found.fixed)} ${was(found.fixed)} fixed.`,
    ],
    figures: [
      figure('vulnerabilities.score', 'Score out of 100 (higher is better)', found.score, null, 'score'),
      figure('vulnerabilities.open', 'Open', found.open, null),
      figure('vulnerabilities.exploited', 'Known exploited', found.knownExploited, null),
      figure('vulnerabilities.found', 'Found in the month', found.found, null),
      figure('vulnerabilities.fixed', 'Fixed in the month', found.fixed, null),
      figure('vulnerabilities.daysToFix', 'Mean time to fix', found.meanDaysToFix, null, 'days'),
    ],
    columns: found.worst.length > 0 ? ['Vulnerability', 'Device', 'Package', 'Severity', 'Fixed in', 'Priority'] : [],
    rows: found.worst.map((row) => [
      row.cve,
      row.device,
      row.package,
      capital(row.severity),
      row.fixedVersion ?? 'No fix yet',
      row.priority,
    ]),
  });
}

export function targetsSection(facts: Facts): ReportSection {
  const { now, before, byCriticality } = facts.times;
  const { unverified } = facts.cases.now;
  /** Mean targets of the cases of the month; each case has the target of its criticality. */
  const target = (of: (row: (typeof byCriticality)[number]) => number): number | null => {
    const cases = byCriticality.reduce((sum, row) => sum + row.cases, 0);
    return cases === 0 ? null : byCriticality.reduce((sum, row) => sum + of(row) * row.cases, 0) / cases;
  };
  const share = (of: { withinTarget: number | null } | undefined): number | null =>
    of?.withinTarget === undefined || of.withinTarget === null ? null : of.withinTarget * 100;
  const within = share(now);
  const minutes = (value: number | null): string => (value === null ? 'not yet' : durationText(value));
  const after = (value: number | null): string =>
    value === null ? 'after a time that was not measured' : `after ${durationText(value)}`;
  return section('targets', 'Targets', {
    text: sentences(
      now === undefined || byCriticality.length === 0
        ? 'No case was opened, so there is nothing to measure.'
        : `On average, cases were acknowledged ${after(now.meanMinutesToAcknowledge)} and closed ${after(now.meanMinutesToResolve)}; time spent waiting for you is excluded. ${
            within === null ? 'None is closed yet.' : `${number(within)}% of the closed ones met all of their targets.`
          }`,
      unverified > 0 &&
        `${counted(unverified, 'case')} ${unverified === 1 ? 'has' : 'have'} a containment recorded before containments were verified and no time to contain: a report generated before then counted the closing.`,
      byCriticality.length > 1 && 'Targets depend on criticality; the target of a mean is the mean of its cases’ targets.',
    ),
    figures: [
      ...(['Acknowledge', 'Contain', 'Resolve'] as const).map((step) => {
        const mean = `meanMinutesTo${step}` as const;
        const id = step.toLowerCase();
        return aimed(
          figure(`targets.${id}`, `Mean time to ${id}`, now?.[mean] ?? null, before?.[mean] ?? null, 'minutes'),
          target((row) => row[`targetTo${step}` as const]),
        );
      }),
      figure('targets.within', 'Closed within all targets', within, share(before), 'percent'),
    ],
    columns:
      byCriticality.length > 0
        ? [
            'Criticality',
            'Cases',
            'Acknowledged after',
            'Target',
            'Contained after',
            'Target',
            'Closed after',
            'Target',
            'Within targets',
          ]
        : [],
    rows: byCriticality.map((row) => [
      criticalityName(row.criticality),
      row.cases,
      minutes(row.meanMinutesToAcknowledge),
      durationText(row.targetToAcknowledge),
      minutes(row.meanMinutesToContain),
      durationText(row.targetToContain),
      minutes(row.meanMinutesToResolve),
      durationText(row.targetToResolve),
      row.withinTarget === null ? 'none closed' : `${number(row.withinTarget * 100)}%`,
    ]),
  });
}
