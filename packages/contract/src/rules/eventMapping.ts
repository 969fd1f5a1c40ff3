/** Mapping of foreign records to ECS fields: the fields that can be filled, and the fields of a sample. Pure; server and page share it. */

/** Reading of a value: as text, or converted with words of that kind. */
export type MappingForm = 'text' | 'time' | 'address' | 'port' | 'outcome' | 'severity' | 'words';

export interface MappingTarget {
  label: string;
  form: MappingForm;
}

/** ECS fields by path, in the order of the form. */
export const mappingTargets = {
  '@timestamp': { label: 'Time', form: 'time' },
  message: { label: 'Message', form: 'text' },
  'event.id': { label: 'Event ID', form: 'text' },
  'event.action': { label: 'Action', form: 'text' },
  'event.outcome': { label: 'Outcome', form: 'outcome' },
  'event.severity': { label: 'Severity', form: 'severity' },
  'event.category': { label: 'Category', form: 'words' },
  'event.type': { label: 'Type', form: 'words' },
  'event.reason': { label: 'Reason', form: 'text' },
  'user.name': { label: 'User', form: 'text' },
  'user.email': { label: 'User email', form: 'text' },
  'user.domain': { label: 'User domain', form: 'text' },
  'user.target.name': { label: 'Affected user', form: 'text' },
  'source.ip': { label: 'Source address', form: 'address' },
  'source.port': { label: 'Source port', form: 'port' },
  'destination.ip': { label: 'Destination address', form: 'address' },
  'destination.port': { label: 'Destination port', form: 'port' },
  'destination.domain': { label: 'Destination domain', form: 'text' },
  'host.name': { label: 'Host', form: 'text' },
  'host.ip': { label: 'Host address', form: 'address' },
  'process.name': { label: 'Process', form: 'text' },
  'process.command_line': { label: 'Command line', form: 'text' },
  'file.name': { label: 'File', form: 'text' },
  'file.path': { label: 'File path', form: 'text' },
  'file.hash.sha256': { label: 'File SHA-256', form: 'text' },
  'url.original': { label: 'URL', form: 'text' },
  'user_agent.original': { label: 'User agent', form: 'text' },
  'rule.name': { label: 'Rule', form: 'text' },
  'log.level': { label: 'Level', form: 'text' },
} as const satisfies Record<string, MappingTarget>;

export type MappingTargetPath = keyof typeof mappingTargets;
export const mappingTargetPaths = Object.keys(mappingTargets) as [MappingTargetPath, ...MappingTargetPath[]];

/** Sections of ECS and of the portal’s own readers: a namespace of this name would be read as theirs. */
const reserved = new Set(
  (
    'agent aws azure base client cloud code_signature container crowdstrike data_stream destination device dll dns ecs email error event ' +
    'event_data faas file fileset gen_ai geo github google_workspace group hash host http input labels log logsource message metadata ' +
    'microsoft_defender_endpoint network o365 observer okta orchestrator organization package parent portal process registry related ' +
    'risk rule sentinel_one server service source span syslog system tags threat tls trace transaction url user user_agent volume ' +
    'vulnerability winlog x509'
  ).split(' '),
);

/** Reason against a namespace; undefined for a valid one. */
export function namespaceFault(namespace: string): string | undefined {
  if (!/^[a-z][a-z0-9_]{1,29}$/.test(namespace))
    return 'Enter 2 to 30 lower-case letters, digits or underscores, beginning with a letter.';
  return reserved.has(namespace) ? `“${namespace}” is a field of ECS. Choose another name.` : undefined;
}

/** Steps from a record to a value: names of members and positions in lists. */
export type FieldPath = readonly string[];

export interface SampleField {
  path: FieldPath;
  /** Name or position of the last step. */
  name: string;
  /** A value of the sample, shortened; undefined for an object or a list. */
  example: string | undefined;
  depth: number;
}

