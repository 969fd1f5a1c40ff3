/** Data sources: list, detail, daily check-ins, duplicates. */
import type { DeviceDetail, devicesApi } from '@parapet/contract/devices.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { problem } from '@parapet/contract/problem.ts';
import { compareVersions } from '@parapet/contract/rules/versions.ts';
import type { z } from 'zod';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { readScoped, scoped } from '../../core/db/scope.ts';
import { type Actor, scopeFor, scopeOf } from '../../core/http/actor.ts';
import { findFirstMonth } from '../../domain/figures.ts';
import { queryRows } from '../../domain/query/listed.ts';
import { rangeOf } from '../../domain/ranges.ts';
import * as detail from './devices.detail.store.ts';
import { mergeDevices } from './devices.merge.ts';
import { countAlerts, listCheckIns, listDevices, listVersions } from './devices.store.ts';

const momentsPerPage = 100;
/** Upper bound of all times. */
const endOfTime = new Date('9999-12-31T00:00:00Z');

export type DevicesService = ReturnType<typeof createDevicesService>;

export function createDevicesService({
  db,
  clock,
  upgrade,
}: {
  db: Database;
  clock: Clock;
  /** Requests the newest version on devices; implemented by the agents feature. */
  upgrade: (actor: Actor, uuids: string[]) => Promise<AnswerOf<typeof devicesApi.upgrade>>;
}) {
  return {
    upgrade,

    async list(
      actor: Actor,
      client: number,
      start: string,
      end: string,
      query: z.output<typeof devicesApi.list.query>,
    ): Promise<AnswerOf<typeof devicesApi.list>> {
      const scope = scopeFor(actor, client);
      const { text, type: types, state: states, tag: tags, pageSize: limit } = query;
      const now = clock.now();
      return readScoped(db, scope, async (tx) => {
        const rows = queryRows(actor, scope, query.query, now);
        const listQuery = { text, types, states, tags, rows, limit, offset: (query.page - 1) * limit };
        const { results, total } = await listDevices(tx, scope, listQuery, now);
        const firstMonth = await findFirstMonth(tx);
        const horizon = { now, ...(firstMonth !== undefined && { firstMonth }) };
        const counts = await countAlerts(tx, scope, results, rangeOf(start, end), horizon);
        return {
          results: results.map(({ aliases: _, ...device }, index) => ({ ...device, alertCount: counts[index]! })),
          total,
        };
      });
    },

    async checkIns(actor: Actor, client: number, start: string, end: string): Promise<AnswerOf<typeof devicesApi.checkIns>> {
      const scope = scopeFor(actor, client);
      const range = rangeOf(start, end);
      const results = await readScoped(db, scope, (tx) => listCheckIns(tx, scope, range, clock.now()));
      return { results, total: results.length };
    },

    async get(actor: Actor, client: number, name: string): Promise<DeviceDetail> {
      const scope = scopeFor(actor, client);
      const now = clock.now();
      return readScoped(db, scope, async (tx) => {
        const own = await detail.findDevice(tx, scope, name);
        const listQuery = { text: '', types: [], states: [], tags: [], id: own?.id ?? '', limit: 1, offset: 0 };
        const [device] = own ? (await listDevices(tx, scope, listQuery, now)).results : [];
        if (!own || !device) throw problem.notFound('device', name.slice(0, 200));
        const severities = await detail.countSeverities(tx, scope, own, now);
        const agent = await detail.findAgent(tx, scope, own, now);
        return {
          ...device,
          aliases: own.aliases.slice(0, 100),
          alertCount: severities.reduce((sum, { count }) => sum + count, 0),
          firstSeenAt: own.createdAt.toISOString(),
          severities,
          openCases: await detail.countOpenCases(tx, scope, own),
          ...(await detail.listSeen(tx, scope, own, now)),
          hours: await detail.listHours(tx, scope, own, now),
          agent: agent?.agent ?? null,
          inventory: agent?.inventory ?? null,
        };
      });
    },

    async timeline(actor: Actor, client: number, name: string, before?: string): Promise<AnswerOf<typeof devicesApi.timeline>> {
      const scope = scopeFor(actor, client);
      return readScoped(db, scope, async (tx) => {
        const own = await detail.findDevice(tx, scope, name);
        if (!own) throw problem.notFound('device', name.slice(0, 200));
        const until = before === undefined ? endOfTime : new Date(before);
        const moments = await detail.listMoments(tx, scope, own, until, momentsPerPage + 1);
        if (moments.length <= momentsPerPage) return { results: moments, hasMore: false };
        // Pages continue strictly before the last time, so rows that share the time of the first cut one move to the next
        // page.
        const cut = moments[momentsPerPage]!.time;
        const whole = moments.filter(({ time }) => time !== cut);
        return { results: whole.length > 0 ? whole : moments.slice(0, momentsPerPage), hasMore: true };
      });
    },

    async agentVersions(actor: Actor, client: number): Promise<AnswerOf<typeof devicesApi.agentVersions>> {
      const scope = scopeFor(actor, client);
      const rows = await readScoped(db, scope, (tx) => listVersions(tx, scope));
      return { agentVersions: newestFirst(rows) };
    },

    async merge(actor: Actor, input: z.output<typeof devicesApi.merge.body>): Promise<AnswerOf<typeof devicesApi.merge>> {
      const scope = scopeOf(actor);
      return scoped(db, scope, (tx) => mergeDevices(tx, scope, actor, input, new Date(clock.now())));
    },
  };
}

/** Versions of each kind of agent, newest first. */
function newestFirst(rows: Awaited<ReturnType<typeof listVersions>>): AnswerOf<typeof devicesApi.agentVersions>['agentVersions'] {
  const versions = rows.map(({ version, deviceCount }) => {
    const [kind = '', number = ''] = version.includes(' ') ? version.split(' ', 2) : ['', version];
    return { version, kind, number, deviceCount };
  });
  versions.sort((a, b) => (a.kind < b.kind ? -1 : a.kind > b.kind ? 1 : compareVersions(b.number, a.number)));
  const newest = new Map<string, string>();
  for (const { kind, number } of versions) if (!newest.has(kind)) newest.set(kind, number);
  return versions.map(({ number, ...row }) => ({ ...row, isNewest: compareVersions(number, newest.get(row.kind)!) === 0 }));
}
