/** Links to the pages behind a statement, with the same filters, so that the list there has exactly the counted rows. */
import { resolveTimeframe, timeframes } from '@parapet/contract/rules/timeframe.ts';
import { startOfDay, wallClock } from '@parapet/contract/rules/zones.ts';
import type { SkillContext, Timeframe } from './facts.ts';

type Values = Record<string, string | number | readonly (string | number)[] | undefined>;

/** Builds an address as the pages do. */
export function path(page: string, query: Values = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    const text = Array.isArray(value) ? value.join(',') : value === undefined ? '' : String(value);
    if (text !== '') search.set(name, text);
  }
  return search.size > 0 ? `${page}?${search.toString().replaceAll('%2C', ',').replaceAll('%3A', ':')}` : page;
}

const dayMs = 86_400_000;
/** Tolerance for a range up to now that was resolved a while ago. */
const nowMs = 65 * 60_000;

const dateOf = (at: number, timeZone: string): string => new Date(wallClock(at, timeZone)).toISOString().slice(0, 10);
const isMidnight = (at: number, timeZone: string): boolean =>
  startOfDay(Math.floor(wallClock(at, timeZone) / dayMs) * dayMs, timeZone) === at;

/**
 * Query parameters of a page for a range: a named timeframe, or the whole days within. `isExact` is false where pages
 * support whole days only.
 */
export function timeOf(
  { start, end }: Pick<Timeframe, 'start' | 'end'>,
  now: number,
  timeZone: string,
): { query: { timeframe: string; on?: string }; isExact: boolean } {
  const [from, to] = [Date.parse(start), Date.parse(end)];
  const reachesNow = Math.abs(to - now) <= nowMs;
  const word = timeframes.find((each) => {
    const range = resolveTimeframe(each, now, timeZone);
    const same = Date.parse(range.end);
    return Date.parse(range.start) === from && (same === to || (reachesNow && Math.abs(same - now) <= nowMs));
  });
  if (word) return { query: { timeframe: word }, isExact: true };
  const first = dateOf(from, timeZone);
  const last = dateOf(to - 1, timeZone);
  const isMonth = first.endsWith('-01') && dateOf(to, timeZone).endsWith('-01') && first.slice(0, 7) === last.slice(0, 7);
  const on = isMonth ? first.slice(0, 7) : first === last ? first : `${first}..${last}`;
  return { query: { timeframe: 'allTime', on }, isExact: isMidnight(from, timeZone) && (isMidnight(to, timeZone) || to >= now) };
}

/** Address of a list over the question’s time, for one of its organisations. */
export const timedPath = (page: string, client: number, context: SkillContext, query: Values = {}): string =>
  path(`/apps/${page}/${client}`, { ...timeOf(context.timeframe, context.now, context.timeZone).query, ...query });
export const isExact = ({ timeframe, now, timeZone }: SkillContext): boolean => timeOf(timeframe, now, timeZone).isExact;
export const wholeDays = (context: SkillContext): string => (isExact(context) ? '' : ' (the page shows whole days)');

export const alertPath = (id: number): string => `/apps/alert/${id}`;
export const casePath = (id: number): string => `/apps/case/${id}`;
export const devicePath = (client: number, name: string): string => `/apps/device/${client}/${encodeURIComponent(name)}`;
