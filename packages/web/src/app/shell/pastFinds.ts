/** Searches of the past that found something since the person last looked; those seen are stored with their settings. */
import { allClients } from '@parapet/contract/access.ts';
import { type PastSearch, pastSearchesApi } from '@parapet/contract/pastSearches.ts';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { useQuery } from '@tanstack/react-query';
import { counted } from '../../kit/numbers.ts';
import { visibleText } from '../../kit/visible.ts';
import { paths } from '../../lib/paths.ts';
import { queryOptionsOf } from '../../lib/query.ts';
import { type Scope, useScope } from '../../lib/scope.ts';
import { changeSettings, useStoredSetting } from '../../lib/settingsStore.ts';
import { toast } from '../../lib/toast.ts';
import { useAnnounced } from './announced.ts';

const pollMs = 60_000;
const seenKey = 'pastFindsSeen';
const seenIdsKey = 'pastFindsSeenIds';
/** A stored setting has at most 200 characters. */
const maxSeenIds = 16;
/** Older finds stay on their page. */
const announcedMs = 14 * dayMs;

/** Searches seen: all up to one, and single ones beyond it. */
export interface Seen {
  upTo: number;
  ids: readonly number[];
}

const noneSeen: Seen = { upTo: 0, ids: [] };

/** Parses stored settings. */
export const seenOf = (upTo: unknown, ids: unknown): Seen => ({
  upTo: Number(upTo) || 0,
  ids: String(ids ?? '')
    .split(',')
    .map(Number)
    .filter((id) => id > 0),
});

/** Ended searches with finds in the scope, newest first, without those seen. */
export const unseenFinds = (searches: readonly PastSearch[], { upTo, ids }: Seen, now: number): PastSearch[] =>
  searches.filter(
    ({ id, hits, finishedTime }) =>
      id > upTo && !ids.includes(id) && hits > 0 && finishedTime !== null && now - Date.parse(finishedTime) < announcedMs,
  );

/** The searches seen with more of them. Beyond the oldest one that is unseen or runs, the newest 16 are kept; older ones show again. */
export function withSeen(searches: readonly PastSearch[], seen: Seen, more: readonly number[], now: number): Seen {
  const ids = [...new Set([...more, ...seen.ids])];
  const open = [...unseenFinds(searches, { ...seen, ids }, now), ...searches.filter(({ finishedTime }) => finishedTime === null)];
  const upTo =
    open.length > 0 ? Math.min(...open.map(({ id }) => id)) - 1 : Math.max(0, ...searches.map(({ id }) => id), ...more);
  const reached = Math.max(seen.upTo, upTo);
  return { upTo: reached, ids: ids.filter((id) => id > reached).slice(0, maxSeenIds) };
}

export const findsText = ({ hits, name }: Pick<PastSearch, 'hits' | 'name'>): string =>
  `${counted(hits, 'find')} in stored events: ${visibleText(name)}`;

/** The page that shows a search, opened. */
export const findsPath = ({ id, kind }: Pick<PastSearch, 'id' | 'kind'>, mayPacks: boolean): string =>
  kind === 'rules' && mayPacks ? paths.rulePacks({ past: id }) : `${paths.intelligence()}?past=${id}`;

const keyOfFind = ({ id }: PastSearch) => `${id}`;
const announceFind = (search: PastSearch) => toast.info(findsText(search));

/** All clients for staff; people of one client may read their own only. */
export const pastFindsQuery = ({ hasSelector, client }: Pick<Scope, 'hasSelector' | 'client'>) =>
  queryOptionsOf(pastSearchesApi.list, { params: { client: hasSelector ? allClients : client } });

export function usePastFinds(): { finds: PastSearch[]; markSeen: (ids: readonly number[]) => void } {
  const scope = useScope();
  const seen = seenOf(useStoredSetting(seenKey), useStoredSetting(seenIdsKey));
  const { data } = useQuery({
    ...pastFindsQuery(scope),
    enabled: scope.may('events:read'),
    refetchInterval: pollMs,
  });
  const finds = unseenFinds(data?.results ?? [], seen, Date.now());
  useAnnounced(data && unseenFinds(data.results, noneSeen, Date.now()), keyOfFind, announceFind);
  const markSeen = (more: readonly number[]) => {
    const { upTo, ids } = withSeen(data?.results ?? [], seen, more, Date.now());
    changeSettings({ [seenKey]: upTo, [seenIdsKey]: ids.join(',') });
  };
  return { finds, markSeen };
}
