/**
 * Which devices events speak of. A device is written when it is new, when its shipper's version changed, and at most every five minutes for
 * its newest event, so that a busy device costs nothing.
 */

import type { DeviceType } from '@parapet/contract/primitives.ts';
import { sql } from 'kysely';
import { textColumn, timeColumn } from '../core/db/bulk.ts';
import type { Tx } from '../core/db/scope.ts';
import type { Document, Event } from './event.ts';

const writeEveryMs = 5 * 60_000;
const maxRemembered = 100_000;

interface Seen {
  name: string;
  type: DeviceType;
  version: string | null;
  lastAt: number;
}

export interface DeviceRegister {
  /** Answers what is to be called once the transaction is committed. */
  note(tx: Tx, organisationId: number, events: readonly Event[]): Promise<() => void>;
}

export function createDeviceRegister(): DeviceRegister {
  const written = new Map<string, { at: number; version: string | null }>();

  return {
    async note(tx, organisationId, events) {
      const seen = new Map<string, Seen>();
      for (const event of events) {
        if (event.deviceName === undefined) continue;
        const known = seen.get(event.deviceName);
        if (known && known.lastAt >= event.at) continue;
        seen.set(event.deviceName, {
          name: event.deviceName,
          type: known && known.type !== 'server' ? known.type : deviceTypeOf(event),
          version: versionOf(event.document) ?? known?.version ?? null,
          lastAt: event.at,
        });
      }
      const due = [...seen.values()].filter((device) => {
        const before = written.get(`${organisationId} ${device.name}`);
        return (
          !before || device.lastAt - before.at >= writeEveryMs || (device.version !== null && device.version !== before.version)
        );
      });
      if (due.length === 0) return () => {};
      due.sort((a, b) => (a.name < b.name ? -1 : 1));
      await sql`
        insert into devices (organisation_id, name, device_type, agent_version, agent_updated_at, last_event_at)
        select ${organisationId}, d.name, d.type, d.version, case when d.version is null then null else d.at end, d.at
        from unnest(${textColumn(due.map((d) => d.name))}, ${textColumn(due.map((d) => d.type))},
          ${textColumn(due.map((d) => d.version))}, ${timeColumn(due.map((d) => d.lastAt))}) as d (name, type, version, at)
        on conflict (organisation_id, name) do update set
          agent_updated_at = case when excluded.agent_version is distinct from devices.agent_version and excluded.agent_version is not null
            then excluded.agent_updated_at else devices.agent_updated_at end,
          agent_version = coalesce(excluded.agent_version, devices.agent_version),
          last_event_at = greatest(devices.last_event_at, excluded.last_event_at)`.execute(tx);
      return () => {
        if (written.size > maxRemembered) written.clear();
        for (const device of due) written.set(`${organisationId} ${device.name}`, { at: device.lastAt, version: device.version });
      };
    },
  };
}

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
const inner = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.hasOwn(value, key)
    ? (value as Document)[key]
    : undefined;

/** Datasets of the clouds' own records, as Beats name them. */
const cloudLogs = /^(aws|gcp|azure|oci)\./;

/** What kind of device an event comes from, as far as one event can tell. */
export function deviceTypeOf(event: Pick<Event, 'shape' | 'document'>): DeviceType {
  const { document, shape } = event;
  if (shape === 'm365') return 'productivity';
  if (shape === 'entra') return 'cloudApp';
  // A cloud account's own log; a machine in a cloud says of itself which operating system it runs.
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

/** The agent's name and version, as Beats say it: "winlogbeat 8.17.1". */
export function versionOf(document: Document): string | undefined {
  const version = text(inner(document.agent, 'version'));
  if (!version) return undefined;
  return `${text(inner(document.agent, 'type')) ?? ''} ${version}`.trim().slice(0, 100);
}
