/** What is being edited on the risk page, and the score that it would give. */
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import type { riskApi } from '@parapet/contract/risk.ts';
import {
  countIn,
  effectiveTotals,
  type Improvement,
  improvementsOf,
  type RiskDeps,
  type RiskInputs,
  riskOf,
  type Totals,
  totalsFaults,
} from '@parapet/contract/rules/risk.ts';

export type RiskDetails = AnswerOf<typeof riskApi.details>;

export interface RiskDraft {
  /** As typed. */
  totalServers?: string;
  totalWorkstations?: string;
  /** Only those that differ from what is saved. */
  practices: Readonly<Record<string, boolean>>;
}
export const noDraft: RiskDraft = { practices: {} };

export interface Preview extends RiskDeps {
  tempScore: number;
  /** As they would be saved; undefined while what is typed is no number. */
  totals: Totals | undefined;
  faults: Partial<Record<keyof Totals, string>>;
  areTotalsChanged: boolean;
  changedPractices: { id: string; isChecked: boolean }[];
  improvements: Improvement[];
}

const notACount = 'Write a whole number up to 10,000,000.';

export function previewOf(details: RiskDetails, draft: RiskDraft): Preview {
  const saved = details.monitoredDevices;
  const typed = (name: keyof Totals) => {
    const text = draft[name];
    return text === undefined ? saved[name] : countIn(text);
  };
  const [totalServers, totalWorkstations] = [typed('totalServers'), typed('totalWorkstations')];
  const totals =
    totalServers === undefined || totalWorkstations === undefined
      ? undefined
      : effectiveTotals({ totalServers, totalWorkstations });
  const faults = totals
    ? totalsFaults(totals, saved)
    : {
        ...(totalServers === undefined && { totalServers: notACount }),
        ...(totalWorkstations === undefined && { totalWorkstations: notACount }),
      };
  // What cannot be saved is not counted with.
  const devices = totals && Object.keys(faults).length === 0 ? { ...saved, ...totals } : saved;
  const isChecked = ({ id, isChecked }: { id: string; isChecked: boolean }) => draft.practices[id] ?? isChecked;
  const undone = details.practices.filter((practice) => !isChecked(practice)).map(({ id }) => id);
  const sumOf = (status: string) => details.caseRiskScores.find((sum) => sum.status === status)?.riskScoreSum ?? 0;
  const inputs: RiskInputs = {
    devices,
    checked: details.practices.length - undone.length,
    practices: details.practices.length,
    cases: {
      open: sumOf('open'),
      assigned: sumOf('assigned'),
      investigating: sumOf('investigating'),
      malicious: sumOf('malicious'),
    },
  };
  return {
    ...riskOf(inputs),
    totals,
    faults,
    areTotalsChanged:
      totals === undefined || totals.totalServers !== saved.totalServers || totals.totalWorkstations !== saved.totalWorkstations,
    changedPractices: details.practices
      .filter((practice) => isChecked(practice) !== practice.isChecked)
      .map((practice) => ({ id: practice.id, isChecked: isChecked(practice) })),
    improvements: improvementsOf(inputs, undone),
  };
}
