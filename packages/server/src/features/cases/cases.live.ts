/**
 * Live stream of new and changed cases. A message only names the case; the page refetches what it shows, so messages missed during a reconnect do no
 * harm.
 */
import { casesApi } from '@parapet/contract/cases.ts';
import type { Bus } from '../../core/bus.ts';
import type { Scope } from '../../core/db/scope.ts';
import type { Actor } from '../../core/http/actor.ts';
import type { EventSink } from '../../core/http/event-stream.ts';
import { createLiveStreams, type LiveStream, retryMs } from '../../core/http/live-streams.ts';

const burstMs = 250;
/** Limit per organisation and burst: a page refetches its list at the first message. */
const maxOfBurst = 500;

export interface Following {
  actor: Actor;
  scope: Exclude<Scope, 'system'>;
  /** Starts the response; called after all checks. */
  open: () => EventSink;
  stillAllowed: () => Promise<boolean>;
}

export function createLiveCases({ bus }: { bus: Pick<Bus, 'on'> }) {
  const streams = createLiveStreams<LiveStream>('live cases');
  /** Organisation id → case id → true for a new case. */
  let pending = new Map<number, Map<number, boolean>>();
  let burst: NodeJS.Timeout | undefined;

  const publishBurst = async () => {
    burst = undefined;
    const burstCases = pending;
    pending = new Map();
    await streams.recheckThoseOf([...burstCases.keys()]);
    for (const [organisationId, cases] of burstCases) {
      for (const [caseID, isNew] of cases) {
        const data = JSON.stringify(casesApi.live.answer.parse({ caseID, clientOrganizationID: organisationId, isNew }));
        for (const stream of streams.all())
          if (stream.organisationIds.has(organisationId)) streams.write(stream, `data: ${data}\n\n`);
      }
    }
  };

  const offs = [
    bus.on('case.changed', ({ organisationId, caseIds, isNew }) => {
      if (!streams.isWatched(organisationId)) return;
      const cases = pending.get(organisationId) ?? new Map<number, boolean>();
      for (const id of caseIds) if (cases.size < maxOfBurst || cases.has(id)) cases.set(id, isNew || cases.get(id) === true);
      pending.set(organisationId, cases);
      burst ??= setTimeout(() => void publishBurst(), burstMs);
    }),
    // Messages were lost; readers reconnect and refetch.
    bus.on('bus.reconnected', streams.endAll),
  ];

  return {
    follow({ actor, scope, open, stillAllowed }: Following): void {
      const stream = streams.add(actor.userId, () => ({
        userId: actor.userId,
        organisationIds: new Set(scope.organisationIds),
        sink: open(),
        stillAllowed,
      }));
      streams.write(stream, `retry: ${retryMs}\n\n`);
    },
    closeStreams: streams.closeStreams,
    close() {
      streams.closeStreams();
      streams.stop();
      clearTimeout(burst);
      for (const off of offs) off();
    },
  };
}
