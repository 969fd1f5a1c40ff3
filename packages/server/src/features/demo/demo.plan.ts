/**
 * Plans of the simulated analysts: the steps that work a case towards the ending of its story, with their times. Deterministic for a
 * seed, so the order of the random draws matters.
 */
import type { Closing } from '@parapet/contract/caseClosing.ts';
import { criticalityOf } from '@parapet/contract/primitives.ts';
import { decisionIds, investigationStatusIds, outcomeOfVerdict, type Verdict } from '@parapet/contract/rules/cases.ts';
import { dayMs, hourMs, minuteMs } from '@parapet/contract/rules/duration.ts';
import { randomFor } from '@parapet/world/random.ts';
import type { Ending } from '@parapet/world/stories/story.ts';
import type { Actor } from '../../core/http/actor.ts';
import type { ResponseActions } from './demo.responses.ts';

/** Analyst actions, as provided by the services. */
export interface AnalystActions {
  assign(actor: Actor, caseId: number): Promise<unknown>;
  /** Changes the investigation status, then the status, at the same moment. */
  conclude(actor: Actor, caseId: number, conclusion: Conclusion): Promise<unknown>;
  seen(actor: Actor, caseId: number): Promise<unknown>;
  note(actor: Actor, caseId: number, text: string, isInternal: boolean): Promise<unknown>;
  narrative(actor: Actor, organisationId: number, caseId: number, text: string): Promise<unknown>;
  escalate(actor: Actor, caseId: number): Promise<unknown>;
  /** Returns the request’s id. */
  isolate(actor: Actor, caseId: number, device: string): Promise<number>;
  review(actor: Actor, caseId: number, decision: number, notes: string): Promise<unknown>;
  judgeDecisioning(actor: Actor, caseId: number, isCorrect: boolean, notes: string): Promise<unknown>;
  responses: ResponseActions;
  /** Schedules a client’s monthly report by email, once. */
  scheduleReport(actor: Actor, organisationId: number, schedule: { dayOfMonth: number; recipients: string[] }): Promise<unknown>;
}

export interface Conclusion {
  investigation: number;
  status: 'investigating' | 'malicious' | 'closed' | 'escalated:closed';
  /** Of the two that close a case. */
  closing?: Closing;
}

export interface FreshCase {
  id: number;
  organisationId: number;
  createdAt: Date;
  lastAlertAt: Date;
  criticality: number;
  verdict: Verdict | null;
  devices: string[];
  users: string[];
  title: string;
  eventIds: string[];
}

export interface Step {
  at: number;
  caseId: number;
  run: () => Promise<unknown>;
}

export interface PlanDeps {
  actions: AnalystActions;
  actor: (persona: string) => Actor;
  seed: number;
  /** Ending of the story an event belongs to; undefined for background events. */
  endingOf: (eventId: string) => Ending | undefined;
}

/** A case being planned: times in milliseconds since 1970. */
interface CaseWork {
  actions: AnalystActions;
  found: FreshCase;
  ending: Ending;
  isHarmful: boolean;
  /** A malicious case that ended at its first step. */
  isStopped: boolean;
  /** Milliseconds from the opening of the case to the end of the history. */
  age: number;
  analyst: Actor;
  colleague: Actor;
  reviewer: Actor;
  random: ReturnType<typeof randomFor>;
  steps: Step[];
  addStep: (at: number, run: () => Promise<unknown>) => unknown;
}

const closedBy = {
  isolated: investigationStatusIds.malicious,
  malicious: investigationStatusIds.malicious,
  open: investigationStatusIds.malicious,
  benign: investigationStatusIds.benign,
  falsePositive: investigationStatusIds.falsePositive,
} as const;

/** Shares of their work that the newest cases get: untouched, assigned, investigating, escalated and closed. */
const stages = [1, 0.4, 0.2, 0.75, 0.6, 1];

const benignNotes = [
  'Checked with the change calendar: planned work. Nothing else on this device in the hours before and after.',
  'Same pattern as last month. The program is signed and its parent is the management agent.',
  'Account owner confirmed by phone that it was them.',
  'No connection left the network. The tool belongs to the IT team:\n- started by the deployment service\n- ended after two minutes',
];

const stoppedNotes = [
  'Quarantined before it ran; nothing else on this device in the day after. The file is on the list of blocked ones.',
  'The process was ended by the agent. Password changed, sessions revoked, no sign-in from elsewhere since.',
  'Came with a download of the user. Device scanned, nothing left; the address is blocked at the perimeter.',
];

