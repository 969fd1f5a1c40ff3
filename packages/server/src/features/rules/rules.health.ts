/** State of the data of rules: log sources that send, and fields without which a rule can match nothing. */
import type { RuleDetail } from '@parapet/contract/detectionRules.ts';
import { connectorsOf } from '@parapet/contract/rules/connectors.ts';
import type { Tx } from '../../core/db/scope.ts';
import { isPortals, listFed, logSourcesOf } from '../../domain/logSources.ts';
import type { Detector } from '../../pipeline/detector.ts';
import { rulesInForce } from '../../pipeline/field-health.ts';
import type { Summary } from './rules.catalogue.ts';
import type { Sight } from './rules.sight.ts';

const maxShown = 50;
const line = (text: string): string => text.slice(0, 2_000);

export interface RulesHealth {
  /** Undefined for a rule that is in force for no organisation of the scope. */
  canMatch(key: string, logSource: string): boolean | undefined;
  /** Null for such a rule; within the transaction. */
  of(summary: Pick<Summary, 'key' | 'facts'>): Promise<RuleDetail['health']>;
}

/** Of one rule, or of all. */
export async function readHealth(
  tx: Tx,
  { scope }: Pick<Sight, 'scope'>,
  detector: Pick<Detector, 'isLoaded' | 'current'>,
  now: number,
  only?: string,
): Promise<RulesHealth> {
  const inForce = rulesInForce(detector);
  const fed = new Map((await listFed(tx, scope, now)).map((each) => [each.logSource, new Set(each.organisationIds)]));
  const { organisations, nameFields } = await inForce.listBlocked(tx, scope, now, only);
  const idsOf = (key: string) =>
    (scope === 'system' ? [] : scope.organisationIds).filter((organisationId) => inForce.isInForce(key, organisationId));
  const isLiveFor = (logSource: string, id: number): boolean => isPortals(logSource) || fed.get(logSource)?.has(id) === true;
  const canMatch = (key: string, logSource: string): boolean | undefined => {
    const ids = idsOf(key);
    if (ids.length === 0) return undefined;
    const sources = logSourcesOf(logSource);
    return ids.some((id) => !organisations.get(key)?.has(id) && sources.some((source) => isLiveFor(source, id)));
  };
  return {
    canMatch,
    async of({ key, facts }) {
      const matches = canMatch(key, facts.logSource);
      if (matches === undefined) return null;
      const ids = idsOf(key);
      const missing = matches ? [] : await nameFields(new Set([key]));
      return {
        canMatch: matches,
        sources: logSourcesOf(facts.logSource)
          .slice(0, maxShown)
          .map((logSource) => ({
            logSource: line(logSource),
            isLive: ids.some((id) => isLiveFor(logSource, id)),
            connectors: [...connectorsOf(logSource)],
          })),
        missing: missing.slice(0, maxShown).map(({ ruleKeys: _, field, logSource, code, ...evidence }) => ({
          ...evidence,
          field: line(field),
          logSource: line(logSource),
          code: code?.slice(0, 100) ?? null,
          connectors: [...connectorsOf(logSource)],
        })),
      };
    },
  };
}
