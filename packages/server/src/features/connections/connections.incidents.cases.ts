/** One comparison of an incident with its cases, in a transaction that locks both: cases follow the vendor where they may, and what is to be sent is returned. */
import type { IncidentChange, IncidentState, VendorIncident } from '@parapet/connectors/incidents.ts';
import { type CaseStatus, isClosed, mayFollow, resolutionLabel, statusLabel } from '@parapet/contract/rules/cases.ts';
import { hourMs } from '@parapet/contract/rules/duration.ts';
import type { Tx } from '../../core/db/scope.ts';
import type { Agreed, IncidentMode } from '../../core/db/tables.connections.ts';
import type { BrandService } from '../brand/brand.service.ts';
import type { CaseRecord, OutsideCases } from '../cases/cases.ports.ts';
import {
  beginning,
  type CaseState,
  type Comparison,
  compare,
  isSame,
  resolutionOfClass,
  wantedOf,
} from './connections.incidents.rules.ts';
import * as store from './connections.incidents.store.ts';

/** An incident is read on its own so often; changes are found by a list each minute. */
const checkEveryMs = hourMs;

export interface CompareDeps {
  brand: Pick<BrandService, 'ofMails'>;
  cases: () => OutsideCases;
}

export interface Compared {
  /** To be agreed once the vendor shows it. */
  agreed: Agreed;
  change: IncidentChange | undefined;
  comment: string | undefined;
}

interface Place {
  organisationId: number;
  who: string;
  mode: IncidentMode;
  readAt: Date;
}

/** Undefined where nothing is to be sent. */
export async function compareIncident(
  tx: Tx,
  deps: CompareDeps,
  row: store.IncidentRow,
  now: VendorIncident,
  place: Place,
): Promise<Compared | undefined> {
  const { organisationId, who, mode, readAt } = place;
  const cases = deps.cases();
  const brand = await deps.brand.ofMails(tx, organisationId);
  const records = await lockCases(tx, cases, organisationId, row.id);
  if (records.length === 0) return undefined;
  const stateOf = async (record: CaseRecord): Promise<CaseState> => ({
    status: record.status as CaseStatus,
    resolution: record.resolution as CaseState['resolution'],
    analyst: await analystOf(tx, record, brand.name),
  });
  const wanted = wantedOf(await Promise.all(records.map(stateOf)));
  const before = row.agreed ?? beginning;
  const compared = compare(before, wanted, now, mode);
  const { vendor, change, isMoved } = compared;
  if (isReopened(row, now))
    for (const record of records) await cases.incidentReopened(tx, record, `${capital(now.kind)} ${now.id} at ${who}`);
  const followed = vendor === 'close' || vendor === 'reopen' ? await follow(tx, cases, records, now, who) : undefined;
  const after = followed ? wantedOf(await Promise.all(followed.records.map(stateOf))) : wanted;
  // The analyst of a case that just followed is sent by the next comparison.
  const agreed = { wanted: followed ? { ...after, assignedTo: before.wanted.assignedTo } : after, state: now.state };
  const conflict = followed ? followed.conflict : await conflictOf(tx, cases, row, records, { now, vendor, who });
  const hasMoved = mode !== 'read' && !followed && wanted.state !== before.wanted.state;
  const { pending, isNew } = commentFor(row, records, {
    state: change?.state,
    wanted: hasMoved ? wanted.state : undefined,
    brand,
  });
  const sends = change !== undefined || pending !== undefined;
  await store.saveIncident(
    tx,
    row.id,
    now,
    {
      ...(!sends && { agreed }),
      comment: pending ?? null,
      isCounted: isNew,
      isSending: sends,
      failures: sends ? row.failures : 0,
      error: null,
      // It stays while the two sides differ.
      conflict: conflict !== undefined ? conflict : isMoved && isSame(now.state, after.state) ? null : undefined,
      nextAt: sends || followed ? readAt : new Date(readAt.getTime() + checkEveryMs),
      isCompared: true,
    },
    readAt,
  );
  return sends ? { agreed: { wanted: after, state: now.state }, change, comment: pending } : undefined;
}

/** True once after people opened it again at the vendor: what the portal itself sends has a comment until it is confirmed. */
const isReopened = ({ agreed, comment, failures }: store.IncidentRow, now: VendorIncident): boolean =>
  agreed?.state === 'closed' && now.state !== 'closed' && comment === null && failures === 0;

async function lockCases(tx: Tx, cases: OutsideCases, organisationId: number, incidentId: number): Promise<CaseRecord[]> {
  const records: CaseRecord[] = [];
  for (const id of await store.listCaseIds(tx, organisationId, incidentId)) {
    const record = await cases.lock(tx, organisationId, id);
    if (record) records.push(record);
  }
  return records;
}

