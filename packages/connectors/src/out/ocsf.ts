/**
 * Messages as events of the Open Cybersecurity Schema Framework, 1.8.0. Source: github.com/ocsf/ocsf-schema, events/base_event.json,
 * events/findings/incident_finding.json, detection_finding.json and vulnerability_finding.json. Cases are Incident Findings, alerts and silent sources
 * Detection Findings, vulnerabilities of a device Vulnerability Findings, everything else is a Base Event; the event's own data stands under `unmapped`.
 */
import type { Field } from '../connector.ts';
import type { Message } from './target.ts';

export const ocsfVersion = '1.8.0';

/** Choice of the format; a target without one sends the portal's own. */
export const formatField: Field = {
  name: 'format',
  label: 'Format',
  hint: 'OCSF: cases as Incident Findings',
  initial: 'portal',
  isSecret: false,
  pattern: /^(portal|ocsf)?$/,
  fault: 'Choose the portal’s format or OCSF.',
  options: [
    { value: 'portal', label: 'Portal events' },
    { value: 'ocsf', label: `OCSF ${ocsfVersion}` },
  ],
};

export const isOcsf = ({ format }: Readonly<Record<string, string>>): boolean => format === 'ocsf';

const severities = {
  informational: [1, 'Informational'],
  low: [2, 'Low'],
  medium: [3, 'Medium'],
  high: [4, 'High'],
  critical: [5, 'Critical'],
} as const;
const statuses: Record<string, readonly [number, string]> = {
  open: [1, 'New'],
  assigned: [2, 'In Progress'],
  investigating: [2, 'In Progress'],
  malicious: [2, 'In Progress'],
  // Waits for the client.
  escalated: [3, 'On Hold'],
};
const verdictIds: Record<string, readonly [number, string]> = {
  Malicious: [2, 'True Positive'],
  Suspicious: [4, 'Suspicious'],
  'Insufficient Information': [7, 'Insufficient Data'],
  'Likely Benign': [5, 'Benign'],
  Benign: [5, 'Benign'],
};
/** The portal's levels, of 100; a test holds them to `confidenceFrom` of the contract, which this package does not depend on. */
const confidenceOf = (score: number): readonly [number, string] =>
  score >= 80 ? [3, 'High'] : score >= 65 ? [2, 'Medium'] : [1, 'Low'];

/** Class, category and activity, with the derived type. */
const classOf = (category: number, uid: number, name: string, activity: readonly [number, string]) => ({
  category_uid: category,
  category_name: category === 0 ? 'Uncategorized' : 'Findings',
  class_uid: uid,
  class_name: name,
  activity_id: activity[0],
  activity_name: activity[1],
  type_uid: uid * 100 + activity[0],
  type_name: `${name}: ${activity[1]}`,
});

const findingOf = ({ subject, title, url, at }: Message, created?: number) => ({
  uid: subject,
  title,
  src_url: url,
  modified_time: Date.parse(at),
  ...(created !== undefined && { created_time: created }),
});

function incident(message: Message) {
  const { data, event, stage, sender, url, title, at } = message;
  const [statusId, status] = stage === 'closed' ? ([5, 'Closed'] as const) : (statuses[String(data.status)] ?? [0, 'Unknown']);
  const verdict = verdictIds[String(data.verdict)];
  const isNew = event === 'case.opened' && data.unacknowledgedMinutes === undefined;
  const activity = stage === 'closed' ? ([3, 'Close'] as const) : isNew ? ([1, 'Create'] as const) : ([2, 'Update'] as const);
  const score = typeof data.confidence === 'number' ? data.confidence : undefined;
  const confidence = score === undefined ? undefined : confidenceOf(score);
  return {
    ...classOf(2, 2005, 'Incident Finding', activity),
    status_id: statusId,
    status,
    desc: title,
    src_url: url,
    // The class requires a person or a group; people's names never leave.
    assignee_group: { name: sender },
    finding_info_list: [findingOf(message, isNew ? Date.parse(at) : undefined)],
    ...(verdict && { verdict_id: verdict[0], verdict: verdict[1] }),
    ...(confidence && { confidence_id: confidence[0], confidence: confidence[1], confidence_score: score }),
  };
}

