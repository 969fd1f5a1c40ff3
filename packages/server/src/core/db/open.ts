/** The database that this process works on: its own, or one that stands elsewhere. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Config } from '../config.ts';
import type { Log } from '../log.ts';
import { connect } from './connect.ts';
import { attachEmbedded, startEmbedded } from './embedded.ts';
import { isDatabaseAway } from './scope.ts';

/** A database that is being opened. */
export interface OpeningDatabase {
  /** Address for the owner. */
  ownerUrl: Promise<string>;
  closers: (() => Promise<unknown> | unknown)[];
}

/** Begins to open the database; a failure is thrown where `ownerUrl` is awaited. */
export function beginDatabase(config: Config, log: Log): OpeningDatabase {
  const closers: OpeningDatabase['closers'] = [];
  const ownerUrl = openDatabase(config, log, closers);
  ownerUrl.catch(() => {});
  return { ownerUrl, closers };
}

/** Answers the owner's address of the database, started here or found. */
export async function openDatabase(config: Config, log: Log, closers: (() => Promise<unknown> | unknown)[]): Promise<string> {
  if (config.databaseUrl === undefined) {
    try {
      const embedded = await startEmbedded({ dataDir: config.dataDir, log });
      closers.push(() => embedded.stop());
      return embedded.ownerUrl;
    } catch (error) {
      // A process that was given its roles joins the one that runs the database already.
      if (!config.hasNamedRoles) throw error;
      return attachEmbedded({ dataDir: config.dataDir });
    }
  }
  const { databaseUrl } = config;
  for (let tries = 0; ; tries++) {
    const probe = connect({ url: databaseUrl, applicationName: 'portal start', poolSize: 1 });
    try {
      await probe.pool.query('select 1');
      return databaseUrl;
    } catch (error) {
      if (!isDatabaseAway(error) || tries >= 30) throw error;
      log.warn('the database does not answer yet; trying again');
      await pause(1_000);
    } finally {
      await probe.close();
    }
  }
}
