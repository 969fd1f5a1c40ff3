/** Sign-ins behind an activity in a cloud service: of the same user from the same address, with the identity provider's record of the device. */
import { sql } from 'kysely';
import { integerColumn, textColumn, timeColumn } from '../../core/db/bulk.ts';
import type { Tx } from '../../core/db/scope.ts';
import { eventStore } from '../../domain/events/eventStore.ts';
import { citedField } from '../../domain/field-places.ts';
import { hourMs } from '../../domain/ranges.ts';
import { listSharedDevices } from '../../domain/sharedDevices.ts';
import type { RuleRow } from './decisioning.rules.ts';
import type { RuleFact } from './decisioning.types.ts';

/** Device name of the identity provider's sign-ins. */
const provider = 'Microsoft Entra ID';
/** Rules per case whose session is read, the most important ones, and the newest sign-ins of the client that are searched. */
const maxRules = 6;
const maxSignIns = 10_000;
/** A session outlives its sign-in by no more than a day; a success after failures belongs to them. */
const beforeHours = 24;
const afterHours = 1;
/** Users from one address whose sign-ins stand for an activity of several people. */
const manyUsers = 3;

export type Session = NonNullable<RuleFact['session']>;

const keyOf = ({ caseId, ruleId }: RuleRow): string => `${caseId} ${ruleId}`;

/** Sessions by case and rule; none for what is not done in a shared service. */
export async function readSessions(tx: Tx, organisationId: number, rows: readonly RuleRow[]): Promise<Map<string, Session>> {
  const shared = await listSharedDevices(tx, organisationId);
  const placeIn = new Map<number, number>();
  const wanted = rows.flatMap((row) => {
    const source = citedField(row.document, 'source.ip');
    if (row.deviceName === null || !source || !shared.has(row.deviceName.toLowerCase())) return [];
    const place = (placeIn.get(row.caseId) ?? 0) + 1;
    placeIn.set(row.caseId, place);
    return place <= maxRules ? [{ row, source, user: row.userName?.toLowerCase() ?? '' }] : [];
  });
  if (wanted.length === 0) return new Map();
  const events = await eventStore.table(
    tx,
    { organisationIds: [organisationId] },
    {
      devices: [provider],
      start: Math.min(...wanted.map(({ row }) => row.at.getTime())) - beforeHours * hourMs,
      end: Math.max(...wanted.map(({ row }) => row.lastAt.getTime())) + afterHours * hourMs + 1,
    },
  );
  const { rows: found } = await sql<{ n: number; isManaged: boolean; isRisky: boolean; isShared: boolean }>`
    select q.n, e.* from unnest(${integerColumn(wanted.map((_, index) => index))}, ${textColumn(wanted.map(({ user }) => user))},
      ${textColumn(wanted.map(({ source }) => source.value))}, ${timeColumn(wanted.map(({ row }) => row.at.getTime()))},
      ${timeColumn(wanted.map(({ row }) => row.lastAt.getTime()))}) as q (n, person, address, first, last)
    cross join lateral (
      select bool_and(d."isManaged") filter (where d.own) as "isManaged",
        bool_or(coalesce(d.risk in ('medium', 'high'), false)) filter (where d.own) as "isRisky",
        coalesce(bool_or(d."isManaged") filter (where not d.own), false) as "isShared"
      from (
        select user_name, document from ${events} e
        where organisation_id = ${organisationId} and device_name = ${provider}
          and at between q.first - ${beforeHours} * interval '1 hour' and q.last + ${afterHours} * interval '1 hour'
        order by at desc limit ${maxSignIns}
      ) s
      cross join lateral (select coalesce(s.document -> 'properties', s.document) as body) b
      cross join lateral (
        select coalesce(b.body -> 'deviceDetail' ->> 'isManaged' = 'true' or b.body -> 'deviceDetail' ->> 'isCompliant' = 'true', false) as "isManaged",
          b.body ->> 'riskLevelDuringSignIn' as risk, b.body ->> 'ipAddress' as address, b.body -> 'status' ->> 'errorCode' as code,
          q.person = '' or lower(s.user_name) = q.person as own
      ) d
      where d.address = q.address and d.code = '0' and b.body -> 'deviceDetail' is not null
      having count(distinct s.user_name) filter (where d.own) >= case when q.person = '' then ${sql.lit(manyUsers)} else 1 end
    ) e`.execute(tx);
  return new Map(
    found.map(({ n, isManaged, isRisky, isShared }) => {
      const { row, source } = wanted[n]!;
      return [keyOf(row), { isManaged, isRisky, isShared, citation: { alertID: row.alertId, ...source } }];
    }),
  );
}
