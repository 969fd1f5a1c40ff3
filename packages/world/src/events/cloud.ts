/** Microsoft 365 Management Activity records and Entra ID sign-ins, as returned by their APIs. */
import type { Person } from '../people.ts';
import { randomFor } from '../random.ts';
import type { Document, Emitted } from '../types.ts';
import { beatIndex, emit, iso, type Scene } from './scene.ts';

export interface Place {
  city: string;
  state: string;
  country: string;
  latitude: number;
  longitude: number;
}

export const places = {
  boston: { city: 'Boston', state: 'Massachusetts', country: 'US', latitude: 42.36, longitude: -71.06 },
  denver: { city: 'Denver', state: 'Colorado', country: 'US', latitude: 39.74, longitude: -104.99 },
  kansasCity: { city: 'Kansas City', state: 'Missouri', country: 'US', latitude: 39.1, longitude: -94.58 },
  durham: { city: 'Durham', state: 'North Carolina', country: 'US', latitude: 35.99, longitude: -78.9 },
  lagos: { city: 'Lagos', state: 'Lagos', country: 'NG', latitude: 6.45, longitude: 3.39 },
  bucharest: { city: 'Bucharest', state: 'Bucuresti', country: 'RO', latitude: 44.43, longitude: 26.1 },
  singapore: { city: 'Singapore', state: 'Singapore', country: 'SG', latitude: 1.29, longitude: 103.85 },
  saoPaulo: { city: 'Sao Paulo', state: 'Sao Paulo', country: 'BR', latitude: -23.55, longitude: -46.63 },
  amsterdam: { city: 'Amsterdam', state: 'Noord-Holland', country: 'NL', latitude: 52.37, longitude: 4.9 },
} satisfies Record<string, Place>;

const homes: Record<number, Place> = {
  10: places.boston,
  11: places.boston,
  12: places.boston,
  20: places.kansasCity,
  21: places.denver,
  30: places.durham,
};
export const homeOf = (organisationId: number): Place => homes[organisationId]!;

const tenants = new Map<number, string>();
/** The organisation's tenant id. */
export function tenantOf(organisationId: number): string {
  let tenant = tenants.get(organisationId);
  if (!tenant) {
    tenant = randomFor('tenant', organisationId).uuid();
    tenants.set(organisationId, tenant);
  }
  return tenant;
}

export type Workload =
  | 'Exchange'
  | 'SharePoint'
  | 'OneDrive'
  | 'AzureActiveDirectory'
  | 'MicrosoftTeams'
  | 'SecurityComplianceCenter';
const recordTypes: Record<Workload, number> = {
  Exchange: 1,
  SharePoint: 6,
  OneDrive: 6,
  AzureActiveDirectory: 8,
  MicrosoftTeams: 25,
  SecurityComplianceCenter: 18,
};

export interface ActivityRecord {
  workload: Workload;
  operation: string;
  user: string;
  from?: string;
  object?: string;
  result?: 'Succeeded' | 'Failed' | 'Success' | 'True';
  recordType?: number;
  /** Further fields of this operation. */
  more?: Document;
}

/** Record of the Management Activity API. Its time has no zone and is UTC. */
export function activity(scene: Scene, record: ActivityRecord): Emitted {
  return emit(scene, 'm365-audit', {
    CreationTime: iso(scene.at).slice(0, 19),
    Id: scene.random.uuid(),
    Operation: record.operation,
    OrganizationId: tenantOf(scene.device.organisationId),
    RecordType: record.recordType ?? recordTypes[record.workload],
    ResultStatus: record.result ?? 'Succeeded',
    UserKey: record.user,
    UserType: 0,
    Version: 1,
    Workload: record.workload,
    UserId: record.user,
    ...(record.from &&
      (record.workload === 'AzureActiveDirectory' ? { ActorIpAddress: record.from } : { ClientIP: record.from })),
    ...(record.object && { ObjectId: record.object }),
    ...record.more,
  });
}

/** Parameter list of `New-InboxRule` and similar operations. */
export const parameters = (values: Record<string, string>) => Object.entries(values).map(([Name, Value]) => ({ Name, Value }));

export interface SignIn {
  person: Person;
  from: string;
  place?: Place;
  application?: string;
  client?: string;
  /** 0 success, 50126 wrong password, 50057 disabled, 53003 blocked by policy, 500121 MFA denied. */
  error?: keyof typeof failureReasons;
  /** `deviceCode` for sign-ins on a device without a browser. */
  protocol?: 'none' | 'deviceCode';
  risk?: 'none' | 'low' | 'medium' | 'high';
  riskEvents?: string[];
  isSingleFactor?: boolean;
  userAgent?: string;
  operatingSystem?: string;
}