function bodyOf(message: Message) {
  if (message.event.startsWith('case.')) return incident(message);
  if (message.event.startsWith('vulnerability.')) return vulnerability(message);
  if (message.event === 'alert.raised') return alert(message);
  if (message.event === 'source.silent')
    return {
      ...classOf(2, 2004, 'Detection Finding', [1, 'Create']),
      status_id: 1,
      status: 'New',
      is_alert: true,
      finding_info: findingOf(message, Date.parse(message.at)),
    };
  return classOf(0, 0, 'Base Event', [99, message.event]);
}

/** The tactics stand under `unmapped`: an attack pairs each technique with one. */
function alert(message: Message) {
  const { data, at } = message;
  const techniques = Array.isArray(data.techniques) ? (data.techniques as string[]) : [];
  const events = Array.isArray(data.events) ? (data.events as object[]) : [];
  const evidences = events.length > 0 ? events.map((event) => ({ data: event })) : [];
  return {
    ...classOf(2, 2004, 'Detection Finding', [1, 'Create']),
    status_id: 1,
    status: 'New',
    is_alert: true,
    finding_info: {
      ...findingOf(message, Date.parse(at)),
      first_seen_time: Date.parse(String(data.at)),
      analytic: { type_id: 1, type: 'Rule', name: String(data.title) },
      ...(techniques.length > 0 && { attacks: techniques.map(attackOf) }),
    },
    ...(typeof data.device === 'string' && { resources: [{ name: data.device, type: 'Device' }] }),
    ...(evidences.length > 0 && { evidences }),
  };
}

/** T1059.001 is sub-technique 001 of T1059. */
const attackOf = (id: string) => {
  const [technique] = id.split('.');
  return { technique: { uid: technique }, ...(technique !== id && { sub_technique: { uid: id } }) };
};

/** Vulnerabilities of one device. The CVSS score stands under `unmapped`: the object requires its version, which is not stored. */
function vulnerability(message: Message) {
  const { event, data, at } = message;
  const isFound = event === 'vulnerability.found';
  const rows = Array.isArray(data.vulnerabilities) ? (data.vulnerabilities as Record<string, unknown>[]) : [];
  return {
    ...classOf(2, 2002, 'Vulnerability Finding', isFound ? [1, 'Create'] : [3, 'Close']),
    status_id: isFound ? 1 : 4,
    status: isFound ? 'New' : 'Resolved',
    finding_info: findingOf(message, isFound ? Date.parse(at) : undefined),
    resources: [{ uid: String(data.deviceId), name: String(data.device), type: 'Device' }],
    vulnerabilities: rows.map((row) => ({
      cve: { uid: String(row.cve) },
      ...(row.title !== '' && { title: row.title }),
      severity: severities[row.severity as keyof typeof severities][1],
      is_exploit_available: row.isExploited,
      is_fix_available: row.fixedVersion !== null,
      affected_packages: [
        {
          name: row.package,
          version: row.installedVersion,
          ...(row.fixedVersion !== null && { fixed_in_version: row.fixedVersion }),
        },
      ],
    })),
  };
}

/** One event of OCSF; the same for the same message. */
export function ocsfOf(message: Message): Record<string, unknown> {
  const { id, event, at, severity, sender, client, title, data } = message;
  const [severityId, severityName] = severity === null ? ([1, 'Informational'] as const) : severities[severity];
  return {
    ...bodyOf(message),
    time: Date.parse(at),
    severity_id: severityId,
    severity: severityName,
    message: `${client}: ${title}`,
    metadata: {
      version: ocsfVersion,
      // Implied by the class.
      ...(event.startsWith('case.') && { profiles: ['incident'] }),
      product: { name: sender, vendor_name: sender },
      uid: id,
      event_code: event,
      tenant_uid: String(data.organisation),
      original_time: at,
    },
    unmapped: unmappedOf(data),
  };
}

/** Without the events, which are evidence. */
const unmappedOf = ({ events: _events, ...data }: Message['data']) => data;
