/** Background events, which no rule should match: content for event search, and signs of life of devices. */
import { activity, cloudCall, signIn } from './events/cloud.ts';
import { cronJob, executed, sshdAccepted, syslog } from './events/linux.ts';
import { applianceLine, dnsLookup, firewallVerdict, flow } from './events/network.ts';
import type { Scene } from './events/scene.ts';
import { dnsQuery, networkConnect, processCreate, system32 } from './events/sysmon.ts';
import { browsers, webRequest } from './events/web.ts';
import { logon, securityEvent, subject } from './events/windows.ts';
import type { Device, DeviceRole } from './fleet.ts';
import { type Person, peopleAt } from './people.ts';
import { type Random, randomFor } from './random.ts';
import type { Emitted } from './types.ts';

type Maker = (scene: Scene & { person: Person }) => Emitted;

const programs = [
  ['C:\\Program Files\\Microsoft Office\\root\\Office16\\OUTLOOK.EXE', ''],
  ['C:\\Program Files\\Microsoft Office\\root\\Office16\\EXCEL.EXE', ' "C:\\Users\\Public\\Documents\\Forecast.xlsx"'],
  ['C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe', ' --profile-directory=Default'],
  ['C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe', ' --no-startup-window'],
  ['C:\\Windows\\System32\\notepad.exe', ''],
  ['C:\\Program Files\\7-Zip\\7zFM.exe', ''],
  ['C:\\Windows\\System32\\SearchProtocolHost.exe', ' Global\\UsGthrFltPipeMssGthrPipe'],
] as const;
const sitesVisited = [
  'www.harbor.example',
  'mail.parts.example',
  'cdn.office.example',
  'news.example',
  'updates.vendor.example',
  'maps.example',
] as const;
const applications = [
  'Office 365 Exchange Online',
  'Office 365 Exchange Online',
  'Microsoft Teams',
  'Ledger Cloud',
  'Ticket Desk',
  'Route Planner',
] as const;
const pages = [
  '/',
  '/products',
  '/products/pumps',
  '/contact',
  '/login',
  '/assets/app.css',
  '/assets/app.js',
  '/api/status',
  '/search?q=seal+kit',
] as const;

/** External address derived from a number. */
export const outsideAddress = (random: Random) => {
  const network = random.pick(['192.0.2', '203.0.113', '198.51.100'] as const);
  return `${network}.${random.int(100, 250)}`;
};

const startProgram: Maker = (scene) => {
  const [image, rest] = scene.random.pick(programs);
  return processCreate(scene, { image, commandLine: `"${image}"${rest}` });
};
const visitSite: Maker = (scene) =>
  networkConnect(scene, {
    image: 'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
    to: outsideAddress(scene.random),
    port: 443,
    host: scene.random.pick(sitesVisited),
  });
const lookUp: Maker = (scene) =>
  dnsQuery(scene, {
    image: 'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
    name: scene.random.pick(sitesVisited),
    answer: outsideAddress(scene.random),
  });
const unlock: Maker = (scene) =>
  logon(scene, { type: scene.random.pick([2, 7] as const), from: '127.0.0.1', workstation: scene.device.name });
const networkLogon: Maker = (scene) =>
  logon(scene, { type: 3, from: `10.${scene.device.site.network}.20.${scene.random.int(40, 70)}` });
const logoff: Maker = (scene) =>
  securityEvent(scene, {
    eventId: 4634,
    task: 'Logoff',
    title: 'An account was logged off.',
    data: {
      TargetUserSid: scene.person.sid,
      TargetUserName: scene.person.account,
      TargetDomainName: scene.device.site.windowsDomain,
      TargetLogonId: `0x${scene.random.hex(6)}`,
      LogonType: '3',
    },
  });
const serviceHost: Maker = (scene) =>
  processCreate(scene, {
    image: `${system32}svchost.exe`,
    commandLine: `${system32}svchost.exe -k netsvcs -p -s Schedule`,
    parentImage: `${system32}services.exe`,
    user: 'NT AUTHORITY\\SYSTEM',
  });
