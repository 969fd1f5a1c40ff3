/**
 * Persons behind an activity on a machine: the account, or for root the one that signed in before; on how many days before it worked there, and
 * from where it came.
 */
import { sql } from 'kysely';
import { integerColumn, textColumn, timeColumn } from '../../core/db/bulk.ts';
import type { Tx } from '../../core/db/scope.ts';
import { accountOf } from '../../domain/accounts.ts';
import { eventStore } from '../../domain/events/eventStore.ts';
import { valuesAt } from '../../domain/field-places.ts';
import { dayMs } from '../../domain/ranges.ts';
import { listSharedDevices } from '../../domain/sharedDevices.ts';
import type { RuleRow } from './decisioning.rules.ts';
import { isInternal } from './decisioning.telling.ts';
import type { Citation, Person } from './decisioning.types.ts';

/** Days before that count, and events of the device that are read of each. */
const usualDays = 10;
const maxOfDay = 500;
/** A sign-in stands for what its account does within this time, and for what root or another shared account does within a shorter one; of so many events of the device the newest is searched. */
const sessionHours = 12;
const nearHours = 1;
const maxOfSession = 1_000;

const userFields = ['user.audit.name', 'user.name', 'user.email', 'user.target.name', 'UserId', 'userPrincipalName'];
const hasWindows = (document: unknown): boolean => typeof document === 'object' && document !== null && 'winlog' in document;

interface Behind {
  row: RuleRow;
  name: string;
  citation: Citation;
  /** False for root and other shared accounts. */
  isPerson: boolean;
  /** On Windows the user of a workstation is at home there in any phishing case as well. */
  isWindows: boolean;
}

/** The account of a rule's first event, the one that signed in before the one that it became. */
function behind(row: RuleRow): Behind | undefined {
  const found = userFields.flatMap((field) => valuesAt(row.document, field).map((value) => ({ field, value })));
  const placed = found.find(({ value }) => accountOf(value) !== undefined) ?? found[0];
  if (!placed) return undefined;
  const isWindows = hasWindows(row.document);
  const isPerson = accountOf(placed.value) !== undefined;
  if (isWindows && !isPerson) return undefined;
  // Events of Windows are stored under the name with its domain.
  const own = row.userName?.toLowerCase() ?? '';
  const name = placed.value.toLowerCase();
  return {
    row,
    name: own.endsWith(`\\${name}`) ? own : name,
    citation: { alertID: row.alertId, ...placed },
    isPerson,
    isWindows,
  };
}

/** The person behind the worst rule of each case that has one, by case and rule. */
export async function readPersons(tx: Tx, organisationId: number, rows: readonly RuleRow[]): Promise<Map<string, Person>> {
  const shared = await listSharedDevices(tx, organisationId);
  const first = new Map<number, Behind>();
  for (const row of rows) {
    if (row.deviceName === null || shared.has(row.deviceName.toLowerCase())) continue;
    const known = first.get(row.caseId);
    if (known?.isPerson) continue;
    const found = behind(row);
    if (found && (!known || found.isPerson)) first.set(row.caseId, found);
  }
  const wanted = [...first.values()];
  if (wanted.length === 0) return new Map();
  const asked = sql`unnest(${integerColumn(wanted.map((_, index) => index))}, ${textColumn(wanted.map(({ row }) => row.deviceName))},
    ${textColumn(wanted.map(({ name }) => name))}, ${textColumn(wanted.map(({ isPerson }) => (isPerson ? null : 'yes')))}, ${timeColumn(wanted.map(({ row }) => row.at.getTime()))},
    ${timeColumn(wanted.map(({ row }) => row.lastAt.getTime()))}) as q (n, device, person, shared, at, last)`;
  const events = await eventStore.table(
    tx,
    { organisationIds: [organisationId] },
    {
      devices: [...new Set(wanted.map(({ row }) => row.deviceName!))],
      start: Math.min(...wanted.map(({ row }) => row.at.getTime())) - (usualDays + 0.5) * dayMs,
      end: Math.max(...wanted.map(({ row }) => row.lastAt.getTime())) + 1,
    },
  );
  const ofDay = sql`(
    select user_name, text from ${events} e where organisation_id = ${organisationId} and device_name = q.device
      and at > q.at - (day + 0.5) * interval '1 day' and at <= q.at - (day - 0.5) * interval '1 day'
    order by at desc limit ${maxOfDay}
  )`;
  const { rows: found } = await sql<{
    n: number;
    days: number;
    address: string | null;
    addressDays: number;
    signedIn: string | null;
  }>`
    select q.n, s.address, s.person as "signedIn", d.days, d."addressDays" from ${asked}
    left join lateral (
      select coalesce(e.document #>> '{source,ip}', e.document ->> 'source.ip') as address, lower(e.user_name) as person from (
        select at, user_name, document from ${events} e where organisation_id = ${organisationId} and device_name = q.device
          and at between q.at - ${sessionHours} * interval '1 hour' and q.last order by at desc limit ${maxOfSession}
      ) e
      where (lower(e.user_name) = q.person or (q.shared is not null and e.at >= q.at - ${nearHours} * interval '1 hour'))
        and e.document -> 'event' -> 'category' ? 'authentication' and e.document -> 'event' ->> 'outcome' = 'success'
        and coalesce(e.document #>> '{source,ip}', e.document ->> 'source.ip') is not null
      order by e.at desc limit 1
    ) s on true
    cross join lateral (
      select count(*) filter (where exists (select from ${ofDay} e where lower(e.user_name) = coalesce(s.person, q.person)))::integer as days,
        count(*) filter (where s.address is not null and exists (
          select from ${ofDay} e where lower(e.user_name) = coalesce(s.person, q.person) and position(' ' || s.address || ' ' in e.text || ' ') > 0
        ))::integer as "addressDays"
      from generate_series(1, ${sql.lit(usualDays)}) as day
    ) d`.execute(tx);
  return new Map(
    found.flatMap(({ n, days, address, addressDays, signedIn }): [string, Person][] => {
      const { row, name, citation, isPerson, isWindows } = wanted[n]!;
      const entry = address === null ? undefined : { isOutside: !isInternal(address), days: addressDays };
      const through = signedIn !== null && signedIn !== name ? signedIn : undefined;
      const hasHabits = !isWindows && (isPerson || accountOf(through) !== undefined);
      const person = { days: hasHabits ? days : 0, citation, entry, through };
      return person.days === 0 && !entry ? [] : [[`${row.caseId} ${row.ruleId}`, person]];
    }),
  );
}
