/**
 * Alarms about how the portal itself is used: bursts of refused calls, of tries of what does not exist, of wrong passwords. Each burst leaves one row in
 * the audit log of the organisation that it concerns; its administrators get a mail, at most one an hour for the same subject.
 */
import { providerId } from '@parapet/contract/access.ts';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { scoped, type Tx } from '../../core/db/scope.ts';
import type { Alarm } from '../../core/http/budgets.ts';
import type { Log } from '../../core/log.ts';
import { recordAudit } from '../../domain/audit.ts';
import type { OutboxService } from '../outbox/outbox.service.ts';
import { findRecipients, hasOrganisation, wasMailed } from './alarms.store.ts';

type Kind = Alarm['kind'] | 'signIns';

/** Wrong passwords a minute against the accounts of one organisation. */
export const wrongPasswordsAMinute = 10;
/** Quiet for so long, the next excess is another burst. */
const burstMs = 10 * 60_000;
const maxRemembered = 10_000;

/** Who did it, as the mail says it, and what it was. */
const texts: Record<Kind, { title: string; happened: (who: string, limit: number) => string }> = {
  calls: {
    title: 'Unusually many requests',
    happened: (who, limit) => `${who} sent more than ${limit} requests within a minute. Further ones were refused.`,
  },
  refusals: {
    title: 'Many refused requests',
    happened: (who, limit) =>
      `${who} was refused more than ${limit} times within a minute for want of permission. All further requests were refused for the rest of that minute.`,
  },
  probing: {
    title: 'Signs of probing',
    happened: (who, limit) =>
      `${who} asked more than ${limit} times within a minute for things that do not exist, or tried names that are taken. All further requests were refused for the rest of that minute.`,
  },
  unknownCallers: {
    title: 'Many requests without a valid sign-in',
    happened: (who, limit) => `${who} sent more than ${limit} requests within a minute without a valid sign-in or key.`,
  },
  signIns: {
    title: 'Many wrong passwords',
    happened: (who, limit) =>
      `More than ${limit} wrong passwords were tried within a minute against accounts of your organisation, last from ${who}.`,
  },
};

interface Case extends Omit<Alarm, 'kind'> {
  kind: Kind;
  organisationId: number;
  /** What the alarm is about; with the kind it names what is mailed once an hour. */
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
  /** Counts one of an organisation; throws where there are too many within a minute. */
  countWrongPassword: (what: string, organisation: string) => void;
  /** For the process's metrics. */
  counted: (kind: Kind) => void;
  originOf: (tx: Tx, organisationId: number) => Promise<string>;
  log: Log;
}) {
  const underWay = new Set<Promise<void>>();
  const lastWrongPasswords = new Map<number, number>();

  const record = ({ kind, actor, organisationId, target, address, limit }: Case): Promise<void> =>
    scoped(db, 'system', async (tx) => {
      if (!(await hasOrganisation(tx, organisationId))) return;
      const action = `alarm.${kind}` as const;
      // Many requests of somebody who may make them are no reason for a mail.
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
          'If this was not expected, end the sessions and keys of the account and ask its owner.',
        ],
        action: { label: 'Open the audit log', url: `${await originOf(tx, organisationId)}/apps/audit` },
        notes: ['You get at most one mail an hour about the same.'],
      });
    });

  const raise = (alarm: Case): void => {
    counted(alarm.kind);
    const done: Promise<void> = record(alarm)
      .catch((error: unknown) =>
        log.error({ err: error, kind: alarm.kind, target: alarm.target }, 'an alarm could not be recorded'),
      )
      .finally(() => underWay.delete(done));
    underWay.add(done);
  };

  return {
    /** What exceeded a budget. Goes on by itself: the answer does not wait for it. */
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

    /** Waits for what is under way. */
    close: async (): Promise<void> => {
      await Promise.all(underWay);
    },
  };
}
