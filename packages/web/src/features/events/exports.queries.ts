/** Queries and writes of exports. */
import type { InputOf } from '@parapet/contract/endpoint.ts';
import { type EventExport, type ExportFormat, eventExportsApi } from '@parapet/contract/eventExports.ts';
import type { Range } from '@parapet/contract/rules/timeframe.ts';
import { download } from '../../lib/download.ts';
import { queryOptionsOf } from '../../lib/query.ts';
import { useApiMutation } from '../../lib/useApiMutation.ts';
import type { EventSearch } from './eventSearch.ts';

const pollMs = 2_000;

export const isWritten = ({ state }: EventExport): boolean => state === 'waiting' || state === 'running';

/** Polls while one of them is being written. */
export const exportsQuery = () => ({
  ...queryOptionsOf(eventExportsApi.list, {}),
  refetchInterval: ({ state }: { state: { data: { results: EventExport[] } | undefined } }) =>
    state.data?.results.some(isWritten) ? pollMs : (false as const),
});

type Body = InputOf<typeof eventExportsApi.start>['body'];

/** The search of the address as an export. */
export const exportOf = (client: number, { start, end }: Range, search: EventSearch, format: ExportFormat): Body => ({
  client,
  start,
  end,
  by: search.by,
  search: search.search,
  text: search.text,
  device: search.device || undefined,
  user: search.user || undefined,
  field: search.field,
  format,
});

export const useStartExport = () =>
  useApiMutation(eventExportsApi.start, {
    input: (body: Body) => ({ body }),
    invalidates: [eventExportsApi.list],
    failure: 'Couldn’t start the export.',
  });

export const useCancelExport = () =>
  useApiMutation(eventExportsApi.cancel, {
    input: (id: number) => ({ params: { id } }),
    invalidates: [eventExportsApi.list],
    failure: 'Couldn’t cancel the export.',
  });

export const downloadExport = ({ id, format, createdAt }: EventExport): Promise<void> =>
  download(eventExportsApi.file, { params: { id } }, `events-${createdAt.slice(0, 10)}-${id}.${format}`);