/** Reasons for what remains open. */
const answers = {
  tasks: 'The addresses are no longer in use.',
  alerts: 'Repeats of the alerts that were reviewed.',
  question: 'Settled with the client by phone.',
};

/** All steps on one case. `newest` counts the cases of the last days, which are left in different stages. */
export function planCase(deps: PlanDeps, found: FreshCase, end: number, newest: { count: number }): Step[] {
  const work = begin(deps, found, end);
  const { actions, age, analyst, isHarmful, random, steps, addStep } = work;
  const { id } = found;
  const taken = found.createdAt.getTime() + delayOf(work);
  const stage = age < 3 * dayMs && !isHarmful ? stages[newest.count++ % stages.length]! : 1;
  if (stage < 0.3) return [];
  addStep(taken, () => actions.assign(analyst, id));
  if (stage < 0.5) return steps;
  const begun = taken + random.int(2, 25) * minuteMs;
  // Cases months old get fewer steps, to keep start-up fast.
  const isOld = age > 45 * dayMs && !isHarmful;
  if (!isOld)
    addStep(begun, async () => {
      await actions.conclude(analyst, id, { investigation: investigationStatusIds.inProgress, status: 'investigating' });
      await actions.seen(analyst, id);
    });
  if (stage < 0.7) return steps;

  // Cases that still receive alerts stay open.
  const settled = Math.max(begun, found.lastAlertAt.getTime()) + random.int(10, 50) * minuteMs;
  const isClosed = isHarmful ? planIncident(work, begun, settled) : planHarmless(work, settled, stage);
  if (isClosed) planReview(work, steps.at(-1)!.at, isOld);
  return steps;
}

function begin({ actions, actor, seed, endingOf }: PlanDeps, found: FreshCase, end: number): CaseWork {
  const random = randomFor(String(seed), 'desk', found.organisationId, found.createdAt.getTime(), found.title);
  const endings = found.eventIds.map(endingOf).filter((ending) => ending !== undefined);
  // An attack that protection stopped at its first step: no story goes on from it.
  const isStopped = endings.length === 0 && found.verdict === 'Malicious' && random.chance(0.85);
  const ending: Ending = endings[0] ?? (isStopped ? 'malicious' : random.chance(0.45) ? 'falsePositive' : 'benign');
  const isHarbor = found.organisationId >= 10 && found.organisationId < 20;
  const analyst = actor(isHarbor ? random.pick(['partnerAnalyst', 'partnerSuperAnalyst', 'superAnalyst']) : 'superAnalyst');
  const steps: Step[] = [];
  return {
    actions,
    found,
    ending,
    isHarmful: !isStopped && (ending === 'isolated' || ending === 'malicious' || ending === 'open'),
    isStopped,
    age: end - found.createdAt.getTime(),
    analyst,
    colleague: actor(isHarbor ? 'partnerAdmin' : 'host'),
    reviewer: actor(isHarbor && random.chance(0.7) ? 'partnerAnalyst' : 'host'),
    random,
    steps,
    addStep: (at, run) => steps.push({ at, caseId: found.id, run }),
  };
}

/** Milliseconds until an analyst takes the case. */
function delayOf({ found: { criticality }, random }: CaseWork): number {
  const slow = random.chance(0.05) ? 8 : 1;
  const [min, max] = criticality === criticalityOf.critical ? [3, 14] : criticality === criticalityOf.high ? [5, 28] : [15, 100];
  return random.int(min!, max!) * minuteMs * slow;
}

