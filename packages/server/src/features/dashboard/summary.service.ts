/** Facts of a client’s summary, read in one transaction. */
import { may } from '@parapet/contract/access.ts';
import type { ClientSummary } from '@parapet/contract/dashboard.ts';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { readScoped } from '../../core/db/scope.ts';
import { type Actor, scopeFor } from '../../core/http/actor.ts';
import { retainedRange } from '../../domain/figures.ts';
import { rangeOf } from '../../domain/ranges.ts';
import { countSeverities } from './dashboard.store.ts';
import { listReporting } from './overview.store.ts';
import { countSummary, listBlind, listIncidents, listQuestions, listStory } from './summary.store.ts';

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0);

export const createSummaryService = ({ db, clock }: { db: Database; clock: Clock }) => ({
  async summary(actor: Actor, client: number, start: string, end: string): Promise<ClientSummary> {
    const scope = scopeFor(actor, client);
    const now = clock.now();
    return readScoped(db, scope, async (tx) => {
      const range = rangeOf(start, end);
      const { range: retained, horizon } = await retainedRange(tx, range, now);
      const [severities] = await countSeverities(tx, scope, [retained], horizon);
      const types = await listReporting(tx, scope, now);
      return {
        alerts: sumOf([...severities!.values()]),
        ...(await countSummary(tx, scope, range, { now, mayApprove: may(actor, 'responses:write') })),
        reporting: sumOf(types.map(({ reporting }) => reporting)),
        devices: sumOf(types.map(({ total }) => total)),
        incidents: await listIncidents(tx, scope),
        questions: await listQuestions(tx, scope, now),
        blind: await listBlind(tx, scope, now),
        story: await listStory(tx, scope, range, now),
      };
    });
  },
});