const failureReasons = {
  0: 'Other.',
  50126: 'Error validating credentials due to invalid username or password.',
  50074: 'Strong Authentication is required.',
  50053: 'The account is locked, you have tried to sign in too many times with an incorrect user ID or password.',
  50034: 'The user account does not exist in the directory.',
  53003: 'Access has been blocked by Conditional Access policies.',
  50057: 'User account is disabled. The account has been disabled by an administrator.',
  500121: 'Authentication failed during strong authentication request.',
} as const;

/** Sign-in as returned by Microsoft Graph. */
export function signIn(scene: Scene, how: SignIn): Emitted {
  const { random, device } = scene;
  const { person } = how;
  const place = how.place ?? homeOf(device.organisationId);
  const application = how.application ?? 'Office 365 Exchange Online';
  const error = how.error ?? 0;
  const isSingleFactor = how.isSingleFactor ?? false;
  return emit(scene, 'entra-signin', {
    id: random.uuid(),
    createdDateTime: iso(scene.at),
    userDisplayName: `${person.firstName} ${person.lastName}`,
    userPrincipalName: person.email,
    userId: randomFor('entra-user', person.email).uuid(),
    appId: randomFor('entra-app', application).uuid(),
    appDisplayName: application,
    ipAddress: how.from,
    clientAppUsed: how.client ?? 'Browser',
    userAgent:
      how.userAgent ??
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36',
    correlationId: random.uuid(),
    conditionalAccessStatus: error === 53003 ? 'failure' : isSingleFactor ? 'notApplied' : 'success',
    authenticationRequirement: isSingleFactor ? 'singleFactorAuthentication' : 'multiFactorAuthentication',
    authenticationProtocol: how.protocol ?? 'none',
    isInteractive: true,
    riskDetail: 'none',
    riskLevelAggregated: how.risk ?? 'none',
    riskLevelDuringSignIn: how.risk ?? 'none',
    riskState: how.risk && how.risk !== 'none' ? 'atRisk' : 'none',
    riskEventTypes: how.riskEvents ?? [],
    riskEventTypes_v2: how.riskEvents ?? [],
    resourceDisplayName: application,
    resourceId: randomFor('entra-app', application).uuid(),
    tenantId: tenantOf(device.organisationId),
    status: {
      errorCode: error,
      failureReason: failureReasons[error],
      additionalDetails: error === 0 ? 'MFA requirement satisfied by claim in the token' : null,
    },
    deviceDetail: {
      deviceId: '',
      displayName: '',
      operatingSystem: how.operatingSystem ?? 'Windows 10',
      browser: 'Chrome 141.0.0',
      isCompliant: false,
      isManaged: false,
      trustType: '',
    },
    location: {
      city: place.city,
      state: place.state,
      countryOrRegion: place.country,
      geoCoordinates: { altitude: null, latitude: place.latitude, longitude: place.longitude },
    },
    appliedConditionalAccessPolicies: [],
  });
}

export interface CloudCall {
  person: Person;
  from: string;
  /** `ec2.amazonaws.com` becomes `ec2`. */
  service: string;
  name: string;
  isReadOnly?: boolean;
  error?: string;
  request?: Document;
}

/** CloudTrail record as posted by Filebeat's aws module: the record is text, the collector's configured name is the account's. */
export function cloudCall(scene: Scene, call: CloudCall): Emitted {
  const { device, random } = scene;
  const account = String(randomFor('aws-account', device.organisationId).int(100_000_000_000, 999_999_999_999));
  const record = {
    eventVersion: '1.10',
    userIdentity: {
      type: 'IAMUser',
      principalId: `AIDA${random.hex(17).toUpperCase()}`,
      arn: `arn:aws:iam::${account}:user/${call.person.account}`,
      accountId: account,
      userName: call.person.account,
    },
    eventTime: `${iso(scene.at).slice(0, 19)}Z`,
    eventSource: `${call.service}.amazonaws.com`,
    eventName: call.name,
    awsRegion: 'us-east-1',
    sourceIPAddress: call.from,
    userAgent: 'aws-cli/2.18.0 md/awscrt#0.22.0 ua/2.0 os/linux',
    requestParameters: call.request ?? null,
    responseElements: null,
    ...(call.error && { errorCode: call.error }),
    requestID: random.uuid(),
    eventID: random.uuid(),
    readOnly: call.isReadOnly ?? true,
    eventType: 'AwsApiCall',
    managementEvent: true,
    recipientAccountId: account,
    eventCategory: 'Management',
  };
  return emit(scene, beatIndex('filebeat', device), {
    '@timestamp': iso(scene.at),
    agent: { id: device.agentId, name: device.name, type: 'filebeat', version: device.agentVersion },
    ecs: { version: '8.0.0' },
    cloud: { provider: 'aws', region: 'us-east-1', account: { id: account } },
    event: { dataset: 'aws.cloudtrail', module: 'aws' },
    fileset: { name: 'cloudtrail' },
    service: { type: 'aws' },
    input: { type: 'aws-s3' },
    tags: ['forwarded'],
    message: JSON.stringify(record),
  });
}
