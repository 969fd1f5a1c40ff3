/**
 * Simulated CrowdStrike Falcon: OAuth2 client credentials (`POST /oauth2/token`, 201), alerts v2 in two steps, hosts, and network containment, as
 * published for CrowdStrike's FalconPy library (Alerts and Hosts service collections, read in November 2026): FQL filters, offset and limit of together
 * 10,000, 202 for an accepted action, 409 for a host that has it already, `errors` with code and message. Fields of an alert are from memory.
 */
import {
  type Course,
  newVendorState,
  serveVendor,
  switchesOf,
  untidied,
  type Vendor,
  type VendorAnswer,
  type VendorRequest,
  type VendorTargets,
} from './vendor.ts';

const cid = '5ddb0407bef249c19c7a975f17979a1f';
const clientId = 'c3f1a9d27b6e4f0d8a5c9e1b2d3f4a5b';
const secret = 'demoSecretOfTheDemoApiClient0123456789ab';
const maxWindow = 10_000;

interface Alert {
  composite_id: string;
  updated_timestamp: string;
  [field: string]: unknown;
}

const people = ['mara.lindt', 'jonas.weber', 'ines.kofler', 'peter.hallam', 'aylin.demir'];
const hosts = people.map((_, number) => ({
  device_id: `${number + 1}`.padStart(2, 'a').repeat(16),
  cid,
  hostname: `BIRCH-W11-0${number + 1}`,
  platform_name: 'Windows',
  os_version: 'Windows 11',
  product_type_desc: 'Workstation',
  local_ip: `10.30.0.${10 + number}`,
  mac_address: `00-15-5d-30-00-0${number + 1}`,
  machine_domain: 'birch.example',
  serial_number: `PF3XK70${number + 1}`,
  agent_version: '7.32.20107.0',
  status: 'normal',
  last_seen: '',
}));
hosts.push({
  ...hosts[0]!,
  device_id: 'af'.repeat(16),
  serial_number: 'VMware-56 4d 1a',
  hostname: 'BIRCH-DC-01',
  os_version: 'Windows Server 2022',
  product_type_desc: 'Domain Controller',
});

/** An alert as the API returns it, some fields replaced. */
export function crowdstrikeAlert(number: number, at: number, more: Record<string, unknown> = {}): Alert {
  const host = hosts[number % people.length]!;
  const person = people[number % people.length]!;
  const time = new Date(at).toISOString();
  return {
    composite_id: `${cid}:ind:${host.device_id}:${at}-${number}`,
    id: `ind:${host.device_id}:${at}-${number}`,
    aggregate_id: `aggind:${host.device_id}:${number}`,
    cid,
    product: 'epp',
    type: 'ldt',
    name: 'NGAVAdware',
    display_name: 'Adware detected',
    description: 'A file written to disk is considered adware.',
    status: 'new',
    severity: 10,
    severity_name: 'Informational',
    confidence: 30,
    tactic: 'Machine Learning',
    tactic_id: 'CSTA0004',
    technique: 'Adware/PUP',
    technique_id: 'CST0013',
    objective: 'Falcon Detection Method',
    scenario: 'NGAV',
    timestamp: time,
    created_timestamp: time,
    updated_timestamp: time,
    device: {
      device_id: host.device_id,
      hostname: host.hostname,
      platform_name: 'Windows',
      os_version: host.os_version,
      local_ip: host.local_ip,
      machine_domain: host.machine_domain,
    },
    user_name: person,
    user_principal: `${person}@birch.example`,
    user_id: 'S-1-5-21-1004336348-1177238915-682003330-1105',
    filename: 'toolbar-setup.exe',
    filepath: `\\Device\\HarddiskVolume3\\Users\\${person}\\Downloads\\toolbar-setup.exe`,
    cmdline: `"C:\\Users\\${person}\\Downloads\\toolbar-setup.exe" /quiet`,
    sha256: '275a021bbfb6489e54d471899f7db9d1663fc695ec2fe2a2c4538aabf651fd0f',
    md5: '44d88612fea8a8f36de82e1278abb02f',
    local_process_id: '6120',
    parent_details: { filename: 'explorer.exe', cmdline: 'C:\\Windows\\Explorer.EXE', local_process_id: '3120' },
    pattern_disposition: 2_176,
    pattern_disposition_description: 'Prevention/Quarantine, process was blocked from execution and quarantine was attempted.',
    ...more,
  };
}

const refusal = (status: number, message: string): VendorAnswer => ({
  status,
  body: { meta: { query_time: 0.001, powered_by: 'demo', trace_id: '0' }, errors: [{ code: status, message }], resources: [] },
});

const answerOf = (resources: readonly unknown[], pagination: object = {}): VendorAnswer => ({
  body: { meta: { query_time: 0.01, pagination, powered_by: 'demo', trace_id: '0' }, resources, errors: [] },
});

