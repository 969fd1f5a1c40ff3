/** First queries of the event search’s tabs. */
import { queryOf } from '../../lib/listSchema.ts';
import type { PageLoader } from '../../lib/pageLoader.ts';
import { eventList, eventSearchOf, rangeOf } from './eventSearch.ts';
import { asideQuery, eventsQuery, intakeQuery, timelineQuery } from './events.queries.ts';
import { deadLetterList } from './intakeRows.ts';

export const list: PageLoader = ({ scope: { client, range, may }, search }) => {
  if (!may('events:read')) return [];
  if (search.tab === 'aside') return [asideQuery(client, range, queryOf(deadLetterList.read(search)))];
  if (search.tab === 'intake' && may('dashboard:read')) return [intakeQuery(client, range)];
  const wanted = eventSearchOf(eventList.read(search));
  const searched = rangeOf(range, wanted.narrowed);
  return [eventsQuery(client, searched, wanted), timelineQuery(client, searched, wanted)];
};
