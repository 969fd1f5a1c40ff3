/** Runs the trials of many pairs of organisations, stores their results, and raises what was found. */
import { providerId } from '@parapet/contract/access.ts';
import { dayMs, hourMs } from '@parapet/contract/rules/duration.ts';
import { readScoped, scoped } from '../../core/db/scope.ts';
import type { Platform } from '../../core/feature.ts';
import { recordAudit, systemAuditor } from '../../domain/audit.ts';
import './isolation.audit.ts';
import { foreignOf, type Place, targetsOf } from './isolation.plan.ts';
import { type Finding, type ProbeDeps, type Trial, tryIsolation } from './isolation.probe.ts';
import * as store from './isolation.store.ts';

export interface RunnerDeps
  extends Pick<Platform, 'db' | 'clock' | 'log'>,
    Pick<ProbeDeps, 'open' | 'actorOf'>,
    Partial<Pick<ProbeDeps, 'restShare'>> {}

/** Nights begin at two, UTC. */
const nightStartMs = 2 * hourMs;
const usualRestShare = 1;
/** Targets of a rehearsal: its rows stay locked until it ends. */
const targetsAtOnce = 4;
/** Of a rehearsal, for the same reason. */
const maxTrialMs = 5 * 60_000;
/** Calls in which the target's own administrator finds the marked text; far fewer mean that nothing was tried. */
const minSeen = 30;

/** Beginning of the night of a time; both in milliseconds since 1970. */
export const nightStartOf = (now: number): number => Math.floor((now - nightStartMs) / dayMs) * dayMs + nightStartMs;

interface Run {
  /** Pairs that were tried since then are left out; milliseconds since 1970. */
  since: number;
  deadline: number;
  all: boolean;
}

export function createRunner({ db, clock, log, ...probe }: RunnerDeps) {
  let isClosed = () => false;
  const attempt = (actorId: number, targets: readonly number[]): Promise<Trial> => {
    const until = clock.now() + maxTrialMs;
    const check = () => {
      if (isClosed()) throw new Error('The portal stops.');
      if (clock.now() > until) throw new Error(`A trial took longer than ${maxTrialMs / 60_000} minutes.`);
    };
    return tryIsolation({ db, now: clock.now, restShare: usualRestShare, check, ...probe }, actorId, targets);
  };

  /** Figures that changed once may have changed with what happened outside the rehearsal: they count when they do so again. */
  const confirmed = async (trial: Trial, actorId: number): Promise<Trial> => {
    const isChange = ({ how }: Finding) => how === 'changed';
    const doubtful = trial.findings.filter(isChange);
    if (doubtful.length === 0) return trial;
    const again = await attempt(actorId, [...new Set(doubtful.map(({ organisationId }) => organisationId))]);
    const keyOf = ({ organisationId, operation }: Finding) => `${organisationId} ${operation}`;
    const changed = new Set(again.findings.filter(isChange).map(keyOf));
    return { ...trial, findings: trial.findings.filter((finding) => !isChange(finding) || changed.has(keyOf(finding))) };
  };

  const save = async (actorId: number, targets: readonly number[]): Promise<number> => {
    const trial = await confirmed(await attempt(actorId, targets), actorId);
    if (trial.seenByOwner.length < minSeen)
      throw new Error(
        `The isolation of ${targets.length} organisations was not tried: ${trial.seenByOwner.length} calls showed an administrator the marked objects of the own organisation, ${minSeen} are needed.`,
      );
    await scoped(db, 'system', async (tx) => {
      await store.saveTrial(tx, actorId, trial, new Date(clock.now()));
      for (const { organisationId, operation, how } of trial.findings)
        await recordAudit(tx, systemAuditor(providerId), {
          organisationId: providerId,
          action: 'isolation.found',
          target: operation,
          after: { organisationId, actorOrganisationId: actorId, how },
        });
    });
    return trial.findings.length;
  };

  /** Targets of the actor that remain. */
  const remaining = async (actor: Place, places: readonly Place[], { since, all }: Run): Promise<number[]> => {
    const night = Math.floor((clock.now() - nightStartMs) / dayMs);
    const foreign = foreignOf(actor, places).map(({ id }) => id);
    const { tried, found } = await scoped(db, 'system', async (tx) => {
      await store.forgetOthers(tx, actor.id, foreign);
      return store.readPairs(tx, actor.id, new Date(since));
    });
    const wanted = all ? foreign : [...new Set([...found, ...targetsOf(actor, places, night)])];
    return wanted.filter((id) => !tried.has(id));
  };

  return {
    /**
     * Pairs that were not tried since then, the actor with the oldest trial first, until the deadline or until `isStopped`. A pair that fails is left for
     * the next run. `all`: every pair, not those of the night; pairs with a finding are in both. Throws at the end when foreign data was returned, or a
     * pair failed.
     */
    async runSince(run: Run, isStopped: () => boolean): Promise<void> {
      isClosed = isStopped;
      const { places, last } = await readScoped(db, 'system', async (tx) => ({
        places: await store.listPlaces(tx),
        last: await store.lastTrials(tx),
      }));
      const lastOf = (id: number) => last.get(id)?.getTime() ?? 0;
      const faults: string[] = [];
      let found = 0;
      for (const actor of [...places].sort((a, b) => lastOf(a.id) - lastOf(b.id))) {
        const targets = await remaining(actor, places, run);
        for (let from = 0; from < targets.length; from += targetsAtOnce) {
          if (isClosed() || clock.now() > run.deadline) break;
          try {
            found += await save(actor.id, targets.slice(from, from + targetsAtOnce));
          } catch (error) {
            log.error({ err: error, organisationId: actor.id }, 'isolation could not be tried as a user of this organisation');
            faults.push(error instanceof Error ? error.message : String(error));
          }
        }
      }
      if (found > 0)
        throw new Error(
          `Users of other organisations received data in ${found} attempts: see Operations, Isolation of organisations, and docs/runbook.md.`,
        );
      if (faults[0] !== undefined && !isClosed()) throw new Error(`${faults.length} trials of isolation failed: ${faults[0]}`);
    },
  };
}
