/** Handling time of a closing: the time in which people worked on the case since it was opened or reopened, without waits for the client. */
import { type CaseStatus, investigationStatusIds, isClosed } from '@parapet/contract/rules/cases.ts';
import { sql } from 'kysely';
import type { Tx } from '../../core/db/scope.ts';

/** Entry of a case's history; a part that is absent stays. */
export interface Step {
  at: Date;
  status: CaseStatus | null;
  investigation: number | null;
  isAcknowledged: boolean;
}

const inWork: ReadonlySet<CaseStatus> = new Set(['assigned', 'investigating', 'malicious']);

/** Minutes of work before the closing at `until`, by the steps before it, oldest first. */
export function handledMinutes(steps: readonly Step[], until: Date): number {
  let ms = 0;
  let since: number | undefined;
  let status: CaseStatus = 'open';
  const setWorking = (isWorking: boolean, at: number) => {
    if (since !== undefined && !isWorking) ms += at - since;
    since = isWorking ? (since ?? at) : undefined;
  };
  for (const { at, status: next, investigation, isAcknowledged } of steps) {
    if (next !== null) {
      if (isClosed(status) && !isClosed(next)) ms = 0;
      status = next;
    }
    const isWaiting = investigation === investigationStatusIds.waitingForClient;
    if (next !== null || investigation !== null) setWorking(inWork.has(status) && !isWaiting, at.getTime());
    if (isAcknowledged && !isClosed(status)) setWorking(true, at.getTime());
  }
  setWorking(false, until.getTime());
  return ms / 60_000;
}

const maxSteps = 2_000;

/** Of the closing of a case at a time. */
export async function readHandledMinutes(
  tx: Tx,
  { clientId, caseId }: { clientId: number; caseId: number },
  until: Date,
): Promise<number> {
  const { rows } = await sql<Step>`
    select * from (select h.id, h.at, h.after ->> 'status' as status,
        case when h.after -> 'investigationStatus' is distinct from h.before -> 'investigationStatus'
          then (h.after ->> 'investigationStatus')::integer end as investigation,
        coalesce(h.after ->> 'acknowledged' = 'true', false) as "isAcknowledged"
      from case_history h where h.case_id = ${caseId} and h.organisation_id = ${clientId} and h.at < ${until}
        and h.kind in ('status', 'assignment') and h.after is not null
      order by h.at desc, h.id desc limit ${maxSteps}) newest order by at, id`.execute(tx);
  return handledMinutes(rows, until);
}

/** True for the delivery of a closing, by its facts. */
export const isClosing = ({ status, previousStatus }: Record<string, unknown>): boolean =>
  isClosed(status as CaseStatus) && !isClosed(previousStatus as CaseStatus);
