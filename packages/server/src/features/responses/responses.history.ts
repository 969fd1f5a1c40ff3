import type { Tx } from '../../core/db/scope.ts';
import type { Actor } from '../../core/http/actor.ts';
import { type AuditChange, type CaseActions, recordAudit } from '../../domain/audit.ts';
import type { CaseAccess, CaseChange, CaseRecord } from '../cases/cases.ports.ts';
import type { ResponseRecord } from './responses.store.ts';

type ResponseChange = AuditChange<Extract<keyof CaseActions, `response.${string}`>>;

export type StepLog = ReturnType<typeof createStepLog>;

/**
 * Logs a step of a request: on its case's timeline, to live screens and in the audit log. `set` also changes columns of the case. Without an actor the
 * step is the portal's or an agent's.
 */
export const createStepLog =
  ({ cases }: { cases: CaseAccess }) =>
  async (
    tx: Tx,
    actor: Actor | undefined,
    record: CaseRecord | undefined,
    { id, organisation_id: organisationId }: Pick<ResponseRecord, 'id' | 'organisation_id'>,
    { text, set, ...entry }: ResponseChange & { text: string; set?: CaseChange['set'] },
  ): Promise<void> => {
    const change = { ...entry, history: { kind: 'response' as const, text: text.slice(0, 2000) } };
    if (record)
      await (set ? cases.change(tx, actor, record, { set, ...change }) : cases.recordHistory(tx, actor, record, change));
    if (!record || !actor)
      await recordAudit(tx, actor ?? { userId: null, organisationId, address: '' }, {
        ...entry,
        organisationId,
        target: String(record?.id ?? id),
      });
  };
