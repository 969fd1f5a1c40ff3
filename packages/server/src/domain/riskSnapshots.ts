/** The risk score of a day and what went into it: kept by the portal each day, and for the days before by the demo. */
import { type RiskInputs, riskOf } from '@parapet/contract/rules/risk.ts';
import type { Tx } from '../core/db/scope.ts';

export interface DayInputs extends RiskInputs {
  organisationId: number;
  /** YYYY-MM-DD, UTC. */
  day: string;
}

/** One row a day and organisation; what is there stays. */
export async function insertSnapshots(tx: Tx, all: readonly DayInputs[]): Promise<void> {
  for (let from = 0; from < all.length; from += 1_000) {
    await tx
      .insertInto('risk_snapshots')
      .values(
        all.slice(from, from + 1_000).map((inputs) => {
          const { devices, cases } = inputs;
          const { tempScore, deviceScore, practiceScore, caseScore } = riskOf(inputs);
          return {
            organisation_id: inputs.organisationId,
            day: inputs.day,
            total_servers: devices.totalServers,
            total_workstations: devices.totalWorkstations,
            monitored_servers: devices.monitoredServers,
            monitored_workstations: devices.monitoredWorkstations,
            checked: inputs.checked,
            practices: inputs.practices,
            open_sum: cases.open,
            assigned_sum: cases.assigned,
            investigating_sum: cases.investigating,
            malicious_sum: cases.malicious,
            risk_score: tempScore,
            device_score: deviceScore,
            practice_score: practiceScore,
            case_score: caseScore,
          };
        }),
      )
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
}
