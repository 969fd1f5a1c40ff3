/** Report sections on event sources and events: devices, reconciliation. */
import type { ReportSection } from '@parapet/contract/reports.ts';
import { type ReconciliationPart, reconciliationLabels, reconciliationParts } from '@parapet/contract/rules/reconciliation.ts';
import type { Facts } from './reports.facts.ts';
import { earlier, figure, line, moment, section } from './reports.parts.ts';
import { counted, does, listed, number, sentences, typeName, was } from './reports.words.ts';

const mean = (days: readonly { totalCount: number }[]): number | null =>
  days.length === 0 ? null : days.reduce((sum, { totalCount }) => sum + totalCount, 0) / days.length;

export function devicesSection(facts: Facts): ReportSection {
  const { reporting, days, daysBefore, added, silences } = facts.devices;
  const known = reporting.reduce((sum, { total }) => sum + total, 0);
  const alive = reporting.reduce((sum, each) => sum + each.reporting, 0);
  return section('devices', 'Devices', {
    text:
      known === 0
        ? sentences('No device has sent events yet, so nothing can be monitored.', silencesText(facts))
        : sentences(
            `${number(alive)} of ${counted(known, 'known device')} ${alive === 1 ? 'reports' : 'report'} now. ${added === 0 ? 'None was' : `${number(added)} ${was(added)}`} new in the month.`,
            silencesText(facts),
            quietText(facts, known - alive),
          ),
    figures: [
      figure('devices.known', 'Known devices', known, null),
      figure('devices.reporting', 'Reporting now', alive, null),
      figure('devices.perDay', 'Devices per day, mean', mean(days), facts.hasBefore ? mean(daysBefore) : null),
      figure('devices.added', 'New', added, null),
      figure('devices.silences', 'Silences', silences.length, null),
    ],
    ...(silences.length > 0
      ? silencesTable(facts)
      : {
          columns: known > 0 ? ['Type', 'Known', 'Reporting now'] : [],
          rows: reporting
            .filter(({ total }) => total > 0)
            .map(({ deviceType, total, reporting: now }) => [typeName(deviceType), total, now]),
        }),
    chart: known === 0 ? null : reportingChart(days),
  });
}

const lastingOf = ({ devices }: Facts) => devices.silences.filter(({ endedAt }) => endedAt === null);

function silencesText(facts: Facts): string | undefined {
  const { silences } = facts.devices;
  if (silences.length === 0) return undefined;
  const fallen = new Set(silences.map(({ name }) => name)).size;
  const lasting = lastingOf(facts).map(({ name }) => name);
  const returned = fallen === 1 ? 'it reports again' : 'all of them report again';
  return `${counted(fallen, 'device')} fell silent in the month or before; ${
    lasting.length > 0 ? `${listed(lasting)} still ${does(lasting.length)} not report` : returned
  }.`;
}

/** Devices that do not report and are not silent. */
function quietText(facts: Facts, notReporting: number): string | undefined {
  const lasting = lastingOf(facts).length;
  const others = notReporting - lasting;
  if (others <= 0) return undefined;
  const isComplete = facts.range.end <= facts.now;
  return `${counted(others, `${lasting > 0 ? 'further ' : ''}device`)} ${does(others)} not report now, but went quiet ${isComplete ? 'after the month or ' : ''}too recently to count as silent.`;
}

function silencesTable({ devices, client: { timeZone: zone } }: Facts): Pick<ReportSection, 'columns' | 'rows'> {
  return {
    columns: ['Silent device', 'Type', `Since (${zone})`, 'Until'],
    rows: devices.silences.map(({ name, type, since, endedAt }) => [
      name,
      typeName(type),
      moment(since, zone),
      endedAt ? moment(endedAt, zone) : 'still silent',
    ]),
  };
}

function reportingChart(days: Facts['devices']['days']): ReportSection['chart'] {
  if (days.length < 2 || mean(days) === 0) return null;
  const values = days.map(({ totalCount }) => totalCount);
  return {
    kind: 'line',
    labels: days.map(({ date }) => String(Number(date.slice(8)))),
    series: [{ name: 'Devices that sent events', values }],
    alternative: line(
      `Devices that sent events, by day (UTC): between ${number(Math.min(...values))} and ${number(Math.max(...values))}.`,
    ),
  };
}

export function balanceSection(facts: Facts): ReportSection {
  const { days, now, before } = facts.balance;
  const amountOf = (sums: typeof now, id: ReconciliationPart): number =>
    id === 'dropped' ? sums.dropped.reduce((sum, { count }) => sum + count, 0) : sums[id];
  return section('balance', 'Reconciliation', {
    text: sentences(
      'Every received event is accounted for: stored, a duplicate, dropped for a reason, or unprocessed because it could not be read. Every detection is shown as an alert, grouped into an open alert, suppressed by an exception, auto-closed with its case, or in a case. Days are UTC.',
      days.every(({ isBalanced }) => isBalanced)
        ? days.length === 0
          ? 'Nothing was received in this month.'
          : 'Both sums balance on every day.'
        : `The sums do not balance on ${listed(days.filter(({ isBalanced }) => !isBalanced).map(({ date }) => date))}.`,
      now.folded > 0 &&
        `${counted(now.raised, 'detection')}: ${counted(now.raised - now.folded, 'alert')}, and ${counted(now.folded, 'repeat')} grouped into open ones.`,
      now.dropped.length > 0 &&
        `Dropped: ${listed(
          now.dropped.map(({ reason, count }) => `${number(count)} (${reason})`),
          8,
        )}.`,
    ),
    figures: reconciliationParts.map((id) =>
      figure(`balance.${id}`, reconciliationLabels[id], amountOf(now, id), earlier(facts, amountOf(before, id))),
    ),
    columns: days.length > 0 ? ['Day', ...reconciliationParts.map((id) => reconciliationLabels[id])] : [],
    rows: days.toReversed().map((day) => [day.date, ...reconciliationParts.map((id) => amountOf(day, id))]),
  });
}
