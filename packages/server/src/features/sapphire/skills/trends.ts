/** Trends by day, week or month in the viewer’s zone. */
import type { SapphireSlots } from '@parapet/contract/rules/sapphire.ts';
import { startOfDay, wallClock } from '@parapet/contract/rules/zones.ts';
import { alertFiltersOf, alertsNamed, alertsPath } from './alerts.ts';
import { caseFiltersOf, casesNamed } from './cases.ts';
import { changeOf, each, type Facts, inTime, number, rowsOf, type Skill, type SkillContext, sentence } from './facts.ts';
import { path, timedPath, timeOf } from './links.ts';

const dayMs = 86_400_000;
const maxBuckets = 62;

export interface Bucket {
  label: string;
  start: number;
  end: number;
}

/** Splits a range into buckets; longer ranges use longer buckets, which bounds their number. */
export function bucketsOf(
  { start, end }: { start: string; end: string },
  timeZone: string,
  wish: SapphireSlots['bucket'],
): { unit: 'day' | 'week' | 'month'; buckets: Bucket[] } {
  const [from, to] = [Date.parse(start), Date.parse(end)];
  const days = (to - from) / dayMs;
  const fits = { day: days <= maxBuckets, week: days <= 7 * maxBuckets, month: true };
  const defaultUnit = days <= 31 ? 'day' : days <= 92 ? 'week' : 'month';
  const unit = wish && fits[wish] ? wish : defaultUnit;
  const buckets: Bucket[] = [];
  for (let at = from; at < to && buckets.length < maxBuckets; ) {
    const day = new Date(Math.floor(wallClock(at, timeZone) / dayMs) * dayMs);
    const ahead = unit === 'month' ? 0 : unit === 'day' ? 1 : ((8 - day.getUTCDay()) % 7) + (day.getUTCDay() === 1 ? 7 : 0);
    const next =
      unit === 'month' ? Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, 1) : day.getTime() + Math.max(1, ahead) * dayMs;
    const stop = Math.min(to, startOfDay(next, timeZone));
    buckets.push({ label: day.toISOString().slice(0, unit === 'month' ? 7 : 10), start: at, end: stop });
    at = stop;
  }
  return { unit, buckets };
}

interface Counting {
  noun: string;
  fileName: string;
  count: (client: number, range: { start: string; end: string }) => Promise<number>;
  hrefOf: (client: number) => string;
  drillDownOf: (bucket: Bucket) => string;
}

async function trend(context: SkillContext, { noun, fileName, count, hrefOf, drillDownOf }: Counting): Promise<Facts> {
  const { now, timeframe, timeZone } = context;
  // Excludes the future and the years before the portal existed.
  const range = {
    start: new Date(Math.max(Date.parse(timeframe.start), now - 1_200 * dayMs)).toISOString(),
    end: new Date(Math.min(Date.parse(timeframe.end), now + dayMs)).toISOString(),
  };
  const { unit, buckets } = bucketsOf(range, timeZone, context.slots.bucket);
  const counts: number[] = [];
  for (const bucket of buckets) {
    const piece = { start: new Date(bucket.start).toISOString(), end: new Date(bucket.end).toISOString() };
    counts.push((await each(context, (client) => count(client, piece))).reduce((sum, some) => sum + some, 0));
  }
  const total = counts.reduce((sum, some) => sum + some, 0);
  const most = counts.indexOf(Math.max(...counts));
  const half = Math.floor(counts.length / 2);
  const halves = [counts.slice(0, half), counts.slice(counts.length - half)].map((part) =>
    part.reduce((sum, some) => sum + some, 0),
  );
  const [first = 0, second = 0] = halves;
  const lines = [
    `${number(total)} ${noun} of ${context.whose} ${inTime(timeframe.label)}, by ${unit}.`,
    ...(total > 0 && counts.length > 1
      ? [
          `The most were ${number(counts[most] ?? 0)}, ${unit === 'week' ? 'in the week from' : unit === 'month' ? 'in' : 'on'} ${buckets[most]?.label}.`,
          `The second half has ${number(second)}, the first ${number(first)} (${changeOf(second, first)}).`,
        ]
      : []),
  ];
  return {
    text: sentence(lines.join('\n')),
    sources: context.clients.map((client) => ({ text: sentence(`${number(total)} ${noun}`), path: hrefOf(client) })),
    ...rowsOf(
      [sentence(unit), sentence(noun)],
      buckets.map((bucket, index) => ({ cells: [bucket.label, counts[index] ?? 0], path: drillDownOf(bucket) })),
      fileName,
    ),
    choices: ['And last month?', 'By week', 'Only critical'],
  };
}

const queryOf = (bucket: Bucket, { now, timeZone }: SkillContext) =>
  timeOf({ start: new Date(bucket.start).toISOString(), end: new Date(bucket.end).toISOString() }, now, timeZone).query;

export const trendOfAlerts: Skill = async (context) => {
  const filters = alertFiltersOf(context);
  const [client = 0] = context.clients;
  const { severity, rule, technique, device, user } = filters;
  return trend(context, {
    noun: alertsNamed(context, 2),
    fileName: 'alerts-over-time',
    count: async (client, { start, end }) =>
      (
        await context.services.alerts.list(context.actor, client, start, end, {
          ...filters,
          page: 1,
          pageSize: 1,
          sort: 'createdTime',
          order: 'desc',
        })
      ).total,
    hrefOf: (client) => alertsPath(context, client),
    drillDownOf: (bucket) =>
      path(`/apps/alerts/${client}`, { ...queryOf(bucket, context), severity, rule, technique, device, user }),
  });
};

export const trendOfCases: Skill = async (context) => {
  const filters = caseFiltersOf(context);
  const [client = 0] = context.clients;
  const { status, severity, verdict, analyst, device, user } = filters;
  const query = { status, severity, verdict, analyst, device, user };
  return trend(context, {
    noun: `${casesNamed(context, 2)} opened`,
    fileName: 'cases-over-time',
    count: async (client, { start, end }) =>
      (
        await context.services.cases.list(context.actor, {
          filters,
          selectedClientOrganizationID: client,
          start,
          end,
          page: 1,
          pageSize: 1,
          sort: 'createdTime',
          order: 'desc',
        })
      ).total,
    hrefOf: (client) => timedPath('cases', client, context, query),
    drillDownOf: (bucket) => path(`/apps/cases/${client}`, { ...queryOf(bucket, context), ...query }),
  });
};
