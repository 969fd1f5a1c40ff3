/**
 * Alarms about misuse of the portal: bursts of refused calls, of probing and of wrong passwords. Each burst writes one audit entry of
 * the organisation concerned and emails its administrators at most once an hour per subject.
 */
import { providerId } from '@parapet/contract/access.ts';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { scoped, type Tx } from '../../core/db/scope.ts';
import type { Alarm } from '../../core/http/budgets.ts';
import type { Log } from '../../core/log.ts';
import { recordAudit } from '../../domain/audit.ts';
import { hasOrganisation } from '../../domain/organisations.ts';
import type { OutboxService } from '../outbox/outbox.service.ts';
import { findRecipients, wasMailed } from './alarms.store.ts';

type Kind = Alarm['kind'] | 'signIns';

/** Limit of wrong passwords per minute against the accounts of one organisation. */
export const wrongPasswordsAMinute = 10;
/** Quiet time in milliseconds that separates two bursts. */
const burstMs = 10 * 60_000;
const maxRemembered = 10_000;

/** Title and description of an alarm’s email; `who` names the account or address. */
const texts: Record<Kind, { title: string; happened: (who: string, limit: number) => string }> = {
  calls: {
    title: 'Unusually many requests',
    happened: (who, limit) => `${who} sent more than ${limit} requests within a minute. Further ones were refused.`,
  },
  refusals: {
    title: 'Many refused requests',
    happened: (who, limit) =>
      `${who} was refused more than ${limit} times within a minute because of missing permissions. All further requests were refused for the rest of that minute.`,
  },
  probing: {
    title: 'Signs of probing',
    happened: (who, limit) =>
      `${who} requested missing objects or tried taken names more than ${limit} times within a minute. All further requests were refused for the rest of that minute.`,
  },
  unknownCallers: {
    title: 'Many requests without a valid sign-in',
    happened: (who, limit) => `${who} sent more than ${limit} requests within a minute without a valid sign-in or key.`,
  },
  signIns: {
    title: 'Many wrong passwords',
    happened: (who, limit) =>
      `More than ${limit} sign-ins to accounts of your organisation failed within a minute because of wrong passwords, most recently from ${who}.`,
  },
};

interface Case extends Omit<Alarm, 'kind'> {
  kind: Kind;
  organisationId: number;
  /** Subject of the alarm; emails are limited to one an hour per kind and target. */
  target: string;
}

export type AlarmsService = ReturnType<typeof createAlarmsService>;

export function createAlarmsService({
  db,
  clock,
  outbox,
  countWrongPassword,
  counted,
  originOf,
  log,
}: {
  db: Database;
  clock: Clock;
  outbox: OutboxService;
  /** Counts a failure of an organisation; throws beyond the limit per minute. */
  countWrongPassword: (action: string, organisation: string) => void;
  /** Counter of the process’s metrics. */
  counted: (kind: Kind) => void;
  originOf: (tx: Tx, organisationId: number) => Promise<string>;
  log: Log;
}) {
  const pending = new Set<Promise<void>>();
  const lastWrongPasswords = new Map<number, number>();

  const record = ({ kind, actor, organisationId, target, address, limit }: Case): Promise<void> =>
    scoped(db, 'system', async (tx) => {
      if (!(await hasOrganisation(tx, organisationId))) return;
      const action = `alarm.${kind}` as const;
      // Many permitted requests are recorded without an email.
      const isDue = kind !== 'calls' && !(await wasMailed(tx, organisationId, action, target));
      const to = isDue ? await findRecipients(tx, organisationId, actor?.userId ?? null) : [];
      await recordAudit(tx, actor ?? { userId: null, organisationId, address }, {
        action,
        organisationId,
        target,
        after: { address, limitPerMinute: limit, isMailed: to.length > 0 },
      });
      if (to.length === 0) return;
      const { title, happened } = texts[kind];
      const who = actor ? `${actor.email}${actor.apiKey ? ` (API key ${actor.apiKey.id})` : ''} from ${address}` : address;
      await outbox.queue(tx, {
        organisationId,
        kind: action,
        to,
        subject: title,
        title,
        paragraphs: [
          happened(who, limit),
          'If this is unexpected, revoke the account’s sessions and API keys and contact its owner.',
        ],
        action: { label: 'Open the audit log', url: `${await originOf(tx, organisationId)}/apps/audit` },
        notes: ['At most one email an hour is sent about the same activity.'],
      });
    });

  const raise = (alarm: Case): void => {
    counted(alarm.kind);
    const done: Promise<void> = record(alarm)
      .catch((error: unknown) => log.error({ err: error, kind: alarm.kind, target: alarm.target }, 'recording an alarm failed'))
      .finally(() => pending.delete(done));
    pending.add(done);
  };

  return {
    /** Raises an alarm about an exceeded budget in the background; the response does not wait. */
    raise: (alarm: Alarm): void =>
      raise({
        ...alarm,
        organisationId: alarm.actor?.organisationId ?? providerId,
        target: alarm.actor
          ? alarm.actor.apiKey
            ? `API key ${alarm.actor.apiKey.id}`
            : String(alarm.actor.userId)
          : alarm.address,
      }),

    /** Counts a wrong password against an account of the organisation. */
    wrongPassword(organisationId: number, address: string): void {
      try {
        countWrongPassword('wrong password', String(organisationId));
      } catch {
        const now = clock.now();
        const isNew = (lastWrongPasswords.get(organisationId) ?? 0) < now - burstMs;
        if (lastWrongPasswords.size >= maxRemembered) lastWrongPasswords.clear();
        lastWrongPasswords.set(organisationId, now);
        if (isNew)
          raise({
            kind: 'signIns',
            actor: undefined,
            organisationId,
            target: `organisation ${organisationId}`,
            address,
            limit: wrongPasswordsAMinute,
          });
      }
    },

    /** Waits for running recordings. */
    close: async (): Promise<void> => {
      await Promise.all(pending);
    },
  };
}
