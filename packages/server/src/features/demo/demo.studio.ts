/** Own rules of the demo’s partner, one in each state, an exception of a client, a client’s webhook, and its people on call. At the end of the year. */
import type { RuleState } from '@parapet/contract/detectionRules.ts';
import type { EventMapping } from '@parapet/contract/eventMapping.ts';
import type { OnCallShift } from '@parapet/contract/onCall.ts';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import type { Actor } from '../../core/http/actor.ts';
import type { Log } from '../../core/log.ts';
import { type DemoRule, demoRules } from './demo.rules.ts';

export interface StudioActions {
  /** Refused where the rule exists. */
  draft(actor: Actor, organisationId: number, rule: { yaml: string; note: string }): Promise<unknown>;
  addTest(actor: Actor, organisationId: number, ruleID: string, test: DemoRule['tests'][number]): Promise<unknown>;
  /** Moves the newest version. */
  move(actor: Actor, ruleID: string, state: RuleState, why: string): Promise<unknown>;
  addException(
    actor: Actor,
    organisationId: number,
    exception: { ruleID: string; yaml: string; reason: string; endTime: string },
  ): Promise<unknown>;
  addWebhook(actor: Actor, organisationId: number, name: string, mapping: EventMapping): Promise<unknown>;
  /** Replaces the rota. */
  saveShifts(actor: Actor, organisationId: number, zone: string, shifts: readonly OnCallShift[]): Promise<unknown>;
  writeHandOver(actor: Actor, organisationId: number, text: string): Promise<unknown>;
  /** Loads what changed. */
  done(): Promise<void>;
}

/** Harbor and its client Birch Dental Group. */
const [partner, client] = [2, 11];

const badgeReaders: EventMapping = {
  namespace: 'badge_reader',
  records: ['events'],
  fields: [
    { to: '@timestamp', from: ['time'] },
    { to: 'host.name', from: ['reader'] },
    { to: 'user.name', from: ['holder', 'account'] },
    { to: 'event.action', from: ['result'] },
    { to: 'event.category', value: 'authentication' },
  ],
};

const mondayToFriday = [1, 2, 3, 4, 5];
const weekend = [6, 7];
const at = (hour: number) => hour * 60;
/** By day and by night, with the administrator as the second to be called. */
const shiftsOf = (first: Actor, second: Actor, admin: Actor): OnCallShift[] => [
  { userId: first.userId, place: 1, days: mondayToFriday, from: at(7), to: at(19) },
  { userId: second.userId, place: 1, days: mondayToFriday, from: at(19), to: at(7) },
  { userId: second.userId, place: 1, days: weekend, from: at(7), to: at(19) },
  { userId: first.userId, place: 1, days: weekend, from: at(19), to: at(7) },
  { userId: admin.userId, place: 2, days: [...mondayToFriday, ...weekend], from: at(0), to: at(24) },
];
const handOver = 'Birch moves its imaging server this week: remote sessions of its vendor are expected until Friday.';

export async function playStudio({
  actions,
  admin,
  analysts,
  end,
  log,
}: {
  actions: StudioActions;
  /** Administrator of the partner. */
  admin: Actor;
  /** Two of the partner, who take turns on call. */
  analysts: readonly [Actor, Actor];
  /** The end of the history. */
  end: number;
  log: Log;
}): Promise<void> {
  const attempt = async (work: () => Promise<unknown>): Promise<boolean> => {
    try {
      await work();
      return true;
    } catch (error) {
      log.debug({ err: error }, 'a step of the demo’s rules was refused');
      return false;
    }
  };
  for (const { id, yaml, note, tests, states } of demoRules) {
    if (!(await attempt(() => actions.draft(admin, partner, { yaml, note })))) continue;
    for (const test of tests) await attempt(() => actions.addTest(admin, partner, id, test));
    for (const [state, why] of states) await attempt(() => actions.move(admin, id, state, why));
  }
  await actions.done();
  const [live] = demoRules;
  await attempt(() =>
    actions.addException(admin, client, {
      ruleID: live.id,
      yaml: live.exception,
      reason: 'The vendor of the imaging software supports Birch with SupRemo until its contract ends.',
      endTime: new Date(end + 120 * dayMs).toISOString(),
    }),
  );
  await attempt(() => actions.addWebhook(admin, client, 'Badge readers', badgeReaders));
  await attempt(() => actions.saveShifts(admin, partner, 'Europe/London', shiftsOf(...analysts, admin)));
  await attempt(() => actions.writeHandOver(admin, partner, handOver));
  await actions.done();
}
