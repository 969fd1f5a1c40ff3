/**
 * Device register. Writes a device when it is new, when its shipper’s version changes, and at most every five minutes for
 * its newest event, so that a busy device costs nothing. Hourly event counts are collected here and flushed periodically: a
 * killed process loses recent counts, never an event.
 */

import type { DeviceType } from '@parapet/contract/primitives.ts';
import { hourMs } from '@parapet/contract/rules/duration.ts';
import { sql } from 'kysely';
import { textColumn, timeColumn } from '../core/db/bulk.ts';
import type { Database } from '../core/db/connect.ts';
import { retrying, scoped, type Tx } from '../core/db/scope.ts';
import type { Log } from '../core/log.ts';
import { addDeviceHours, addDeviceVersions, type DeviceHour } from '../domain/deviceCounts.ts';
import type { Document, Event } from './event.ts';
import { createFieldRegister, type FieldsOfSource } from './field-register.ts';
import { createSourceRegister, type SourcesOf } from './sources.ts';

const writeEveryMs = 5 * 60_000;
const maxRemembered = 100_000;
/** Flush early at this many pending devices and hours. */
const manyWaiting = 20_000;
const flushEveryMs = 30_000;
const checkEveryMs = 5_000;
/** Cap on pending entries while the database is unavailable. */
const maxWaiting = 200_000;
const rowsPerStatement = 5_000;

interface Seen {
  name: string;
  type: DeviceType;
  version: string | null;
  lastAt: number;
  receivedAt: number;
  /** Events by hour; almost always a single entry. */
  hours: Map<number, number>;
}

export interface DeviceRegister {
  /** Records the devices of stored events. Returns a callback to run after the transaction commits. */
  note(tx: Tx, organisationId: number, events: readonly Event[]): Promise<() => void>;
  /** Writes the counts collected since the last flush; keeps them on failure. The last one leaves nothing for later. */
  flush(db: Database, isLast?: boolean): Promise<void>;
  /** Number of pending devices and hours. */
  waiting(): number;
}

export function createDeviceRegister(
  sourcesOf: SourcesOf = () => [],
  fieldsOfSource: FieldsOfSource = () => ({ code: undefined, fields: [] }),
): DeviceRegister {
  const sources = createSourceRegister(sourcesOf);
  const fields = createFieldRegister(fieldsOfSource);
  const written = new Map<string, { at: number; versions: Map<string, string> }>();
  let waiting = new Map<string, DeviceHour>();
  let flushing: Promise<void> = Promise.resolve();

  const count = (row: DeviceHour) => {
    const key = `${row.organisationId} ${row.hour} ${row.name}`;
    const known = waiting.get(key);
    if (known) known.events += row.events;
    else if (waiting.size < maxWaiting) waiting.set(key, { ...row });
  };

  const isNewVersion = (organisationId: number, { name, version }: Seen): boolean =>
    version !== null && written.get(`${organisationId} ${name}`)?.versions.get(collectorOf(version)) !== version;

  return {
    async note(tx, organisationId, events) {
      const seen = new Map<string, Seen>();
      for (const event of events) {
        // The portal’s own events about a device are not activity of the device.
        if (event.deviceName === undefined || event.arrival.isPortals) continue;
        const hour = Math.floor(event.at / hourMs) * hourMs;
        let device = seen.get(event.deviceName);
        if (!device) {
          const { deviceName: name, at: lastAt, receivedAt } = event;
          device = {
            name,
            type: deviceTypeOf(event),
            version: versionOf(event.document) ?? null,
            lastAt,
            receivedAt,
            hours: new Map(),
          };
          seen.set(name, device);
        } else if (device.lastAt < event.at) {
          if (device.type === 'server') device.type = deviceTypeOf(event);
          device.version = versionOf(event.document) ?? device.version;
          device.lastAt = event.at;
        }
        device.hours.set(hour, (device.hours.get(hour) ?? 0) + 1);
      }
      const due = [...seen.values()].filter((device) => {
        const before = written.get(`${organisationId} ${device.name}`);
        return !before || device.lastAt - before.at >= writeEveryMs || isNewVersion(organisationId, device);
      });
      if (due.length > 0) {
        due.sort((a, b) => (a.name < b.name ? -1 : 1));
        await sql`
          insert into devices (organisation_id, name, device_type, agent_version, agent_updated_at, last_event_at, created_at)
          select ${organisationId}, d.name, d.type, d.version, case when d.version is null then null else d.at end, d.at, d.received_at
          from unnest(${textColumn(due.map((d) => d.name))}, ${textColumn(due.map((d) => d.type))},
            ${textColumn(due.map((d) => d.version))}, ${timeColumn(due.map((d) => d.lastAt))}, ${timeColumn(due.map((d) => d.receivedAt))})
            as d (name, type, version, at, received_at)
          on conflict (organisation_id, name) do update set
            agent_updated_at = case when excluded.agent_version is distinct from devices.agent_version and excluded.agent_version is not null
              then excluded.agent_updated_at else devices.agent_updated_at end,
            agent_version = coalesce(excluded.agent_version, devices.agent_version),
            last_event_at = greatest(devices.last_event_at, excluded.last_event_at)`.execute(tx);
        await addDeviceVersions(
          tx,
          organisationId,
          due.flatMap((device) =>
            device.version !== null && isNewVersion(organisationId, device)
              ? [{ name: device.name, version: device.version, at: device.lastAt }]
              : [],
          ),
        );
      }
      return () => {
        sources.note(organisationId, events);
        fields.note(organisationId, events);
        for (const { name, hours } of seen.values())
          for (const [hour, events] of hours) count({ organisationId, name, hour, events });
        if (written.size > maxRemembered) written.clear();
        for (const { name, version, lastAt } of due) {
          const key = `${organisationId} ${name}`;
          const versions = written.get(key)?.versions ?? new Map<string, string>();
          if (version !== null) versions.set(collectorOf(version), version);
          written.set(key, { at: lastAt, versions });
        }
      };
    },

    flush(db, isLast = false) {
      const write = async () => {
        const rows = [...waiting.values()];
        waiting = new Map();
        for (let from = 0; from < rows.length; from += rowsPerStatement) {
          const part = rows.slice(from, from + rowsPerStatement);
          try {
            await retrying(() => scoped(db, 'system', (tx) => addDeviceHours(tx, part), { statementTimeoutMs: 30_000 }));
          } catch (error) {
            for (const row of rows.slice(from)) count(row);
            throw error;
          }
        }
        await sources.flush(db);
        await fields.flush(db, isLast);
      };
      flushing = flushing.catch(() => {}).then(write);
      return flushing;
    },

    waiting: () => waiting.size,
  };
}