/** Own people by their address; the client reads no names of the provider's staff. */
async function analystOf(tx: Tx, record: CaseRecord, brandName: string): Promise<string | null> {
  if (record.analyst_user_id === null) return null;
  return (await store.isOwnUser(tx, record.organisation_id, record.analyst_user_id)) ? record.analyst_email : brandName;
}

/** Closes or reopens the cases as the vendor did. Cases whose rules forbid it stay, with a note. */
async function follow(tx: Tx, cases: OutsideCases, records: readonly CaseRecord[], now: VendorIncident, who: string) {
  const closes = now.state === 'closed';
  const resolution = now.classification === null ? undefined : resolutionOfClass[now.classification];
  const classified = closes && resolution ? ` and classified as ${resolutionLabel(resolution).toLowerCase()}` : '';
  const by = `${now.kind} ${now.id} at ${who}, ${closes ? 'resolved' : 'reopened'}${classified} there`;
  const faults: string[] = [];
  const after: CaseRecord[] = [];
  for (const record of records) {
    if (isClosed(record.status as CaseStatus) === closes) {
      after.push(record);
      continue;
    }
    const status = closes ? closingStatusOf(record.status as CaseStatus) : 'investigating';
    const applied = await cases.applyStatus(tx, record, status, by, closes ? resolution : undefined);
    after.push('after' in applied ? applied.after : record);
    if ('after' in applied) continue;
    const text = `${capital(by)}. Case ${record.id} stays "${statusLabel(record.status as CaseStatus)}": ${applied.fault}`;
    faults.push(text);
    await cases.addNote(tx, record, { author: who, source: who, text, isInternal: true });
  }
  return { records: after, conflict: faults.length > 0 ? faults.join(' ') : null };
}

/** An escalated case has an end of its own. */
export const closingStatusOf = (now: CaseStatus): CaseStatus =>
  !mayFollow(now, 'closed') && mayFollow(now, 'escalated:closed') ? 'escalated:closed' : 'closed';

/** Words about a difference, also as a note of the cases where their state replaces the vendor's. */
async function conflictOf(
  tx: Tx,
  cases: OutsideCases,
  row: Pick<store.IncidentRow, 'conflict'>,
  records: readonly CaseRecord[],
  { now, vendor, who }: { now: VendorIncident; vendor: Comparison['vendor']; who: string },
): Promise<string | undefined> {
  if (vendor !== 'differs' && vendor !== 'overruled') return undefined;
  const became = `${capital(now.kind)} ${now.id} became "${now.status}" at ${who}`;
  if (vendor === 'differs')
    return `${became}. ${records.length === 1 ? 'The case stays' : 'Its cases stay'} as before: this connection doesn’t change cases.`;
  const text = store.wordsOf(
    `${became} (${new Date(now.changedAt).toISOString().slice(0, 16).replace('T', ' ')} UTC), and its case changed too. It follows the case.`,
  );
  if (text === row.conflict) return text;
  for (const record of records) await cases.addNote(tx, record, { author: who, source: who, text, isInternal: true });
  return text;
}

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

const verbs = { open: 'Open', working: 'In work', closed: 'Closed' } as const;

/** The comment that goes with a changed state; one that a process died over, or that the vendor does not show yet, is kept as it is. */
function commentFor(
  row: store.IncidentRow,
  records: readonly CaseRecord[],
  { state, wanted, brand }: { state: IncidentState | undefined; wanted: IncidentState | undefined; brand: Named },
): { pending: string | undefined; isNew: boolean } {
  if (wanted && row.comment?.startsWith(`${verbs[wanted]} in `)) return { pending: row.comment, isNew: false };
  return state === undefined
    ? { pending: undefined, isNew: false }
    : { pending: commentOf(row, records, state, brand), isNew: true };
}

interface Named {
  name: string;
  origin: string;
}

/** Its last line is unlike that of every other comment, so that a repetition is recognised. */
function commentOf(
  { id, comments }: Pick<store.IncidentRow, 'id' | 'comments'>,
  records: readonly CaseRecord[],
  state: IncidentState,
  { name, origin }: Named,
): string {
  const shown = records.slice(0, 5).map((record) => {
    const resolution =
      state === 'closed' && record.resolution && record.resolution !== 'notStated' ? record.resolution : undefined;
    return `Case ${record.id}${resolution ? ` (${resolutionLabel(resolution as never)})` : ''}: ${origin}/apps/case/${record.id}`;
  });
  return [`${verbs[state]} in ${name}.`, ...shown, `Ref: ${id}-${comments + 1}`].join('\n');
}
