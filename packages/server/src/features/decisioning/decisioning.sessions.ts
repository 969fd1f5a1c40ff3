/** Sign-ins behind an activity in a cloud service: of the same user from the same address, with the identity provider's record of the device. */
import { hourMs } from '@parapet/contract/rules/duration.ts';
import type { Tx } from '../../core/db/scope.ts';
import { eventStore, type StoredEvent } from '../../domain/events/eventStore.ts';
import { textAt, valueAt } from '../../domain/events/fields.ts';
import { citedField } from '../../domain/field-places.ts';
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
  const signIns = await eventStore.newest(
    tx,
    { organisationIds: [organisationId] },
    wanted.map(({ row }) => ({
      devices: [provider],
      start: row.at.getTime() - beforeHours * hourMs,
      end: row.lastAt.getTime() + afterHours * hourMs + 1,
      limit: maxSignIns,
    })),
  );
  return new Map(
    wanted.flatMap(({ row, source, user }, index): [string, Session][] => {
      const session = sessionOf(signIns[index]!, user, source.value);
      return session ? [[keyOf(row), { ...session, citation: { alertID: row.alertId, ...source } }]] : [];
    }),
  );
}

/** Of successful sign-ins from an address, by a person or without one. */
function sessionOf(signIns: readonly StoredEvent[], person: string, address: string): Omit<Session, 'citation'> | undefined {
  const users = new Set<string>();
  let [isManaged, isRisky, isShared] = [true, false, false];
  for (const { userName, document } of signIns) {
    const body = valueAt(document, 'properties') ?? document;
    const device = valueAt(body, 'deviceDetail');
    if (device === undefined || textAt(body, 'ipAddress') !== address || textAt(body, 'status', 'errorCode') !== '0') continue;
    const isOnManaged = textAt(device, 'isManaged') === 'true' || textAt(device, 'isCompliant') === 'true';
    if (person === '' || userName?.toLowerCase() === person) {
      if (userName !== null) users.add(userName);
      isManaged &&= isOnManaged;
      isRisky ||= ['medium', 'high'].includes(textAt(body, 'riskLevelDuringSignIn') ?? '');
    } else if (userName !== null) isShared ||= isOnManaged;
  }
  return users.size >= (person === '' ? manyUsers : 1) ? { isManaged, isRisky, isShared } : undefined;
}
