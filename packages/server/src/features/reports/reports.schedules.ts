/**
 * Scheduled reports by email. On its day of the month in the client’s zone, a schedule sends last month’s report exactly once across restarts
 * and processes; reports missed during downtime are sent afterwards.
 */
import { randomUUID } from 'node:crypto';
import { problem } from '@parapet/contract/problem.ts';
import type { Report, reportSchedule } from '@parapet/contract/reports.ts';
import type { Query } from '@parapet/contract/rules/query.ts';
import type { z } from 'zod';
import type { Blobs } from '../../core/blobs.ts';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { type Scope, scoped, type Tx } from '../../core/db/scope.ts';
import { type Actor, scopeFor } from '../../core/http/actor.ts';
import type { Log } from '../../core/log.ts';
import { type MailContent, onOneLine } from '../../core/mail/render.ts';
import { singleFlight } from '../../core/singleFlight.ts';
import { recordAudit } from '../../domain/audit.ts';
import { queueDeliveries } from '../../domain/causes.ts';
import { pdfType } from '../../domain/pdf.ts';
import { type QueryRows, queryRows } from '../../domain/query/listed.ts';
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

interface ScheduleBody {
  dayOfMonth: number;
  recipients: readonly string[];
}

const maxSchedules = 100;

export interface ScheduleDeps {
  db: Database;
  clock: Clock;
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

export function createReportSchedules(deps: ScheduleDeps) {
  const { db, clock } = deps;
  return {
    async list(actor: Actor, client: number, query?: Query): Promise<{ results: Schedule[]; total: number }> {
      const scope = scopeFor(actor, client);
      const rows = queryRows(actor, scope, query, clock.now());
      const results = await scoped(db, scope, (tx) => list(tx, scope, rows), { readOnly: true });
      return { results, total: results.length };
    },

    add: (actor: Actor, client: number, body: ScheduleBody): Promise<Schedule> => add(deps, actor, client, body),

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
    sendDue: singleFlight(() => sendDue(deps)),
  };
}

const list = async (tx: Tx, scope: Scope, rows?: QueryRows): Promise<Schedule[]> =>
  (await listSchedules(tx, scope, maxSchedules, rows)).map(({ lastSentAt, ...row }) => ({
    ...row,
    lastSentAt: lastSentAt?.toISOString() ?? null,
  }));

async function add({ db, clock }: ScheduleDeps, actor: Actor, client: number, body: ScheduleBody): Promise<Schedule> {
  const scope = scopeFor(actor, client);
  const { dayOfMonth } = body;
  return scoped(db, scope, async (tx) => {
    const recipients = await ownAddresses(tx, client, body.recipients);
    if ((await list(tx, scope)).length >= maxSchedules)
      throw problem.conflict(`This client has ${maxSchedules} schedules, the maximum. Remove one first.`);
    const found = await tx.selectFrom('organisations').select('time_zone').where('id', '=', client).executeTakeFirstOrThrow();
    const today = calendarDay(clock.now(), found.time_zone);
    const id = await insertSchedule(tx, {
      organisationId: client,
      dayOfMonth,
      recipients,
      userId: actor.userId,
      userName: actor.displayName,
      // Created after its day: starts with the next month.
      lastMonth: today.day > dayOfMonth ? monthKey(monthBefore(today)) : '',
    });
    await recordAudit(tx, actor, {
      action: 'reportSchedule.created',
      organisationId: client,
      target: String(id),
      after: { dayOfMonth, recipients },
    });
    return (await list(tx, scope)).find((schedule) => schedule.id === id)!;
  });
}

/** Throws invalid unless all recipients are users or escalation addresses of the client. */
async function ownAddresses(tx: Tx, client: number, recipients: readonly string[]): Promise<string[]> {
  const known = await listOwnAddresses(tx, client, recipients);
  const own = new Set(known.map((address) => address.toLowerCase()));
  const strange = recipients.find((address) => !own.has(address.toLowerCase()));
  if (strange !== undefined)
    throw problem.invalid({
      recipients: [
        `${strange.slice(0, 200)} is neither a user nor an escalation address of this client. Add it there first, or choose another.`,
      ],
    });
  return known;
}

async function sendDue(deps: ScheduleDeps): Promise<void> {
  const { db, clock, log } = deps;
  const now = clock.now();
  for (const schedule of await scoped(db, 'system', listAllSchedules)) {
    const month = dueMonth(schedule, now);
    if (!month) continue;
    try {
      await send(deps, schedule, month);
    } catch (error) {
      log.warn({ err: error, schedule: schedule.id }, 'could not send a scheduled report; will retry');
      const text = error instanceof Error ? error.message : String(error);
      await scoped(db, 'system', (tx) => updateSchedule(tx, schedule.id, { last_error: text.slice(0, 500) }));
    }
  }
}

/** Generates the report first and locks the schedule only while queueing the email. */
async function send({ db, clock, reports, blobs, brand, outbox }: ScheduleDeps, schedule: DueSchedule, month: Month) {
  const { id, organisationId } = schedule;
  const key = monthKey(month);
  const { report, bytes, name } = await reports.makePdf(organisationId, month);
  // A unique name: another process may run the same schedule.
  const file = `reports/schedule-${id}/${key}-${randomUUID()}.pdf`;
  await blobs.put(file, bytes, pdfType);
  /** Returns false when the email exists already. */
  const queue = async (tx: Tx): Promise<boolean> => {
    const current = await lockSchedule(tx, id);
    if (!current || current.last_month >= key) return false;
    const to = await listOwnAddresses(tx, organisationId, current.recipients);
    if (to.length === 0)
      throw new Error('None of its recipients is still a user or an escalation address of the client. Create a new schedule.');
    const { origin } = await brand.ofMails(tx, organisationId);
    const queued = await outbox.queue(tx, {
      organisationId,
      kind: 'report.monthly',
      name: `report-${id}-${key}`,
      to,
      ...contentOf(report, month, origin),
      attachments: [{ key: file, name, type: pdfType }],
    });
    const at = new Date(clock.now());
    await updateSchedule(tx, id, { last_month: key, last_sent_at: at, last_error: '' });
    await queueDeliveries(tx, [
      { organisationId, event: 'report.ready', objectId: id, occasion: key, at, facts: { month: key } },
    ]);
    return queued !== undefined;
  };
  let isQueued = false;
  try {
    isQueued = await scoped(db, 'system', queue);
  } finally {
    if (!isQueued) await blobs.remove(file);
  }
}

function contentOf(report: Report, month: Month, origin: string): MailContent {
  const client = onOneLine(report.clientOrganizationName);
  return {
    subject: `Security report ${monthName(month)}: ${client}`,
    title: `Security report, ${monthName(month)}`,
    facts: [['Client', client]],
    paragraphs: [...report.summary, 'The full report is attached.'],
    action: { label: 'Open the reports', url: `${origin}/apps/reporting` },
    notes: ['You receive this report because of a schedule that your administrator set up. Contact them to change or end it.'],
  };
}