/** Steps on a malicious case: narrative, isolation, verdict, note, closing. Returns false when the case stays open. */
function planIncident(work: CaseWork, begun: number, settled: number): boolean {
  const { actions, found, ending, age, analyst, colleague, random, addStep } = work;
  const { id } = found;
  const device = found.devices.find((name) => /^(ws|lt|srv|dc)/i.test(name)) ?? found.devices[0];
  addStep(begun + 5 * minuteMs, () =>
    actions.narrative(
      analyst,
      found.organisationId,
      id,
      `${found.title}. We see hands-on activity on ${found.devices.slice(0, 3).join(', ') || 'your accounts'}${found.users[0] ? ` with the account ${found.users[0]}` : ''}. We recommend isolating the affected devices, changing the passwords of the accounts named here, and calling us before anything is restored.`,
    ),
  );
  let requested: number | undefined;
  if (device !== undefined && ending !== 'malicious') {
    addStep(begun + 8 * minuteMs, async () => {
      requested = await actions.isolate(analyst, id, device);
    });
    // Servers wait for approval, workstations do not.
    addStep(begun + 11 * minuteMs, async () => {
      if (requested !== undefined) await actions.responses.approveWaiting(colleague, requested);
    });
    if (ending === 'isolated')
      addStep(begun + 14 * minuteMs, async () => {
        if (requested !== undefined) await actions.responses.confirm(analyst, requested);
      });
  }
  addStep(begun + 20 * minuteMs, () =>
    actions.conclude(analyst, id, { investigation: investigationStatusIds.malicious, status: 'malicious' }),
  );
  addStep(begun + 24 * minuteMs, () =>
    actions.note(
      analyst,
      id,
      `Called the emergency contact of the client. They agree to isolate \`${device ?? 'the accounts'}\`.`,
      false,
    ),
  );
  if (ending === 'open' && age < 30 * dayMs) return false;
  addStep(begun + 30 * minuteMs, () => actions.escalate(analyst, id));
  addStep(settled + random.int(18, 60) * hourMs, () =>
    actions.conclude(analyst, id, {
      investigation: investigationStatusIds.malicious,
      status: 'escalated:closed',
      closing: {
        resolution: 'truePositive',
        reason: 'Intrusion confirmed and removed. Accounts reset; nothing new on the affected devices since.',
        answers: {
          ...answers,
          containment: 'The session ended before an isolation was of use; the client rebuilt the device.',
        },
      },
    }),
  );
  return true;
}

/** Steps on a case without consequences: a note, at times a question to the client, closing. Returns false when the case stays open. */
function planHarmless(
  { actions, found, ending, isStopped, analyst, random, addStep }: CaseWork,
  settled: number,
  stage: number,
): boolean {
  const { id } = found;
  const close = (at: number, status: 'closed' | 'escalated:closed') =>
    addStep(at, () =>
      actions.conclude(analyst, id, {
        investigation: closedBy[ending],
        status,
        closing: {
          resolution: isStopped ? 'truePositive' : ending === 'falsePositive' ? 'falsePositive' : 'benign',
          reason: isStopped
            ? 'Stopped by protection at its first step.'
            : ending === 'falsePositive'
              ? 'The rule matched the client’s own software.'
              : 'Planned work of the client.',
          answers: { ...answers, containment: 'Blocked by protection before it ran.' },
        },
      }),
    );
  if (stage < 0.8 || random.chance(0.07)) {
    addStep(settled, () => actions.escalate(analyst, id));
    if (stage < 0.8) return false;
    close(settled + random.int(5, 40) * hourMs, 'escalated:closed');
    return true;
  }
  if (random.chance(0.35))
    addStep(settled - 3 * minuteMs, () =>
      actions.note(analyst, id, random.pick(isStopped ? stoppedNotes : benignNotes), random.chance(0.6)),
    );
  close(settled, 'closed');
  return true;
}

/** Review of the closed case, and feedback on the automatic verdict. */
function planReview(
  { actions, found, isHarmful, isStopped, reviewer, random, addStep }: CaseWork,
  last: number,
  isOld: boolean,
): void {
  const { id } = found;
  if (!random.chance(isHarmful ? 0.9 : isOld ? 0.4 : 0.6)) return;
  const isMalicious = isHarmful || isStopped;
  const [plain, other] = isMalicious
    ? [decisionIds.malicious, decisionIds.client]
    : [decisionIds.benign, random.pick([decisionIds.soc, decisionIds.partner])];
  const isPlain = random.chance(0.9);
  const isJudged = random.chance(isOld ? 0.15 : 0.5);
  addStep(last + random.int(6, 90) * hourMs, async () => {
    await actions.review(reviewer, id, isPlain ? plain : other, isPlain ? '' : 'Discuss with the closing analyst.');
    const expected = isMalicious ? 'malicious' : 'benign';
    const isCorrect = found.verdict !== null && outcomeOfVerdict(found.verdict) === expected;
    if (isJudged && found.verdict !== null)
      await actions.judgeDecisioning(reviewer, id, isCorrect, isCorrect ? '' : `It was ${expected}.`);
  });
}