const ticket: Maker = (scene) =>
  securityEvent(scene, {
    eventId: 4769,
    task: 'Kerberos Service Ticket Operations',
    title: 'A Kerberos service ticket was requested.',
    data: {
      TargetUserName: `${scene.person.account}@${scene.device.site.domain.toUpperCase()}`,
      TargetDomainName: scene.device.site.domain.toUpperCase(),
      ServiceName: `${scene.device.site.prefix}-FS-01$`,
      ServiceSid: scene.person.sid.replace(/\d+$/, '1001'),
      TicketOptions: '0x40810000',
      TicketEncryptionType: '0x12',
      IpAddress: `::ffff:10.${scene.device.site.network}.20.${scene.random.int(40, 70)}`,
      IpPort: String(scene.random.int(49_152, 65_000)),
      Status: '0x0',
      LogonGuid: `{${scene.random.uuid().toUpperCase()}}`,
      TransmittedServices: '-',
    },
  });
const shareRead: Maker = (scene) =>
  securityEvent(scene, {
    eventId: 5140,
    task: 'File Share',
    title: 'A network share object was accessed.',
    data: {
      ...subject(scene, scene.person),
      ObjectType: 'File',
      IpAddress: `10.${scene.device.site.network}.20.${scene.random.int(40, 70)}`,
      IpPort: String(scene.random.int(49_152, 65_000)),
      ShareName: '\\\\*\\Departments',
      ShareLocalPath: '\\??\\D:\\Departments',
      AccessMask: '0x1',
      AccessList: '%%4416\n\t\t\t\t',
    },
  });

const run =
  (executable: string, ...args: string[]): Maker =>
  (scene) =>
    executed(scene, {
      executable,
      args: [executable.slice(executable.lastIndexOf('/') + 1), ...args],
      user: 'root',
      parent: '/usr/lib/systemd/systemd',
      terminal: '(none)',
    });
const cron: Maker = (scene) => cronJob(scene, '(root) CMD (test -x /usr/sbin/anacron || run-parts --report /etc/cron.hourly)');
const keyLogin: Maker = (scene) =>
  syslog(scene, {
    program: 'sshd',
    pid: scene.random.int(900, 60_000),
    facility: 'auth',
    text: sshdAccepted(
      scene.person.account,
      `10.${scene.device.site.network}.20.${scene.random.int(40, 70)}`,
      scene.random.int(40_000, 65_000),
    ),
  });
const visitPage: Maker = (scene) =>
  webRequest(scene, {
    from: outsideAddress(scene.random),
    url: scene.random.pick(pages),
    agent: scene.random.pick(browsers),
    status: scene.random.weighted([200, 304, 404], (status) => (status === 200 ? 8 : 1)),
    bytes: scene.random.int(400, 60_000),
  });
const officeFlow: Maker = (scene) =>
  flow(scene, {
    from: `10.${scene.device.site.network}.20.${scene.random.int(40, 70)}`,
    to: outsideAddress(scene.random),
    port: 443,
  });
const officeLookup: Maker = (scene) =>
  dnsLookup(scene, {
    client: `10.${scene.device.site.network}.20.${scene.random.int(40, 70)}`,
    name: scene.random.pick(sitesVisited),
    answer: outsideAddress(scene.random),
  });
const allowed: Maker = (scene) =>
  firewallVerdict(scene, {
    action: 'accept',
    from: `10.${scene.device.site.network}.20.${scene.random.int(40, 70)}`,
    to: outsideAddress(scene.random),
    port: scene.random.pick([443, 443, 443, 80, 123]),
  });
const portUp: Maker = (scene) =>
  applianceLine(scene, 'linkd', `Interface GigabitEthernet1/0/${scene.random.int(1, 48)} changed state to up`);
const stationJoined: Maker = (scene) =>
  applianceLine(
    scene,
    'hostapd',
    `wlan0: STA 00:16:3e:${scene.random.hex(2)}:${scene.random.hex(2)}:${scene.random.hex(2)} IEEE 802.11: associated`,
  );