/**
 * Flushes the register every half minute, or earlier when it grows large. The returned function stops the timer and flushes
 * the rest.
 */
export function flushRegularly(register: DeviceRegister, db: Database, log: Log): () => Promise<void> {
  let last = performance.now();
  const timer = setInterval(() => {
    if (register.waiting() < manyWaiting && performance.now() - last < flushEveryMs) return;
    last = performance.now();
    register.flush(db).catch((error) => log.warn({ err: error }, 'device counts could not be written; retrying'));
  }, checkEveryMs);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await register.flush(db, true);
  };
}

const collectorOf = (version: string): string => version.slice(0, version.indexOf(' ') + 1);

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
const inner = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.hasOwn(value, key)
    ? (value as Document)[key]
    : undefined;

/** Datasets of cloud providers’ own logs, as Beats name them. */
const cloudLogs = /^(aws|gcp|azure|oci)\./;

/** Infers the device type from a single event. */
export function deviceTypeOf(event: Pick<Event, 'shape' | 'document'>): DeviceType {
  const { document, shape } = event;
  if (shape === 'm365' || shape === 'google') return 'productivity';
  if (shape === 'entra' || shape === 'okta' || shape === 'github') return 'cloudApp';
  // A cloud account’s own log; a machine in a cloud reports its operating system.
  if (cloudLogs.test(text(inner(document.event, 'dataset')) ?? '') && inner(document.host, 'os') === undefined)
    return 'cloudPlatform';
  const observer = text(inner(document.observer, 'type'));
  if (observer === 'firewall' || observer === 'switch' || observer === 'router') return 'networkDevice';
  const os = inner(document.host, 'os');
  const osName = `${text(inner(os, 'name')) ?? ''} ${text(inner(os, 'platform')) ?? ''}`.toLowerCase();
  if (osName.includes('windows')) return osName.includes('server') ? 'server' : 'workstation';
  if (shape === 'winlogbeat' || shape === 'evtx') return 'workstation';
  if (osName.includes('macos') || osName.includes('darwin')) return 'workstation';
  return 'server';
}

/** Agent name and version as Beats report them: "winlogbeat 8.17.1". */
export function versionOf(document: Document): string | undefined {
  const version = text(inner(document.agent, 'version'));
  if (!version) return undefined;
  return `${text(inner(document.agent, 'type')) ?? ''} ${version}`.trim().slice(0, 100);
}
