/**
 * Persons behind an activity on a machine: the account, or for root the one that signed in before; on how many days before it worked there, and
 * from where it came.
 */
import { dayMs, hourMs } from '@parapet/contract/rules/duration.ts';
import type { Tx } from '../../core/db/scope.ts';
import { accountOf } from '../../domain/accounts.ts';
import { eventStore, type StoredEvent } from '../../domain/events/eventStore.ts';
import { textAt, valueAt } from '../../domain/events/fields.ts';
import { valuesAt } from '../../domain/field-places.ts';
import { listSharedDevices } from '../../domain/sharedDevices.ts';
import type { RuleRow } from './decisioning.rules.ts';
import { isInternal } from './decisioning.signals.ts';
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

const addressOf = ({ document }: StoredEvent): string | undefined =>
  textAt(document, 'source', 'ip') ?? textAt(document, 'source.ip');

/** A successful sign-in by the account, or shortly before what a shared one does. */
function isSignIn(event: StoredEvent, { name, row, isPerson }: Behind): boolean {
  const isNear = !isPerson && event.at >= row.at.getTime() - nearHours * hourMs;
  return (
    (event.userName?.toLowerCase() === name || isNear) &&
    [valueAt(event.document, 'event', 'category')].flat().includes('authentication') &&
    textAt(event.document, 'event', 'outcome') === 'success' &&
    addressOf(event) !== undefined
  );
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
  const scope = { organisationIds: [organisationId] };
  const before = await eventStore.newest(
    tx,
    scope,
    wanted.map(({ row }) => ({
      devices: [row.deviceName!],
      start: row.at.getTime() - sessionHours * hourMs,
      end: row.lastAt.getTime() + 1,
      limit: maxOfSession,
    })),
  );
  const ofDays = await eventStore.newest(
    tx,
    scope,
    wanted.flatMap(({ row }) =>
      Array.from({ length: usualDays }, (_, index) => ({
        devices: [row.deviceName!],
        start: row.at.getTime() - (index + 1.5) * dayMs + 1,
        end: row.at.getTime() - (index + 0.5) * dayMs + 1,
        limit: maxOfDay,
      })),
    ),
    { isOfHeads: true },
  );
  const found = wanted.map((each, n) => {
    const signIn = before[n]!.find((event) => isSignIn(event, each));
    const address = signIn && addressOf(signIn);
    const person = signIn?.userName?.toLowerCase();
    const days = ofDays
      .slice(n * usualDays, (n + 1) * usualDays)
      .map((events) => events.filter(({ userName }) => userName?.toLowerCase() === (person ?? each.name)));
    const hasAddress = ({ text }: StoredEvent) => address !== undefined && `${text} `.includes(` ${address} `);
    return {
      n,
      address,
      signedIn: person,
      days: days.filter((events) => events.length > 0).length,
      addressDays: days.filter((events) => events.some(hasAddress)).length,
    };
  });
  return new Map(
    found.flatMap(({ n, days, address, addressDays, signedIn }): [string, Person][] => {
      const { row, name, citation, isPerson, isWindows } = wanted[n]!;
      const entry = address === undefined ? undefined : { isOutside: !isInternal(address), days: addressDays };
      const through = signedIn === name ? undefined : signedIn;
      const hasHabits = !isWindows && (isPerson || accountOf(through) !== undefined);
      const person = { days: hasHabits ? days : 0, citation, entry, through };
      return person.days === 0 && !entry ? [] : [[`${row.caseId} ${row.ruleId}`, person]];
    }),
  );
}