const maxFields = 300;
const maxDepth = 8;
const longestExample = 120;
/** Elements of a list that the tree shows. */
const shownElements = 3;

/** Fields of a sample record in its own order, objects before their members. At most 300 fields and 8 levels. */
export function fieldsOfSample(record: unknown): SampleField[] {
  const fields: SampleField[] = [];
  const walk = (value: unknown, path: FieldPath): void => {
    if (typeof value !== 'object' || value === null || path.length >= maxDepth) return;
    const members: [string, unknown][] = Array.isArray(value)
      ? value.slice(0, shownElements).map((each, at) => [String(at), each])
      : Object.entries(value);
    for (const [name, member] of members) {
      if (fields.length >= maxFields || name.length > 200) return;
      const isBranch = typeof member === 'object' && member !== null;
      const at = [...path, name];
      fields.push({
        path: at,
        name,
        example: isBranch ? undefined : String(member).slice(0, longestExample),
        depth: path.length,
      });
      walk(member, at);
    }
  };
  walk(record, []);
  return fields;
}

/** The value at a path; undefined when there is none. Own members only. */
export function valueAt(record: unknown, path: FieldPath): unknown {
  let at = record;
  for (const step of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return undefined;
    at = (at as Record<string, unknown>)[step];
  }
  return at;
}

export const shownPath = (path: FieldPath): string => path.join(' › ');

/** Path of the only list of objects in a body, for example of `{"events": [{…}]}`; empty when the body itself is the record. */
export function recordsPathOf(body: unknown): FieldPath {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return [];
  const lists = Object.entries(body).filter(
    ([, value]) => Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'object' && each !== null),
  );
  return lists.length === 1 ? [lists[0]![0]] : [];
}

interface Suggested {
  to: MappingTargetPath;
  pattern: RegExp;
}

/** Usual names of fields in webhooks of security products, most specific first. */
const suggestions: readonly Suggested[] = [
  { to: '@timestamp', pattern: /^(?:@?timestamp|time|datetime|date|eventtime|created(?:at|time)?|occurredat|ts)$/i },
  { to: 'message', pattern: /^(?:message|msg|description|summary|title|text)$/i },
  { to: 'event.id', pattern: /^(?:eventid|uuid|id|alertid|guid)$/i },
  { to: 'event.action', pattern: /^(?:action|eventtype|eventname|activity|operation|type)$/i },
  { to: 'event.outcome', pattern: /^(?:outcome|result|status|success)$/i },
  { to: 'event.severity', pattern: /^(?:severity|sev|priority|risk)$/i },
  { to: 'user.email', pattern: /^(?:e?mail|useremail|actoremail|loginemail)$/i },
  { to: 'user.name', pattern: /^(?:username|user|login|account|actor|principal)$/i },
  { to: 'source.ip', pattern: /^(?:srcip|sourceip|clientip|remote(?:ip|addr|address)|ip(?:address)?|src)$/i },
  { to: 'destination.ip', pattern: /^(?:dstip|destip|destinationip|dst)$/i },
  { to: 'host.name', pattern: /^(?:hostname|host|computer|devicename|machine)$/i },
  { to: 'url.original', pattern: /^(?:url|uri|link)$/i },
  { to: 'rule.name', pattern: /^(?:rule|rulename|detection|signature)$/i },
];

/** A mapping that the names of a sample’s fields suggest. Shallow fields win; each target is filled once. */
export function suggestedFields(record: unknown): { from: string[]; to: MappingTargetPath }[] {
  const leaves = fieldsOfSample(record).filter((field) => field.example !== undefined && field.example !== '');
  leaves.sort((a, b) => a.depth - b.depth);
  const taken = new Set<SampleField>();
  return suggestions.flatMap(({ to, pattern }) => {
    const found = leaves.find((field) => !taken.has(field) && pattern.test(field.name.replace(/[\s_.-]+/g, '')));
    if (!found) return [];
    taken.add(found);
    return [{ from: [...found.path], to }];
  });
}
