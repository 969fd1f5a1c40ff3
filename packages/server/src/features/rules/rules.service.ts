/** The rule base: reads it, changes it, and ends shadows that are too noisy. */

import type { AnalystRates } from '@parapet/contract/analystTime.ts';
import type { rulesApi } from '@parapet/contract/detectionRules.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import type { Actor } from '../../core/http/actor.ts';
import { checkRule } from '../../pipeline/rule-check.ts';
import { getRates, saveRates } from './analystRates.ts';
import { listHiding } from './exceptions.reading.ts';
import * as previews from './previews.service.ts';
import * as changes from './rules.changes.ts';
import { writtenId } from './rules.changes.ts';
import { stopNoisyShadows } from './rules.noise.ts';
import { getRule, listRules } from './rules.reading.ts';
import { type RulesDeps, sightOf, visibleRules } from './rules.sight.ts';

export type RulesService = ReturnType<typeof createRulesService>;
type ListQuery = Parameters<typeof listRules>[3];

export function createRulesService(deps: RulesDeps) {
  return {
    getRates: (actor: Actor) => getRates(deps, actor),
    saveRates: (actor: Actor, rates: AnalystRates) => saveRates(deps, actor, rates),
    list: (actor: Actor, client: number, query: ListQuery) => listRules(deps, actor, client, query),
    get: (actor: Actor, client: number, key: string) => getRule(deps, actor, client, key),

    /** Names in correlations are those of rules that the caller can see. */
    async check(actor: Actor, yaml: string): Promise<AnswerOf<typeof rulesApi.check>> {
      const set = deps.detector.current();
      const written = writtenId(yaml);
      const visible = visibleRules(set, sightOf(actor, set, actor.organisationId).settings, written);
      return { faults: checkRule(yaml, visible).faults.slice(0, 200) };
    },

    saveDraft: (actor: Actor, body: Parameters<typeof changes.saveDraft>[2]) => changes.saveDraft(deps, actor, body),
    changeState: (actor: Actor, id: number, body: Parameters<typeof changes.changeState>[3]) =>
      changes.changeState(deps, actor, id, body),
    saveOverride: (actor: Actor, body: Parameters<typeof changes.saveOverride>[2]) => changes.saveOverride(deps, actor, body),
    addException: (actor: Actor, body: Parameters<typeof changes.addException>[2]) => changes.addException(deps, actor, body),
    endException: (actor: Actor, id: number) => changes.endException(deps, actor, id),
    listHiding: (actor: Actor, client: number, query: Parameters<typeof listHiding>[3]) => listHiding(deps, actor, client, query),
    startPreview: (actor: Actor, body: Parameters<typeof previews.startPreview>[2]) => previews.startPreview(deps, actor, body),
    getPreview: (actor: Actor, id: number) => previews.getPreview(deps, actor, id),
    cancelPreview: (actor: Actor, id: number) => previews.cancelPreview(deps, actor, id),
    addTest: (actor: Actor, body: Parameters<typeof changes.addTest>[2]) => changes.addTest(deps, actor, body),
    removeTest: (actor: Actor, id: number) => changes.removeTest(deps, actor, id),

    /** Job of each minute. */
    stopNoisyShadows: () => stopNoisyShadows(deps),
  };
}
