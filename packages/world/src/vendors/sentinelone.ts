/**
 * Simulated SentinelOne: threats, agents, and disconnection from the network, after the management API 2.1 as published clients describe it (read in
 * November 2026): `ApiToken`, `limit` up to 1,000, `cursor`, `siteIds`, `networkStatus`, `affected`, errors with code, title and detail. Fields of a
 * threat are from memory of the reference.
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

const token = 'demoTokenOfTheServiceUser.0123456789abcdefghijklmnopqrstuvwxyz.demo';
const site = '225494730938493804';
const maxLimit = 1_000;

interface Threat {
  id: string;
  threatInfo: { updatedAt: string; [field: string]: unknown };
  [field: string]: unknown;
}

const people = ['mara.lindt', 'jonas.weber', 'ines.kofler', 'peter.hallam', 'aylin.demir'];
const agents = people.map((person, number) => ({
  id: `57809338309${number + 1}`.padEnd(18, '0'),
  uuid: `ff819e70af13be381993075eb0ce5f2f6de05b1${number + 1}`,
  computerName: `CEDAR-MB-0${number + 1}`,
  serialNumber: `C02ZK1LMD6${number + 1}`,
  siteId: site,
  osName: 'macOS',
  osType: 'macos',
  machineType: 'laptop',
  networkStatus: 'connected',
  isActive: true,
  isDecommissioned: false,
  lastLoggedInUserName: person,
  lastActiveDate: '',
}));
agents.push({
  ...agents[0]!,
  id: '578093383099'.padEnd(18, '0'),
  computerName: 'CEDAR-SRV-01',
  serialNumber: 'Not Specified',
  osName: 'Windows Server 2022 Standard',
  osType: 'windows',
  machineType: 'server',
});

/** A threat as the API returns it, some fields of `threatInfo` replaced. */
export function sentineloneThreat(
  number: number,
  at: number,
  info: Record<string, unknown> = {},
  more: Record<string, unknown> = {},
): Threat {
  const agent = agents[number % people.length]!;
  const person = people[number % people.length]!;
  const time = new Date(at).toISOString();
  return {
    id: `${at}${`${number}`.padStart(6, '0')}`,
    agentDetectionInfo: {
      siteId: site,
      siteName: 'Cedar',
      agentOsName: agent.osName,
      agentIpV4: `10.40.0.${10 + (number % 50)}`,
      agentLastLoggedInUserName: person,
    },
    agentRealtimeInfo: {
      agentId: agent.id,
      agentComputerName: agent.computerName,
      agentOsName: agent.osName,
      agentOsType: agent.osType,
      agentMachineType: agent.machineType,
      agentNetworkStatus: agent.networkStatus,
      agentVersion: '25.1.1.253',
      siteId: site,
    },
    indicators: [],
    mitigationStatus: [],
    whiteningOptions: [],
    ...more,
    threatInfo: {
      threatId: `${at}${`${number}`.padStart(6, '0')}`,
      threatName: 'toolbar-setup.pkg',
      classification: 'PUA',
      classificationSource: 'Engine',
      confidenceLevel: 'suspicious',
      analystVerdict: 'undefined',
      incidentStatus: 'unresolved',
      mitigationStatus: 'mitigated',
      initiatedBy: 'agent_policy',
      detectionType: 'static',
      engines: ['Application Control'],
      filePath: `/Users/${person}/Downloads/toolbar-setup.pkg`,
      fileExtension: 'PKG',
      sha1: '3395856ce81f2b7382dee72602f798b642f14140',
      sha256: '275a021bbfb6489e54d471899f7db9d1663fc695ec2fe2a2c4538aabf651fd0f',
      md5: null,
      maliciousProcessArguments: '',
      originatorProcess: 'Installer',
      processUser: person,
      identifiedAt: time,
      createdAt: time,
      updatedAt: time,
      ...info,
    },
  };
}

const failure = (status: number, code: number, title: string, detail: string): VendorAnswer => ({
  status,
  body: { errors: [{ code, title, detail }] },
});

