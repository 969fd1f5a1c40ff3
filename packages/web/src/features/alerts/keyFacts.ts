/**
 * Key fields of an event in reading order: action, user, process, file, source, destination. Events are ECS documents, nested or with
 * dotted keys; missing fields are omitted.
 */

export interface KeyFact {
  name: string;
  field: string;
  value: string;
}

const fields: [name: string, ...paths: string[]][] = [
  ['Action', 'event.action'],
  ['Outcome', 'event.outcome'],
  ['Event code', 'event.code', 'winlog.event_id'],
  ['Host', 'host.name', 'host.hostname', 'agent.hostname'],
  ['User', 'user.name', 'winlog.event_data.TargetUserName', 'user.email'],
  ['Domain', 'user.domain', 'winlog.event_data.TargetDomainName'],
  ['Target user', 'user.target.name'],
  ['Process', 'process.executable', 'process.name', 'winlog.event_data.Image'],
  ['Process id', 'process.pid'],
  ['Command line', 'process.command_line', 'winlog.event_data.CommandLine'],
  ['Script block', 'powershell.file.script_block_text', 'winlog.event_data.ScriptBlockText'],
  ['Parent process', 'process.parent.executable', 'process.parent.name', 'winlog.event_data.ParentImage'],
  ['Parent command line', 'process.parent.command_line', 'winlog.event_data.ParentCommandLine'],
  ['SHA-256', 'process.hash.sha256', 'file.hash.sha256'],
  ['File', 'file.path', 'file.name', 'winlog.event_data.TargetFilename'],
  ['Registry', 'registry.path', 'winlog.event_data.TargetObject'],
  ['Source address', 'source.ip', 'source.address', 'winlog.event_data.IpAddress'],
  ['Source country', 'source.geo.country_name', 'source.geo.country_iso_code'],
  ['Source network', 'source.as.organization.name', 'source.as.number'],
  ['Destination', 'destination.ip', 'destination.address', 'destination.domain'],
  ['Destination country', 'destination.geo.country_name', 'destination.geo.country_iso_code'],
  ['Destination network', 'destination.as.organization.name', 'destination.as.number'],
  ['Port', 'destination.port'],
  ['DNS query', 'dns.question.name'],
  ['URL', 'url.full', 'url.original', 'url.path'],
  ['Method', 'http.request.method'],
  ['Response status', 'http.response.status_code'],
  ['User agent', 'user_agent.original'],
  ['Provider', 'event.provider', 'winlog.provider_name', 'cloud.provider'],
];

/** Value of a dotted field in a nested, flat or mixed document. */
export function fieldOf(document: Record<string, unknown>, path: string): unknown {
  if (Object.hasOwn(document, path)) return document[path];
  for (let dot = path.indexOf('.'); dot > 0; dot = path.indexOf('.', dot + 1)) {
    const head = path.slice(0, dot);
    if (!Object.hasOwn(document, head)) continue;
    const inner = document[head];
    if (inner === null || typeof inner !== 'object' || Array.isArray(inner)) continue;
    const found = fieldOf(inner as Record<string, unknown>, path.slice(dot + 1));
    if (found !== undefined) return found;
  }
  return undefined;
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return value.slice(0, 20).map(textOf).filter(Boolean).join(', ');
  return '';
}

/** Command or script of an event, whole. */
export function encodedText(document: Record<string, unknown>): string | undefined {
  const paths = ['process.command_line', 'powershell.file.script_block_text', 'winlog.event_data.CommandLine', 'process.title'];
  return paths.map((path) => fieldOf(document, path)).find((value) => typeof value === 'string');
}

export function keyFacts(document: Record<string, unknown>): KeyFact[] {
  const facts: KeyFact[] = [];
  for (const [name, ...paths] of fields) {
    for (const field of paths) {
      const value = textOf(fieldOf(document, field)).slice(0, 2000);
      if (value.trim() === '' || value === '-') continue;
      facts.push({ name, field, value });
      break;
    }
  }
  return facts;
}
