/**
 * Envelope of a Winlogbeat 8 document: `winlog.event_data` with Windows' names and no ECS process fields, because Winlogbeat
 * leaves those to ingest pipelines, whose part the portal's normaliser plays.
 */
import type { Document, Emitted } from '../types.ts';
import { beatFrame, beatIndex, emit, iso, type Scene } from './scene.ts';

export interface WindowsEvent {
  provider: string;
  providerGuid?: string;
  channel: string;
  eventId: number;
  /** Value of `event.action`. */
  task: string;
  /** First line of the message. */
  title: string;
  data: Record<string, string>;
  outcome?: 'success' | 'failure';
  level?: 'information' | 'warning' | 'error';
  /** Account of the provider itself. */
  winlogUser?: Document;
  version?: number;
  userData?: Document;
}

/** `PT123` and the like stay as they are; `SubjectUserName` reads `Subject User Name`. */
const spaced = (name: string) => name.replace(/([a-z])([A-Z])/g, '$1 $2');

function messageOf(event: WindowsEvent): string {
  const isSysmon = event.provider === 'Microsoft-Windows-Sysmon';
  const lines = Object.entries(event.data).map(([name, value]) =>
    isSysmon ? `${name}: ${value}` : `\t${spaced(name)}:\t${value}`,
  );
  return isSysmon ? `${event.title}:\n${lines.join('\n')}` : `${event.title}\n\n${lines.join('\n')}`;
}

export function windowsEvent(scene: Scene, event: WindowsEvent): Emitted {
  const { device, random } = scene;
  return emit(scene, beatIndex('winlogbeat', device), {
    ...beatFrame(scene, 'winlogbeat'),
    event: {
      kind: 'event',
      code: String(event.eventId),
      provider: event.provider,
      action: event.task,
      created: iso(scene.at + 1_200),
      ...(event.outcome && { outcome: event.outcome }),
    },
    log: { level: event.level ?? 'information' },
    message: messageOf(event),
    winlog: {
      api: 'wineventlog',
      channel: event.channel,
      computer_name: `${device.name}.${device.site.domain}`,
      event_id: String(event.eventId),
      opcode: 'Info',
      provider_name: event.provider,
      ...(event.providerGuid && { provider_guid: event.providerGuid }),
      record_id: 100_000 + Math.floor((scene.at / 1000) % 90_000_000),
      task: event.task,
      process: { pid: random.int(600, 4_000), thread: { id: random.int(600, 9_000) } },
      ...(event.outcome && { keywords: [event.outcome === 'success' ? 'Audit Success' : 'Audit Failure'] }),
      ...(event.winlogUser && { user: event.winlogUser }),
      ...(event.version && { version: event.version }),
      ...(event.userData ? { user_data: event.userData } : { event_data: event.data }),
    },
  });
}