/** Network containment of the hosts. */
function containment() {
  const started: string[] = [];
  let course: Course = 'done';

  /** A host's status moves on as it is read. */
  const moveOn = (host: (typeof hosts)[number]) => {
    const isPending = host.status.endsWith('_pending');
    if (isPending && course !== 'slow')
      host.status = (host.status === 'containment_pending') === (course === 'done') ? 'contained' : 'normal';
    return { ...host, last_seen: new Date().toISOString() };
  };

  const act = (name: string | null, ids: readonly string[]): VendorAnswer => {
    const host = hosts.find(({ device_id }) => device_id === ids[0]);
    if (ids.length !== 1 || !host) return refusal(404, 'No device found');
    if (name !== 'contain' && name !== 'lift_containment') return refusal(400, `action_name ${name} is not supported`);
    const [goal, pending] = name === 'contain' ? ['contained', 'containment_pending'] : ['normal', 'lift_containment_pending'];
    if (host.status === goal || host.status === pending) return refusal(409, `Device is already ${host.status}`);
    host.status = pending as string;
    started.push(`${name} ${host.hostname}`);
    return { ...answerOf([{ id: host.device_id, path: `/devices/entities/devices/v1?ids=${host.device_id}` }]), status: 202 };
  };

  const targets: VendorTargets = {
    example: hosts[0]!.hostname,
    stateOf: (name) => hosts.find(({ hostname }) => hostname === name)?.status ?? '',
    started: () => started,
    set: (next) => {
      course = next;
    },
  };
  return { moveOn, act, targets };
}

/** Ids of alerts by the filter, order and window of a query. */
function queryAlerts(alerts: readonly Alert[], isUntidy: boolean, query: URLSearchParams): VendorAnswer {
  const filter = query.get('filter');
  const since = filter === null ? '' : /^updated_timestamp:>='([^']+)'$/.exec(filter)?.[1];
  const [limit, offset] = [Number(query.get('limit') ?? 100), Number(query.get('offset') ?? 0)];
  if (since === undefined) return refusal(400, 'Invalid filter expression supplied');
  if (!(limit > 0 && offset >= 0 && limit + offset <= maxWindow)) return refusal(400, 'offset + limit exceeds 10000');
  const isDescending = query.get('sort') === 'updated_timestamp|desc';
  const found = alerts.filter((alert) => alert.updated_timestamp >= since).sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  if (isDescending) found.reverse();
  const page = found.slice(offset, offset + limit);
  const shown = isUntidy ? untidied(found, offset, page) : page;
  return answerOf(
    shown.map(({ composite_id }) => composite_id),
    { offset, limit, total: found.length },
  );
}

/** Starts a simulated CrowdStrike Falcon. */
export async function startCrowdstrike(port?: number): Promise<Vendor> {
  const state = newVendorState();
  const alerts: Alert[] = [];
  const { moveOn, act, targets } = containment();
  let count = 0;

  const tokenOf = () => `demo.falcon.${state.session}`;

  const authenticate = ({ body }: VendorRequest): VendorAnswer => {
    const form = new URLSearchParams(body);
    if (state.isRefused || form.get('client_id') !== clientId || form.get('client_secret') !== secret)
      return refusal(403, 'access denied, authorization failed');
    return { status: 201, body: { access_token: tokenOf(), expires_in: 1_799, token_type: 'bearer' } };
  };

  const answer = (request: VendorRequest): VendorAnswer => {
    const { pathname, searchParams } = request.url;
    if (pathname === '/oauth2/token') return authenticate(request);
    if (request.headers.authorization !== `Bearer ${tokenOf()}`) return refusal(401, 'access denied, invalid bearer token');
    const ids = () => (JSON.parse(request.body || '{}') as { ids?: string[] }).ids ?? [];
    switch (pathname) {
      case '/alerts/queries/alerts/v2':
        return queryAlerts(alerts, state.isUntidy, searchParams);
      case '/alerts/entities/alerts/v2': {
        const wanted = new Set((JSON.parse(request.body) as { composite_ids: string[] }).composite_ids);
        return answerOf(alerts.filter(({ composite_id }) => wanted.has(composite_id)));
      }
      case '/devices/queries/devices-scroll/v1': {
        const [offset, limit] = [Number(searchParams.get('offset') ?? 0), Number(searchParams.get('limit') ?? 100)];
        const next = offset + limit < hosts.length ? String(offset + limit) : '';
        return answerOf(
          hosts.slice(offset, offset + limit).map(({ device_id }) => device_id),
          { total: hosts.length, offset: next, limit },
        );
      }
      case '/devices/entities/devices/v2': {
        const wanted = new Set(ids());
        return answerOf(hosts.filter(({ device_id }) => wanted.has(device_id)).map(moveOn));
      }
      case '/devices/entities/devices-actions/v2':
        return act(searchParams.get('action_name'), ids());
      default:
        return refusal(404, 'not found');
    }
  };

  const server = await serveVendor(answer, port);
  return {
    ...server,
    ...switchesOf(state),
    kind: 'crowdstrike',
    values: { cid, client: clientId, secret, api: server.url },
    publish(number, at) {
      return Array.from({ length: number }, (_, index) => {
        const alert = crowdstrikeAlert(count++, at + index);
        alerts.push(alert);
        return alert.composite_id;
      });
    },
    intrude(at) {
      const seen = { severity: 70, severity_name: 'High', pattern_disposition_description: 'Detection, standard detection.' };
      const traces = [
        {
          name: 'ProcessAccessLsass',
          display_name: 'LSASS memory was read',
          tactic: 'Credential Access',
          technique: 'OS Credential Dumping',
          technique_id: 'T1003',
          tactic_id: 'TA0006',
          filename: 'rundll32.exe',
        },
        {
          name: 'RansomwareFileAccess',
          display_name: 'Files encrypted in bulk',
          tactic: 'Impact',
          technique: 'Data Encrypted for Impact',
          technique_id: 'T1486',
          tactic_id: 'TA0040',
        },
      ];
      for (const trace of traces) alerts.push(crowdstrikeAlert(people.length * (count++ + 1), at + count, { ...seen, ...trace }));
    },
    targets,
  };
}

const keyOf = ({ updated_timestamp, composite_id }: Alert): string => `${updated_timestamp} ${composite_id}`;
