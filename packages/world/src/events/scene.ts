/** Scene of an event, and the envelope shared by all Beats. */
import type { Device } from '../fleet.ts';
import type { Person } from '../people.ts';
import type { Random } from '../random.ts';
import type { Document, Emitted } from '../types.ts';

export interface Scene {
  device: Device;
  /** Milliseconds since 1970 UTC. */
  at: number;
  random: Random;
  /** Acting user; defaults to the device's owner. */
  person?: Person | undefined;
}

export const iso = (at: number) => new Date(at).toISOString();

/** 20 characters like Elasticsearch's own ids. */
export const documentId = (random: Random) => random.hex(20);

export function emit(scene: Scene, index: string, document: Document): Emitted {
  return {
    at: scene.at,
    organisationId: scene.device.organisationId,
    index,
    document: { _id: documentId(scene.random), ...document },
  };
}

type Beat = 'winlogbeat' | 'auditbeat' | 'filebeat' | 'packetbeat';

/** The Beats' index carries their version: `winlogbeat-8.19.2`. */
export const beatIndex = (beat: Beat, device: Device) => `${beat}-${device.agentVersion}`;

const families: Record<string, string> = { Windows: 'windows', Debian: 'debian', Ubuntu: 'debian' };

/** `@timestamp`, `agent`, `ecs`, `host` as `add_host_metadata` writes them. */
export function beatFrame(scene: Scene, beat: Beat): Document {
  const { device } = scene;
  const isWindows = device.system === 'windows';
  return {
    '@timestamp': iso(scene.at),
    agent: {
      id: device.agentId,
      name: device.name,
      type: beat,
      version: device.agentVersion,
      ephemeral_id: device.agentId.replace(/^.{8}/, '5f0e12ab'),
    },
    ecs: { version: '8.0.0' },
    host: {
      name: device.name,
      hostname: device.name,
      id: device.id,
      architecture: 'x86_64',
      ip: [device.ip],
      mac: [device.mac],
      os: {
        type: isWindows ? 'windows' : 'linux',
        platform: isWindows ? 'windows' : device.operatingSystem.startsWith('Debian') ? 'debian' : 'ubuntu',
        family: families[device.operatingSystem.split(' ')[0]!] ?? 'linux',
        name: device.operatingSystem,
        version: isWindows
          ? device.kernel.split('.').slice(0, 2).join('.')
          : (device.operatingSystem.match(/\d+(\.\d+)*/)?.[0] ?? ''),
        kernel: device.kernel,
      },
    },
  };
}

export function requirePerson(scene: Scene): Person {
  const person = scene.person ?? scene.device.owner;
  if (!person) throw new Error(`${scene.device.name} has no owner: the scene must name a person.`);
  return person;
}