const mailRead: Maker = (scene) =>
  activity(scene, {
    workload: 'Exchange',
    operation: 'MailItemsAccessed',
    user: scene.person.email,
    from: scene.device.site.publicAddress,
    recordType: 50,
  });
const fileOpened: Maker = (scene) =>
  activity(scene, {
    workload: 'SharePoint',
    operation: 'FileAccessed',
    user: scene.person.email,
    from: scene.device.site.publicAddress,
    object: `https://${scene.device.site.domain.replace('.', '-')}.sharepoint.example/sites/${scene.person.department.replace(' ', '')}/Shared Documents/Plan.docx`,
    more: { ItemType: 'File', SourceFileName: 'Plan.docx', SourceFileExtension: 'docx', EventSource: 'SharePoint' },
  });
const chatted: Maker = (scene) =>
  activity(scene, {
    workload: 'MicrosoftTeams',
    operation: 'MessageSent',
    user: scene.person.email,
    from: scene.device.site.publicAddress,
  });
const signedIn: Maker = (scene) =>
  signIn(scene, { person: scene.person, from: scene.device.site.publicAddress, application: scene.random.pick(applications) });
const cloudRead: Maker = (scene) =>
  cloudCall(scene, {
    person: scene.person,
    from: scene.device.site.publicAddress,
    ...scene.random.pick([
      { service: 'ec2', name: 'DescribeInstances' },
      { service: 's3', name: 'ListBuckets' },
      { service: 'sts', name: 'GetCallerIdentity' },
      { service: 'cloudwatch', name: 'GetMetricData' },
    ]),
  });

const linuxDaily = [cron, keyLogin] as const;
const audited = [
  run('/usr/bin/apt-get', '-qq', 'update'),
  run('/usr/sbin/logrotate', '/etc/logrotate.conf'),
  run('/usr/bin/date'),
  ...linuxDaily,
] as const;

const makers: Record<DeviceRole, readonly Maker[]> = {
  workstation: [startProgram, startProgram, visitSite, lookUp, unlock],
  domainController: [networkLogon, ticket, ticket, logoff, serviceHost],
  fileServer: [networkLogon, shareRead, shareRead, logoff],
  databaseServer: [networkLogon, serviceHost, logoff],
  windowsServer: [networkLogon, serviceHost, logoff],
  webServer: [visitPage, visitPage, visitPage, visitPage, ...audited],
  applicationServer: audited,
  cloudMachine: audited,
  developer: [run('/usr/bin/git', 'fetch', '--all'), run('/usr/bin/code', '--unity-launch'), cron],
  backupServer: linuxDaily,
  jumpHost: [keyLogin, keyLogin, cron],
  scanner: linuxDaily,
  resolver: [officeLookup, officeLookup, officeFlow, cron],
  firewall: [allowed, allowed, allowed],
  switch: [portUp],
  router: [stationJoined],
  office: [mailRead, mailRead, fileOpened, fileOpened, chatted],
  directory: [signedIn],
  account: [cloudRead],
};

/** Share of the background by role: web servers and services log more than a switch. */
export const backgroundWeight: Record<DeviceRole, number> = {
  workstation: 5,
  domainController: 14,
  fileServer: 8,
  databaseServer: 3,
  windowsServer: 3,
  webServer: 16,
  applicationServer: 4,
  cloudMachine: 4,
  developer: 3,
  backupServer: 2,
  jumpHost: 4,
  scanner: 1,
  resolver: 18,
  firewall: 16,
  switch: 2,
  router: 3,
  office: 26,
  directory: 18,
  account: 6,
};

/** One background event of that device. */
export function harmless(device: Device, at: number, random: Random): Emitted {
  const person = device.owner ?? random.pick(peopleAt(device.organisationId));
  return random.pick(makers[device.role])({ device, at, random, person });
}

/** One sign of life, identical for the same device and minute. */
export const signOfLife = (device: Device, at: number) =>
  harmless(device, at, randomFor('life', device.organisationId, device.name, at));
