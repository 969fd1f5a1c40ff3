/**
 * Simulated Microsoft Defender for Endpoint: alerts with evidence, machines, and machine actions (isolate, unisolate), as published by Microsoft ("List
 * alerts API", "OData queries", "MachineAction resource type", "Isolate machine API", read in November 2026): `$filter` on lastUpdateTime, `$top` up to
 * 10,000, `$skip`, states Pending to Succeeded, errors with a code. Alerts' evidence and machines are from memory of the references.
 */
import { checkToken, microsoftError, microsoftValues, tenant } from './microsoft.ts';
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

interface Alert {
  id: string;
  lastUpdateTime: string;
  [field: string]: unknown;
}

interface MachineAction {
  id: string;
  type: string;
  status: string;
  machineId: string;
  requestorComment: string;
  [field: string]: unknown;
}

const maxTop = 10_000;
const people = ['mara.lindt', 'jonas.weber', 'ines.kofler', 'peter.hallam', 'aylin.demir'];
const machines = people.map((person, number) => ({
  id: `${number + 1}`.padStart(2, '0').repeat(20),
  computerDnsName: `alder-w11-0${number + 1}.alder.example`,
  osPlatform: 'Windows11',
  healthStatus: 'Active',
  onboardingStatus: 'Onboarded',
  riskScore: 'None',
  exposureLevel: 'Low',
  lastIpAddress: `10.20.0.${10 + number}`,
  aadDeviceId: `5e6a1c22-90ab-4d3e-8f10-00000000001${number + 1}`,
  machineTags: [person],
}));
machines.push({
  ...machines[0]!,
  id: '09'.repeat(20),
  computerDnsName: 'alder-srv-01.alder.example',
  aadDeviceId: '5e6a1c22-90ab-4d3e-8f10-000000000099',
  osPlatform: 'WindowsServer2022',
  machineTags: [],
});

/** An alert as the API returns it with its evidence, some fields replaced. */
export function defenderAlert(number: number, at: number, more: Record<string, unknown> = {}): Alert {
  const machine = machines[number % people.length]!;
  const person = people[number % people.length]!;
  const time = new Date(at).toISOString();
  return {
    id: `da${at}_${number}`,
    incidentId: 1_000 + (number % 500),
    investigationId: null,
    assignedTo: null,
    severity: 'Informational',
    status: 'New',
    classification: null,
    determination: null,
    investigationState: 'UnsupportedAlertType',
    detectionSource: 'WindowsDefenderAv',
    detectorId: 'd60f5b90-ecd8-4d77-8186-a801597ec762',
    category: 'UnwantedSoftware',
    threatFamilyName: null,
    threatName: null,
    title: 'Potentially unwanted application was prevented',
    description: 'An application of poor reputation was blocked by antivirus.',
    alertCreationTime: time,
    firstEventTime: new Date(at - 30_000).toISOString(),
    lastEventTime: new Date(at - 10_000).toISOString(),
    lastUpdateTime: time,
    resolvedTime: null,
    machineId: machine.id,
    computerDnsName: machine.computerDnsName,
    rbacGroupName: null,
    aadTenantId: tenant,
    mitreTechniques: [],
    relatedUser: { userName: person, domainName: 'ALDER' },
    loggedOnUsers: [],
    comments: [],
    evidence: [
      {
        entityType: 'File',
        evidenceCreationTime: time,
        sha1: '3395856ce81f2b7382dee72602f798b642f14140',
        sha256: '275a021bbfb6489e54d471899f7db9d1663fc695ec2fe2a2c4538aabf651fd0f',
        fileName: 'toolbar-setup.exe',
        filePath: `C:\\Users\\${person}\\Downloads`,
        detectionStatus: 'Prevented',
      },
    ],
    ...more,
  };
}

const evidenceOf = (name: string, commandLine: string) => ({
  entityType: 'Process',
  sha1: 'f1b5e9c0a4d35be2a0f3d2c4b5a697887766aabb',
  sha256: 'b1d6ee1d3c1d4d9b8c6f0a7e5d4c3b2a190f8e7d6c5b4a39281706f5e4d3c2b1',
  fileName: name,
  filePath: 'C:\\Windows\\System32',
  processId: 4_812,
  processCommandLine: commandLine,
  parentProcessId: 3_120,
  parentProcessFileName: 'winword.exe',
  parentProcessFilePath: 'C:\\Program Files\\Microsoft Office\\root\\Office16',
  accountName: 'mara.lindt',
  domainName: 'ALDER',
  userPrincipalName: 'mara.lindt@alder.example',
  detectionStatus: 'Detected',
});

