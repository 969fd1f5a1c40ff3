/**
 * Matches installed packages with advisories: for devices with a new inventory, for all after an import, and for uploaded results. Lookups are
 * shared between devices.
 */
import type { DeviceType } from '@parapet/contract/primitives.ts';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { isDatabaseAway, scoped, type Tx } from '../../core/db/scope.ts';
import type { Log } from '../../core/log.ts';
import { shouldYield, yieldToEventLoop } from '../../core/yielding.ts';
import { findStamp } from './advisories.store.ts';
import { findingsChanged } from './findings.causes.ts';
import {
  type DueScan,
  findExposure,
  findInventory,
  holdScan,
  listDue,
  listFacts,
  listRanges,
  type ScanFinding,
  saveFindings,
  updateScan,
} from './findings.store.ts';
import {
  type CveFacts,
  installedOf,
  type KnownRange,
  type Match,
  matchesOf,
  rangeKey,
  weighed,
  withReported,
} from './matching.ts';
import { listeningOf, priorityOf } from './priority.ts';
import type { ScanContent } from './scans.formats.ts';
import { isLanguage } from './versions.ts';

export type MatchingService = ReturnType<typeof createMatchingService>;

const dueAtOnce = 200;
/** Cache limits, in ranges and in CVEs. */
const maxRemembered = 200_000;
const scanTimeoutMs = 120_000;
const maxAliases = 50;

/** Lookups cached until the next import. */
interface Memory {
  stamp: string;
  ranges: Map<string, KnownRange[]>;
  size: number;
  facts: Map<string, CveFacts>;
}
const emptyMemory = (stamp: string): Memory => ({ stamp, ranges: new Map(), size: 0, facts: new Map() });

interface MatchingDeps {
  db: Database;
  clock: Clock;
  log: Log;
}

export function createMatchingService({ db, clock, log }: MatchingDeps) {
  return {
    /** Matches all due scans; failures are logged and retried next time. */
    async run(): Promise<void> {
      const memory = emptyMemory('');
      let last: DueScan | undefined;
      for (;;) {
        const due = await scoped(db, 'system', (tx) => listDue(tx, dueAtOnce, last), { readOnly: true });
        if (due.length === 0) return;
        for (const scan of due) {
          try {
            await scoped(db, { organisationIds: [scan.organisationId] }, (tx) => matchDue(tx, clock, memory, scan), {
              statementTimeoutMs: scanTimeoutMs,
            });
          } catch (error) {
            if (isDatabaseAway(error)) throw error;
            // A failed transaction may leave an incomplete cache.
            Object.assign(memory, emptyMemory(''));
            log.error(
              { err: error, deviceId: scan.deviceId, source: scan.source },
              'could not match a device with the advisories',
            );
          }
          if (shouldYield()) await yieldToEventLoop();
        }
        last = due.at(-1);
      }
    },

    /** Stores an uploaded result, replacing the previous one of the same scanner. */
    async keepScan(
      tx: Tx,
      scan: DueScan,
      { content, packages, languages }: { content: ScanContent; packages: number; languages: number },
    ): Promise<{ findings: number; added: number; fixed: number }> {
      const now = new Date(clock.now());
      await holdScan(tx, scan, now);
      const changes = await match(tx, clock, emptyMemory(''), scan, content);
      await updateScan(tx, scan, { scannedAt: now, packages, languages, content });
      return changes;
    },
  };
}

async function matchDue(tx: Tx, clock: Clock, memory: Memory, scan: DueScan): Promise<void> {
  const scope = { organisationIds: [scan.organisationId] };
  const { content } = await holdScan(tx, scan, new Date(clock.now()));
  if (scan.source !== 'agent') {
    await match(tx, clock, memory, scan, (content as ScanContent | null) ?? { packages: [], reported: [] });
    return;
  }
  const inventory = await findInventory(tx, scope, scan.deviceId);
  if (!inventory) return;
  const { packages, scannedAt } = inventory;
  await match(tx, clock, memory, scan, { packages, reported: [] });
  const languages = packages.filter(({ ecosystem }) => isLanguage(ecosystem)).length;
  await updateScan(tx, scan, { scannedAt, packages: packages.length, languages });
}

/** Matches and stores one scan in the scope of its organisation. Returns the number of findings, and of those added and fixed. */
async function match(tx: Tx, clock: Clock, memory: Memory, scan: DueScan, content: ScanContent) {
  await refresh(tx, memory);
  const matched = await weigh(tx, memory, scan, await matchContent(tx, memory, content));
  const scope = { organisationIds: [scan.organisationId] };
  const now = new Date(clock.now());
  const changes = await saveFindings(tx, scope, scan, matched, now);
  if (changes.added + changes.fixed > 0) await findingsChanged(tx, scope, scan, now);
  return { findings: matched.length, ...changes };
}

/** Empties an old or full cache. The caller holds the scan, so a later import makes it due again. */
async function refresh(tx: Tx, memory: Memory): Promise<void> {
  const stamp = await findStamp(tx);
  if (stamp !== memory.stamp || memory.size > maxRemembered || memory.facts.size > maxRemembered)
    Object.assign(memory, emptyMemory(stamp));
}

async function matchContent(tx: Tx, memory: Memory, { packages, reported }: ScanContent): Promise<Match[]> {
  const installed = installedOf(packages);
  const unknown = [...installed].filter(([key]) => !memory.ranges.has(key)).map(([, each]) => each);
  for (const each of unknown) memory.ranges.set(rangeKey(each.ecosystem, each.package), []);
  memory.size += unknown.length;
  for (const range of await listRanges(tx, unknown)) {
    memory.ranges.get(rangeKey(range.ecosystem, range.package))?.push(range);
    memory.size++;
  }
  return withReported(
    matchesOf(installed.values(), (key) => memory.ranges.get(key) ?? []),
    reported,
  );
}

async function weigh(tx: Tx, memory: Memory, scan: DueScan, matches: readonly Match[]): Promise<ScanFinding[]> {
  const unknown = new Set(matches.map(({ cve }) => cve).filter((cve) => !memory.facts.has(cve)));
  for (const [cve, facts] of await listFacts(tx, [...unknown])) memory.facts.set(cve, facts);
  const exposure = await findExposure(tx, { organisationIds: [scan.organisationId] }, scan.deviceId);
  const listening = listeningOf(Array.isArray(exposure?.listening) ? exposure.listening : undefined);
  const deviceType = (exposure?.deviceType ?? 'workstation') as DeviceType;
  return matches.map(({ packages, ...match }) => {
    const facts = memory.facts.get(match.cve);
    const { severity, cvss } = weighed({ ...match, packages }, facts);
    const { epss, isKnownExploited, isInvented } = facts ?? { epss: null, isKnownExploited: false, isInvented: false };
    const toWeigh = { severity, cvss, epss, isKnownExploited, isInvented, packages };
    const { priority, reasons } = priorityOf(toWeigh, { deviceType, listening });
    return { ...match, aliases: match.aliases.slice(0, maxAliases), severity, cvss, priority, reasons };
  });
}
