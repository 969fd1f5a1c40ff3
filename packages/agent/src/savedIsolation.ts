/** Isolation as saved on disk, to be restored after a restart of the agent or the host. */
import { existsSync } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { HostClock } from './clock.ts';
import { readJson, syncFolder, writeDurably } from './files.ts';
import { rulesOf } from './isolationRules.ts';

export interface WantedIsolation {
  secondsLeft: number;
  /** Addresses of the portal. */
  addresses: string[];
}

interface Saved extends WantedIsolation {
  /** Boot that `deadline` refers to; after a reboot, `secondsLeft` applies. */
  startId: string;
  /** Host uptime in seconds at which the isolation ends. */
  deadline: number;
}

export function createSavedIsolation({ state, clock, port }: { state: string; clock: HostClock; port: number }) {
  const stateFile = join(state, 'isolation.json');
  const rulesFile = join(state, 'isolation.nft');
  return {
    /** The isolation with the time left now. */
    read(): Saved | undefined {
      const saved = readJson<Saved>(stateFile);
      if (!saved) return undefined;
      // After a reboot, subtract the whole time since boot from the last saved value.
      const secondsLeft =
        saved.startId === clock.startId() ? saved.deadline - clock.uptime() : saved.secondsLeft - clock.sinceStart();
      return { ...saved, secondsLeft: Math.max(0, Math.ceil(secondsLeft)) };
    },
    /** Returns the path of the ruleset, which allows DNS to `nameServers`. */
    async save({ addresses, secondsLeft }: WantedIsolation, nameServers: string[] = []): Promise<string> {
      const saved: Saved = { startId: clock.startId(), deadline: clock.uptime() + secondsLeft, secondsLeft, addresses };
      // Write rules first: the unit that loads them at boot reads nothing else.
      await writeDurably(rulesFile, rulesOf({ addresses, port, seconds: secondsLeft, names: nameServers }));
      await writeDurably(stateFile, JSON.stringify(saved));
      return rulesFile;
    },
    async remove() {
      for (const file of [rulesFile, stateFile]) if (existsSync(file)) await unlink(file);
      await syncFolder(state);
    },
  };
}
