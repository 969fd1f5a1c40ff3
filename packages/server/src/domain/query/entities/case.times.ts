/** SLA timers and durations of cases. */
import { type RawBuilder, sql } from 'kysely';
import {
  isBreached,
  isContained,
  isWaiting,
  isWarning,
  isWithinTargets,
  minutesToBreach,
  toAcknowledge,
  toClose,
  toContain,
} from '../../caseTimes.ts';
import { wordsOf } from '../attributes.ts';
import type { Attribute } from '../schema.ts';

type Row = RawBuilder<unknown>;
/** Figures of domain/caseTimes.ts, over a case `c` and its organisation `o`. */
const timed = (row: Row, expression: RawBuilder<unknown>) =>
  sql`(select ${expression} from (select ${row}.*) c join organisations o on o.id = c.organisation_id)`;

export const caseTimeAttributes = {
  isBreached: {
    type: 'flag',
    title: 'with a breached SLA timer',
    words: ['sla breach', 'breach'],
    yes: wordsOf(
      'breached, overdue, past due, breaching, in breach, late, past sla, past their sla, out of sla, past target, sla breached, over their sla, over sla, blown, blown their sla, over target, missed their target, behind schedule, behind sla, over time, overrunning, running late, that breached, breaching their sla, violating sla, in violation, outside sla, beyond sla, beyond their target, past their target, over due, over their target, breached their sla, breached sla',
    ),
    no: wordsOf(
      'within sla, not overdue, on time, not breached, in sla, not late, inside sla, within target, within their sla, within their target, not breaching, meeting sla, on schedule, in time',
    ),
    sql: (row, { now }) => timed(row, isBreached(new Date(now))),
  },
  sla: {
    type: 'choice',
    choices: {
      running: ['sla running', 'timer running'],
      warning: wordsOf('about to breach, close to breach, near breach, due soon, soon overdue, nearly overdue'),
      breached: ['sla state breached'],
      paused: ['sla paused', 'timer paused'],
      met: wordsOf(
        'met target, closed within the sla, closed in sla, meet the sla, meet the target, meet our sla, meet their sla, met sla, sla met, closed in time, closed within target, met their target, met their sla, in target, made the target, made their target, hit the target, hit their target, closed on time',
      ),
      missed: wordsOf(
        'missed target, miss the target, miss the sla, miss our sla, miss their sla, not meet the sla, not meet the target, did not meet the sla, missed sla, sla missed, closed late, closed too late, missed their sla, missed their targets, late closed, closed after the target, too late, out of target',
      ),
    },
    title: 'SLA state',
    words: wordsOf('sla, sla state, sla timer, clock, target'),
    column: 'clock',
    sql: (row, { now }) =>
      timed(
        row,
        sql`case when c.closed_at is not null then case when ${isWithinTargets} then 'met' else 'missed' end
          when ${isBreached(new Date(now))} then 'breached' when ${isWaiting(now)} then 'paused' when ${isWarning(new Date(now))} then 'warning' else 'running' end`,
      ),
  },
  dueIn: {
    type: 'number',
    unit: 'minutes',
    title: 'time left',
    words: wordsOf('time left, time to breach, remaining time, due'),
    superlatives: { most: ['least urgent'], least: wordsOf('most urgent, next due, next to breach, due first') },
    sql: (row, { now }) => timed(row, minutesToBreach(new Date(now))),
  },
  isAcknowledged: {
    type: 'flag',
    title: 'acknowledged',
    words: ['acknowledgement'],
    yes: wordsOf('acknowledged, already acknowledged, acked, acknowledged yet, touched, looked at, looked into'),
    no: wordsOf(
      'not acknowledged, not yet acknowledged, unacknowledged, not acked, never acknowledged, awaiting acknowledgement, nobody acknowledged, untouched, unseen, unlooked at',
    ),
    sql: (row) => sql`${row}.acknowledged_at is not null`,
  },
  isWaiting: {
    type: 'flag',
    title: 'waiting for the client',
    words: ['wait state'],
    yes: wordsOf(
      'waiting, waiting for client, waiting on the client, on hold, parked, awaiting the client, waiting on us, waiting for us, waiting for customer, waiting on customer, waiting for an answer, waiting on the client to answer, waiting for the client to answer, waiting on the client to reply, waiting for the client to reply, waiting for the client to respond, waiting on the client to respond, awaiting customer, awaiting a reply, awaiting an answer, parked with the client, with the client, pending client, stuck with the client, stuck on the client, held by the client, on client side, waiting on client side, waiting for client response, waiting for a reply, waiting for our reply, waiting for our answer, waiting for you, on us, wait for the client, wait for the customer, wait on the client, wait on the customer, waiting for the client, waiting for the customer, we wait for the client, we wait for the customer',
    ),
    no: ['not waiting', 'not on hold'],
    sql: (row, { now }) => timed(row, isWaiting(now)),
  },
  timeToAcknowledge: {
    type: 'number',
    unit: 'minutes',
    title: 'time to acknowledge',
    words: wordsOf(
      'time to acknowledge, to acknowledge, to react, to respond, to pick up, mtta, acknowledgement time, response time, reaction time, until acknowledged, until picked up, to be acknowledged, time until acknowledged, time to first response, first response time, time to react, time to respond, time to pick up, until somebody picks up, until someone picks up, until you react, until you respond, to start',
    ),
    superlatives: { most: ['slowest acknowledged'], least: ['fastest acknowledged'] },
    sql: (row) => timed(row, sql`case when c.acknowledged_at is not null then ${toAcknowledge} end`),
  },
  timeToContain: {
    type: 'number',
    unit: 'minutes',
    title: 'time to contain',
    words: [
      'time to contain',
      'to contain',
      'mttc',
      'containment time',
      'until contained',
      'time until contained',
      'time to containment',
      'to be contained',
      'until containment',
    ],
    superlatives: { most: ['slowest contained'], least: ['fastest contained'] },
    sql: (row) => timed(row, sql`case when ${isContained} then ${toContain} end`),
  },
  timeToClose: {
    type: 'number',
    unit: 'minutes',
    title: 'time to close',
    words: wordsOf(
      'time to close, close time, time to resolve, resolve time, to close, to resolve, mttr, resolution time, closing duration, duration, took, handling time, until closed, until close, until they close, until you close, to be closed, until closing, to get closed, until a case is closed, until it is closed, till closed, until resolution, until solved, to solve, to finish, to handle, time to closure, closure time, time until closed, case duration, time to solve, how long cases take, lifetime, time open, until its closed, from open to closed, from opening to closing, turnaround, turnaround time',
    ),
    superlatives: { most: ['longest', 'slowest'], least: ['fastest', 'quickest', 'shortest'] },
    sql: (row) => timed(row, sql`case when c.closed_at is not null then ${toClose} end`),
  },
} satisfies Record<string, Attribute>;
