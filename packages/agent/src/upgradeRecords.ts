/** Persistent state of an upgrade: its trial, its report for the next check-in, and the last version given up. */
import { existsSync } from 'node:fs';
import { rm, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { CheckIn } from '@parapet/contract/agentProtocol.ts';
import { readJson, writeDurably } from './files.ts';

export type Report = NonNullable<CheckIn['upgrade']>;

export interface Trial {
  from: string;
  to: string;
  starts: number;
}

export function createUpgradeRecords(state: string) {
  const trialFile = join(state, 'trial.json');
  const reportFile = join(state, 'upgrade.json');
  const givenUpFile = join(state, 'given-up.json');
  const trial = () => readJson<Trial>(trialFile);
  /** Last version given up, persisted so that it is not tried again immediately. */
  const givenUp = () => readJson<{ version: string; detail?: string }>(givenUpFile);
  const saveReport = (report: Report) => writeDurably(reportFile, JSON.stringify(report));

  /**
   * Completes a giving up that the end of the previous process cut short: the portal does not offer a failed version again, so
   * neither the report nor the end of the trial may get lost.
   */
  async function settle(): Promise<void> {
    const last = givenUp();
    if (!last || trial()?.to !== last.version) return;
    const { version, detail = 'It was given up.' } = last;
    await saveReport({ version, state: 'failed', detail });
    await rm(trialFile, { force: true });
  }

  return {
    trial,
    isOnTrial: () => existsSync(trialFile),
    saveTrial: (started: Trial) => writeDurably(trialFile, JSON.stringify(started)),
    endTrial: () => unlink(trialFile),
    report: () => readJson<Report>(reportFile),
    saveReport,
    removeReport: () => rm(reportFile, { force: true }),
    givenUp,
    /** Ends the trial and reports it as failed. */
    async giveUp({ from, to }: Trial, reason: string) {
      await writeDurably(givenUpFile, JSON.stringify({ version: to, detail: `${reason} Version ${from} is back.` }));
      await settle();
    },
    settle,
  };
}
