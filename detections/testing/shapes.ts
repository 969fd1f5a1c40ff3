/**
 * Events of real shape for test pairs: each shape is one kind of event with every field that its source writes, so that a pair names only
 * what matters to its rule.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Document } from './pairs.ts';
import { originalOf } from './programs.ts';

/** An event of Windows as the provider's manifest declares it; Winlogbeat's envelope is put around it. */
interface WindowsShape {
  provider: string;
  guid?: string;
  channel: string;
  id: number;
  /** Name of the task; `event.action` in Winlogbeat's document. */
  task: string;
  /** First line of the message. */
  title: string;
  version?: number;
  outcome?: 'success' | 'failure';
  /** Every field in the provider's order, with everyday values. */
  data: Record<string, string>;
}

const folder = fileURLToPath(new URL('shapes', import.meta.url));

const shapes = new Map<string, { isWindows: boolean; shape: WindowsShape | Document }>();
for (const file of readdirSync(folder).sort()) {
  const read = JSON.parse(readFileSync(`${folder}/${file}`, 'utf8')) as Record<string, WindowsShape | Document>;
  for (const [name, shape] of Object.entries(read)) {
    if (shapes.has(name)) throw new Error(`${file}: there is another shape ${name}.`);
    shapes.set(name, { isWindows: file.startsWith('windows'), shape });
  }
}

export const shapeNames = (): string[] => [...shapes.keys()];

/**
 * The document of a shape with values laid over it. On Windows a bare name is a field of the event; elsewhere, and with dots, a path of the
 * document. Null removes. Throws for an unknown shape and for a field that the event does not have.
 */
export function documentOf(name: string, values: Readonly<Record<string, unknown>> = {}): Document {
  const known = shapes.get(name);
  if (!known) throw new Error(`There is no shape ${name}; there are ${shapeNames().join(', ')}.`);
  const { isWindows, shape } = known;
  const document = isWindows ? windowsDocument(name, shape as WindowsShape, values) : structuredClone(shape as Document);
  for (const [path, value] of Object.entries(values)) if (!isWindows || path.includes('.')) lay(document, path, value);
  return document;
}

/** Lays a value over a document at a path; null removes. */
export function lay(document: Document, path: string, value: unknown): void {
  const keys = path.split('.');
  const last = keys.pop()!;
  let place = document;
  for (const key of keys) {
    place[key] ??= {};
    place = place[key] as Document;
  }
  if (value === null) delete place[last];
  else place[last] = value;
}

function windowsDocument(name: string, shape: WindowsShape, values: Readonly<Record<string, unknown>>): Document {
  const data: Record<string, string> = { ...shape.data };
  for (const [field, value] of Object.entries(values)) {
    if (field.includes('.')) continue;
    if (!(field in shape.data)) throw new Error(`The event ${name} has no field ${field}.`);
    if (value === null) delete data[field];
    else data[field] = String(value);
  }
  // A program mostly starts another under its own account.
  if ('ParentUser' in data && values.User !== undefined && values.ParentUser === undefined) data.ParentUser = String(values.User);
  // What the file itself says about a program goes with its image.
  if ('OriginalFileName' in data && values.Image !== undefined)
    for (const [field, value] of Object.entries(originalOf(data.Image ?? '')))
      if (values[field] === undefined) data[field] = value;
  const isSysmon = shape.provider === 'Microsoft-Windows-Sysmon';
  const lines = Object.entries(data).map(([field, value]) => (isSysmon ? `${field}: ${value}` : `\t${spaced(field)}:\t${value}`));
  return {
    '@timestamp': '2026-11-20T09:14:05.000Z',
    agent: {
      ephemeral_id: '5f0c6a3e-9a51-4b0c-8a7e-0f2f2c1c7d11',
      id: 'b1b7a9d2-6d0e-4a55-9a0f-3f1d6f0e7c21',
      name: 'ALD-WS-014',
      type: 'winlogbeat',
      version: '8.15.3',
    },
    ecs: { version: '8.0.0' },
    event: {
      action: shape.task,
      code: String(shape.id),
      created: '2026-11-20T09:14:06.311Z',
      kind: 'event',
      provider: shape.provider,
      ...(shape.outcome && { outcome: shape.outcome }),
    },
    host: { name: 'ALD-WS-014.alder.example' },
    log: { level: 'information' },
    message: isSysmon ? `${shape.title}:\n${lines.join('\n')}` : `${shape.title}\n\n${lines.join('\n')}`,
    winlog: {
      api: 'wineventlog',
      channel: shape.channel,
      computer_name: 'ALD-WS-014.alder.example',
      event_data: data,
      event_id: String(shape.id),
      opcode: 'Info',
      process: { pid: 3116, thread: { id: 4188 } },
      ...(shape.guid && { provider_guid: shape.guid }),
      provider_name: shape.provider,
      record_id: 104_423,
      task: shape.task,
      ...(shape.version !== undefined && { version: shape.version }),
      ...(shape.outcome && { keywords: [shape.outcome === 'success' ? 'Audit Success' : 'Audit Failure'] }),
      ...(isSysmon && { user: { domain: 'NT AUTHORITY', identifier: 'S-1-5-18', name: 'SYSTEM', type: 'User' } }),
    },
  };
}

/** `SubjectUserName` reads `Subject User Name` in messages. */
const spaced = (name: string) => name.replace(/([a-z])([A-Z])/g, '$1 $2');
