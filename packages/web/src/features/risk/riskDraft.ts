/** Unsaved edits of the risk page and the score that they would give. */
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import type { riskApi } from '@parapet/contract/risk.ts';
import {
  countIn,
  effectiveTotals,
  type Improvement,
  improvementsOf,
  type RiskComponents,
  type RiskInputs,
  riskOf,
  type Totals,
  totalsErrors,
} from '@parapet/contract/rules/risk.ts';

export type RiskDetails = AnswerOf<typeof riskApi.details>;

export interface RiskDraft {
  /** Raw input text. */
  totalServers?: string;
  totalWorkstations?: string;
  /** Practice ID → checked, for changed practices. */
  practices: Readonly<Record<string, boolean>>;
}
export const noDraft: RiskDraft = { practices: {} };

export interface Preview extends RiskComponents {
  tempScore: number;
  /** Totals to save; undefined while the input is not a number. */
  totals: Totals | undefined;
  errors: Partial<Record<keyof Totals, string>>;
  areTotalsChanged: boolean;
  changedPractices: { id: string; isChecked: boolean }[];
  improvements: Improvement[];
}

const notACount = 'Enter a whole number up to 10,000,000.';

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
  const errors = totals
    ? totalsErrors(totals, saved)
    : {
        ...(totalServers === undefined && { totalServers: notACount }),
        ...(totalWorkstations === undefined && { totalWorkstations: notACount }),
      };
  // Invalid totals do not affect the preview.
  const devices = totals && Object.keys(errors).length === 0 ? { ...saved, ...totals } : saved;
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
    errors,
    areTotalsChanged:
      totals === undefined || totals.totalServers !== saved.totalServers || totals.totalWorkstations !== saved.totalWorkstations,
    changedPractices: details.practices
      .filter((practice) => isChecked(practice) !== practice.isChecked)
      .map((practice) => ({ id: practice.id, isChecked: isChecked(practice) })),
    improvements: improvementsOf(inputs, undone),
  };
}