/** Disconnection of the agents. */
function disconnection() {
  const started: string[] = [];
  let course: Course = 'done';

  /** An agent's status moves on as it is read. */
  const moveOn = (agent: (typeof agents)[number]) => {
    const isPending = agent.networkStatus.endsWith('ing');
    if (isPending && course !== 'slow')
      agent.networkStatus = (agent.networkStatus === 'disconnecting') === (course === 'done') ? 'disconnected' : 'connected';
    return { ...agent, lastActiveDate: new Date().toISOString() };
  };

  const act = (verb: string, body: string): VendorAnswer => {
    const { filter } = JSON.parse(body) as { filter?: { ids?: string[]; siteIds?: string[] } };
    if (!filter) return failure(400, 4_000_010, 'Validation Error', 'filter: Missing data for required field.');
    const agent = agents.find(({ id }) => filter.ids?.includes(id) && filter.siteIds?.includes(site));
    const [goal, pending] = verb === 'disconnect' ? ['disconnected', 'disconnecting'] : ['connected', 'connecting'];
    if (!agent) return { body: { data: { affected: 0 } } };
    if (agent.networkStatus !== goal && agent.networkStatus !== pending) {
      agent.networkStatus = pending as string;
      started.push(`${verb} ${agent.computerName}`);
    }
    return { body: { data: { affected: 1 } } };
  };

  const targets: VendorTargets = {
    example: agents[0]!.computerName,
    stateOf: (name) => agents.find(({ computerName }) => computerName === name)?.networkStatus ?? '',
    started: () => started,
    set: (next) => {
      course = next;
    },
  };
  return { moveOn, act, targets };
}

/** Starts a simulated SentinelOne. */
export async function startSentinelone(port?: number): Promise<Vendor> {
  const state = newVendorState();
  const threats: Threat[] = [];
  const { moveOn, act, targets } = disconnection();
  let count = 0;

  const page = <T>(
    found: readonly T[],
    query: URLSearchParams,
    shape: (from: number, page: readonly T[]) => readonly unknown[],
  ): VendorAnswer => {
    const limit = Number(query.get('limit') ?? 10);
    if (!(limit > 0 && limit <= maxLimit))
      return failure(400, 4_000_010, 'Validation Error', 'limit: must be between 1 and 1000');
    const [generation, position] = query.get('cursor')?.split('_') ?? [];
    if (generation !== undefined && generation !== `g${state.generation}`)
      return failure(400, 4_000_010, 'Validation Error', 'cursor: invalid cursor');
    const from = Number(position ?? 0);
    const taken = found.slice(from, from + limit);
    const next = from + limit < found.length ? `g${state.generation}_${from + limit}` : null;
    return { body: { data: shape(from, taken), pagination: { totalItems: found.length, nextCursor: next } } };
  };

  const listThreats = (query: URLSearchParams): VendorAnswer => {
    const since = query.get('updatedAt__gte') ?? '';
    const found = threats
      .filter(({ threatInfo }) => threatInfo.updatedAt >= since)
      .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
    if (query.get('sortOrder') === 'desc') found.reverse();
    return page(found, query, (from, taken) => (state.isUntidy ? untidied(found, from, taken) : taken));
  };

  const answer = ({ method, url, headers, body }: VendorRequest): VendorAnswer => {
    if (state.isRefused || headers.authorization !== `ApiToken ${token}`)
      return failure(401, 4_010_010, 'Authentication Failed', 'Authentication failed');
    const path = url.pathname.replace('/web/api/v2.1/', '');
    const query = url.searchParams;
    if (method === 'POST' && (path === 'agents/actions/disconnect' || path === 'agents/actions/connect'))
      return act(path.slice('agents/actions/'.length), body);
    if (query.get('siteIds') !== site)
      return failure(403, 4_030_010, 'Insufficient permissions', 'Action is not allowed to the user');
    if (path === 'threats') return listThreats(query);
    if (path !== 'agents') return failure(404, 4_040_010, 'Not Found', 'Resource not found');
    const ids = query.get('ids')?.split(',');
    const found = agents.filter(({ id }) => !ids || ids.includes(id));
    return page(found, query, (_, taken) => taken.map(moveOn));
  };

  const server = await serveVendor(answer, port);
  return {
    ...server,
    ...switchesOf(state),
    kind: 'sentinelone',
    values: { console: server.url, site, token },
    publish(number, at) {
      return Array.from({ length: number }, (_, index) => {
        const threat = sentineloneThreat(count++, at + index);
        threats.push(threat);
        return threat.id;
      });
    },
    intrude(at) {
      const seen = {
        confidenceLevel: 'malicious',
        mitigationStatus: 'not_mitigated',
        engines: ['DBT - Executables'],
        detectionType: 'dynamic',
      };
      const traces = [
        { threatName: 'vault-sync', classification: 'Ransomware', filePath: '/private/tmp/vault-sync' },
        { threatName: 'osascript', classification: 'Infostealer', filePath: '/usr/bin/osascript' },
      ];
      for (const trace of traces)
        threats.push(sentineloneThreat(people.length * (count++ + 1), at + count, { ...seen, ...trace }));
    },
    targets,
  };
}

const keyOf = ({ threatInfo, id }: Threat): string => `${threatInfo.updatedAt} ${id}`;
