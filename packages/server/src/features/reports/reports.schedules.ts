/**
 * Scheduled reports by email. On its day of the month in the client’s zone, a schedule sends last month’s report exactly once across restarts
 * and processes; reports missed during downtime are sent afterwards.
 */
import { randomUUID } from 'node:crypto';
import { problem } from '@parapet/contract/problem.ts';
import type { reportSchedule } from '@parapet/contract/reports.ts';
import type { z } from 'zod';
import type { Blobs } from '../../core/blobs.ts';
import { type Clock, systemClock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { type Scope, scoped, type Tx } from '../../core/db/scope.ts';
import { type Actor, scopeFor } from '../../core/http/actor.ts';
import type { Log } from '../../core/log.ts';
import { onOneLine } from '../../core/mail/render.ts';
import { recordAudit } from '../../domain/audit.ts';
import { pdfType } from '../../domain/pdf.ts';
import type { BrandService } from '../brand/brand.service.ts';
import type { OutboxService } from '../outbox/outbox.service.ts';
import { calendarDay, type Month, monthBefore, monthKey, monthName } from './reports.months.ts';
import type { ReportsService } from './reports.service.ts';
import {
  type DueSchedule,
  insertSchedule,
  listAllSchedules,
  listOwnAddresses,
  listSchedules,
  lockSchedule,
  removeSchedule,
  updateSchedule,
} from './reports.work.store.ts';

type Schedule = z.input<typeof reportSchedule>;
export type ReportSchedules = ReturnType<typeof createReportSchedules>;

const maxSchedules = 100;

export interface ScheduleDeps {
  db: Database;
  clock?: Clock;
  reports: Pick<ReportsService, 'makePdf'>;
  blobs: Blobs;
  brand: Pick<BrandService, 'ofMails'>;
  outbox: Pick<OutboxService, 'queue'>;
  log: Log;
}

/** The month whose report is due; undefined when none is. */
export function dueMonth(
  { dayOfMonth, lastMonth, timeZone }: Omit<DueSchedule, 'id' | 'organisationId'>,
  now: number,
): Month | undefined {
  const today = calendarDay(now, timeZone);
  const month = monthBefore(today);
  return today.day >= dayOfMonth && lastMonth < monthKey(month) ? month : undefined;
}

export function createReportSchedules({ db, clock = systemClock, reports, blobs, brand, outbox, log }: ScheduleDeps) {
  const list = async (tx: Tx, scope: Scope): Promise<Schedule[]> =>
    (await listSchedules(tx, scope, maxSchedules)).map(({ lastSentAt, ...row }) => ({
      ...row,
      lastSentAt: lastSentAt?.toISOString() ?? null,
    }));

  /** Generates the report first and locks the schedule only while queueing the email. */
  const send = async (schedule: DueSchedule, month: Month): Promise<void> => {
    const key = monthKey(month);
    const { report, bytes, name } = await reports.makePdf(schedule.organisationId, month);
    // A unique name: another process may run the same schedule.
    const file = `reports/schedule-${schedule.id}/${key}-${randomUUID()}.pdf`;
    await blobs.put(file, bytes, pdfType);
    let isQueued = false;
    const queue = async (tx: Tx): Promise<void> => {
      const current = await lockSchedule(tx, schedule.id);
      if (!current || current.last_month >= key) return;
      const to = await listOwnAddresses(tx, schedule.organisationId, current.recipients);
      if (to.length === 0)
        throw new Error('None of its recipients is still a user or an escalation address of the client. Create a new schedule.');
      const { origin } = await brand.ofMails(tx, schedule.organisationId);
      const client = onOneLine(report.clientOrganizationName);
      const queued = await outbox.queue(tx, {
        organisationId: schedule.organisationId,
        kind: 'report.monthly',
        name: `report-${schedule.id}-${key}`,
        to,
        subject: `Security report ${monthName(month)}: ${client}`,
        title: `Security report, ${monthName(month)}`,
        facts: [['Client', client]],
        paragraphs: [...report.summary, 'The full report is attached.'],
        action: { label: 'Open the reports', url: `${origin}/apps/reporting` },
        notes: [
          'You receive this report because of a schedule that your administrator set up. Contact them to change or end it.',
        ],
        attachments: [{ key: file, name, type: pdfType }],
      });
      isQueued = queued !== undefined;
      await updateSchedule(tx, schedule.id, { last_month: key, last_sent_at: new Date(clock.now()), last_error: '' });
    };
    try {
      await scoped(db, 'system', queue);
    } catch (error) {
      isQueued = false;
      throw error;
    } finally {
      if (!isQueued) await blobs.remove(file);
    }
  };

  const sendAll = async (): Promise<void> => {
    const now = clock.now();
    for (const schedule of await scoped(db, 'system', listAllSchedules)) {
      const month = dueMonth(schedule, now);
      if (!month) continue;
      try {
        await send(schedule, month);
      } catch (error) {
        log.warn({ err: error, schedule: schedule.id }, 'could not send a scheduled report; will retry');
        const text = error instanceof Error ? error.message : String(error);
        await scoped(db, 'system', (tx) => updateSchedule(tx, schedule.id, { last_error: text.slice(0, 500) }));
      }
    }
  };
  let sending: Promise<void> | undefined;

  return {
    async list(actor: Actor, client: number): Promise<{ results: Schedule[]; total: number }> {
      const scope = scopeFor(actor, client);
      const results = await scoped(db, scope, (tx) => list(tx, scope), { readOnly: true });
      return { results, total: results.length };
    },

    async add(actor: Actor, client: number, body: { dayOfMonth: number; recipients: readonly string[] }): Promise<Schedule> {
      const scope = scopeFor(actor, client);
      return scoped(db, scope, async (tx) => {
        const recipients = await listOwnAddresses(tx, client, body.recipients);
        const own = new Set(recipients.map((address) => address.toLowerCase()));
        const strange = body.recipients.find((address) => !own.has(address.toLowerCase()));
        if (strange !== undefined)
          throw problem.invalid({
            recipients: [
              `${strange.slice(0, 200)} is neither a user nor an escalation address of this client. Add it there first, or choose another.`,
            ],
          });
        const existing = await list(tx, scope);
        if (existing.length >= maxSchedules)
          throw problem.conflict(`This client has ${maxSchedules} schedules, the maximum. Remove one first.`);
        const found = await tx.selectFrom('organisations').select('time_zone').where('id', '=', client).executeTakeFirstOrThrow();
        const today = calendarDay(clock.now(), found.time_zone);
        // Created after its day: starts with the next month.
        const lastMonth = today.day > body.dayOfMonth ? monthKey(monthBefore(today)) : '';
        const id = await insertSchedule(tx, {
          organisationId: client,
          dayOfMonth: body.dayOfMonth,
          recipients,
          userId: actor.userId,
          userName: actor.displayName,
          lastMonth,
        });
        await recordAudit(tx, actor, {
          action: 'reportSchedule.created',
          organisationId: client,
          target: String(id),
          after: { dayOfMonth: body.dayOfMonth, recipients },
        });
        return (await list(tx, scope)).find((schedule) => schedule.id === id)!;
      });
    },

    async remove(actor: Actor, client: number, id: number): Promise<void> {
      const scope = scopeFor(actor, client);
      await scoped(db, scope, async (tx) => {
        const before = await removeSchedule(tx, scope, id);
        if (!before) throw problem.notFound('schedule', id);
        await recordAudit(tx, actor, {
          action: 'reportSchedule.removed',
          organisationId: client,
          target: String(id),
          before: { dayOfMonth: before.day_of_month, recipients: before.recipients },
        });
      });
    },

    /** Sends due reports; called on a timer. */
    sendDue(): Promise<void> {
      sending ??= sendAll().finally(() => {
        sending = undefined;
      });
      return sending;
    },
  };
}