/** Machine actions: isolation and its release. */
function machineActions() {
  const actions: MachineAction[] = [];
  const isolated = new Map<string, boolean>();
  let course: Course = 'done';

  /** Moves an action on, as a reading finds it. */
  const moveOn = (action: MachineAction): MachineAction => {
    if (action.status === 'Pending') action.status = 'InProgress';
    else if (action.status === 'InProgress' && course !== 'slow') {
      action.status = course === 'done' ? 'Succeeded' : 'Failed';
      if (course === 'done') isolated.set(action.machineId, action.type === 'Isolate');
    }
    return action;
  };

  const act = (machineId: string, verb: string, body: string): VendorAnswer => {
    const machine = machines.find(({ id }) => id === machineId);
    if (!machine) return microsoftError(404, 'ResourceNotFound', `Machine ${machineId} was not found`);
    const { Comment: comment, IsolationType: type } = JSON.parse(body) as { Comment?: string; IsolationType?: string };
    if (!comment) return microsoftError(400, 'InvalidInput', 'Comment is required');
    if (verb === 'isolate' && type !== 'Full' && type !== 'Selective')
      return microsoftError(400, 'InvalidInput', 'IsolationType must be Full or Selective');
    if (actions.some((each) => each.machineId === machineId && /Pending|InProgress/.test(each.status)))
      return microsoftError(400, 'ActiveRequestAlreadyInProgress', 'Action is already in progress');
    const action: MachineAction = {
      id: `5382f7ea-7557-4ab7-9782-${`${actions.length + 1}`.padStart(12, '0')}`,
      type: verb === 'isolate' ? 'Isolate' : 'Unisolate',
      scope: type ?? null,
      requestor: 'The portal',
      requestorComment: comment,
      status: 'Pending',
      machineId,
      computerDnsName: machine.computerDnsName,
      creationDateTimeUtc: new Date().toISOString(),
      lastUpdateDateTimeUtc: new Date().toISOString(),
    };
    actions.push(action);
    return { status: 201, body: { ...action } };
  };

  const listActions = (query: URLSearchParams): VendorAnswer => {
    const [, machineId, type] = /^machineId eq '(\w+)' and type eq '(\w+)'$/.exec(query.get('$filter') ?? '') ?? [];
    if (machineId === undefined) return microsoftError(400, 'BadRequest', 'Invalid filter clause');
    return { body: { value: actions.filter((each) => each.machineId === machineId && each.type === type).map(moveOn) } };
  };

  const findAction = (pathname: string): MachineAction | undefined => {
    const action = actions.find(({ id }) => pathname === `/api/machineactions/${id}`);
    return action && moveOn(action);
  };

  const targets: VendorTargets = {
    example: machines[0]!.computerDnsName,
    stateOf: (name) =>
      isolated.get(machines.find((each) => each.computerDnsName === name)?.id ?? '') ? 'Isolated' : 'Connected',
    started: () => actions.map(({ type, computerDnsName }) => `${type} ${computerDnsName}`),
    set: (next) => {
      course = next;
    },
  };
  return { act, listActions, findAction, targets };
}

/** Starts a simulated Microsoft Defender for Endpoint. */
export async function startDefender(port?: number): Promise<Vendor> {
  const state = newVendorState();
  const alerts: Alert[] = [];
  const { act, listActions, findAction, targets } = machineActions();
  let count = 0;

  const listAlerts = (query: URLSearchParams): VendorAnswer => {
    const filter = query.get('$filter');
    const since = filter === null ? '' : /^lastUpdateTime ge (\S+)$/.exec(filter)?.[1];
    const [top, skip] = [Number(query.get('$top') ?? maxTop), Number(query.get('$skip') ?? 0)];
    if (since === undefined) return microsoftError(400, 'BadRequest', 'Invalid filter clause');
    if (!(top > 0 && top <= maxTop))
      return microsoftError(400, 'BadRequest', `The limit of '${maxTop}' for Top query has been exceeded.`);
    const found = alerts.filter(({ lastUpdateTime }) => lastUpdateTime >= since).sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
    const page = found.slice(skip, skip + top);
    const shown = state.isUntidy ? untidied(found, skip, page) : page;
    const withEvidence = query.get('$expand') === 'evidence';
    return { body: { value: withEvidence ? shown : shown.map(({ evidence: _, ...alert }) => alert) } };
  };

  const answer = (request: VendorRequest): VendorAnswer => {
    const refused = checkToken(state, request);
    if (refused) return refused;
    const { pathname, searchParams } = request.url;
    const [, machineId, verb] = /^\/api\/machines\/(\w+)\/(isolate|unisolate)$/.exec(pathname) ?? [];
    if (machineId && verb && request.method === 'POST') return act(machineId, verb, request.body);
    if (pathname === '/api/alerts') return listAlerts(searchParams);
    if (pathname === '/api/machines') {
      const skip = Number(searchParams.get('$skip') ?? 0);
      const seen = { lastSeen: new Date().toISOString() };
      return {
        body: {
          value: machines.slice(skip, skip + Number(searchParams.get('$top') ?? maxTop)).map((each) => ({ ...each, ...seen })),
        },
      };
    }
    if (pathname === '/api/machineactions') return listActions(searchParams);
    const action = findAction(pathname);
    return action ? { body: action } : microsoftError(404, 'ResourceNotFound', 'Resource was not found');
  };

  const server = await serveVendor(answer, port);
  return {
    ...server,
    ...switchesOf(state),
    kind: 'defender',
    values: microsoftValues(server.url),
    publish(number, at) {
      return Array.from({ length: number }, (_, index) => {
        const alert = defenderAlert(count++, at + index);
        alerts.push(alert);
        return alert.id;
      });
    },
    intrude(at) {
      const traces = [
        {
          severity: 'High',
          category: 'CredentialAccess',
          title: 'Sensitive credential memory read',
          mitreTechniques: ['T1003.001'],
          evidence: [evidenceOf('rundll32.exe', 'rundll32.exe comsvcs.dll, MiniDump 692 C:\\Windows\\Temp\\l.dmp full')],
        },
        {
          severity: 'High',
          category: 'Ransomware',
          title: 'Ransomware-linked activity was detected',
          mitreTechniques: ['T1486'],
        },
        {
          severity: 'Medium',
          category: 'DefenseEvasion',
          title: 'Tampering with Microsoft Defender for Endpoint sensor',
          mitreTechniques: ['T1562.001'],
        },
      ];
      for (const trace of traces)
        alerts.push(
          defenderAlert(people.length * (count++ + 1), at + count, { detectionSource: 'WindowsDefenderAtp', ...trace }),
        );
    },
    targets,
  };
}

const keyOf = ({ lastUpdateTime, id }: Alert): string => `${lastUpdateTime} ${id}`;
