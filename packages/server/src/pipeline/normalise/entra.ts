/**
 * Entra ID (Azure AD) sign-ins and directory audits: from Graph, from Azure Monitor’s export (`properties`), from Log
 * Analytics (capitalised names) and from Filebeat’s azure module (snake case). The record stays unchanged; ECS fields are
 * added.
 */
import type { Document } from '../event.ts';
import {
  categorise,
  fill,
  first,
  ip,
  isObject,
  type Kind,
  kind,
  known,
  number,
  type Outcome,
  object,
  objectIn,
  read,
  section,
  text,
} from './doc.ts';
import type { Reading } from './syslog.ts';

const signInCategories = new Set([
  'SignInLogs',
  'NonInteractiveUserSignInLogs',
  'ServicePrincipalSignInLogs',
  'ManagedIdentitySignInLogs',
  'ADFSSignInLogs',
  'MicrosoftServicePrincipalSignInLogs',
]);
const signInTypes = new Set([
  'SigninLogs',
  'AADNonInteractiveUserSignInLogs',
  'AADServicePrincipalSignInLogs',
  'AADManagedIdentitySignInLogs',
]);

/** True for a sign-in or directory audit of Entra in any of its four spellings, and for Graph’s risk detection. */
export function isEntra(document: Document): boolean {
  if (typeof document.category === 'string') {
    if (signInCategories.has(document.category)) return true;
    if (document.category === 'AuditLogs' && isObject(document.properties)) return true;
  }
  if (typeof document.Type === 'string' && signInTypes.has(document.Type)) return true;
  if (
    typeof document.createdDateTime === 'string' &&
    (document.userPrincipalName !== undefined || document.servicePrincipalName !== undefined) &&
    document.appDisplayName !== undefined
  )
    return true;
  if (typeof document.activityDisplayName === 'string' && isObject(document.initiatedBy)) return true;
  if (typeof document.riskEventType === 'string' && document.detectedDateTime !== undefined) return true;
  if (
    typeof document.UserPrincipalName === 'string' &&
    document.ResultType !== undefined &&
    (document.IPAddress !== undefined || document.AppDisplayName !== undefined)
  )
    return true;
  return isObject(document.azure) && (isObject(document.azure.signinlogs) || isObject(document.azure.auditlogs));
}

const spelled = new Map<string, readonly [string, string]>();

/** `ipAddress` → `IPAddress` and `ip_address`. Names come from this file only, so the cache stays small. */
function spellings(camel: string): readonly [string, string] {
  let known = spelled.get(camel);
  if (known === undefined) {
    const pascal = camel === 'ipAddress' ? 'IPAddress' : camel.charAt(0).toUpperCase() + camel.slice(1);
    known = [pascal, camel.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)];
    spelled.set(camel, known);
  }
  return known;
}

/** Reads one field under its three spellings, `properties` first. */
function reader(document: Document): (camel: string) => unknown {
  const azure = object(document.azure);
  const log = object(azure?.signinlogs) ?? object(azure?.auditlogs);
  const places = [document.properties, log?.properties, log, document].filter(isObject);
  return (camel) => {
    const [pascal, snake] = spellings(camel);
    for (const place of places) {
      const value = place[camel] ?? place[pascal] ?? place[snake];
      if (value !== undefined && value !== null && value !== '') return value;
    }
    return undefined;
  };
}

/** Returns an object that Log Analytics may have left as JSON text. */
function parsed(value: unknown): Document | undefined {
  if (isObject(value)) return value;
  return typeof value === 'string' && value.length <= 20_000 ? objectIn(value) : undefined;
}

/** Fills ECS from a sign-in or an audit. */
export function fillEntra(document: Document): Reading {
  const get = reader(document);
  const event = section(document, 'event');
  fill(event, 'kind', 'event');
  fill(event, 'module', 'azure');
  fill(event, 'provider', 'Microsoft Entra ID');
  fill(event, 'id', known(get('id')) ?? known(get('correlationId')));
  fill(section(document, 'cloud'), 'provider', 'azure');
  const tenant = known(document.tenantId) ?? known(document.TenantId) ?? known(get('resourceTenantId'));
  if (tenant !== undefined) fill(section(section(document, 'cloud'), 'account'), 'id', tenant);
  const isAudit =
    get('activityDisplayName') !== undefined || get('initiatedBy') !== undefined || document.category === 'AuditLogs';
  const isRisk = get('riskEventType') !== undefined && get('detectedDateTime') !== undefined;
  const line = isRisk ? fillRisk(document, get) : isAudit ? fillAudit(document, get) : fillSignIn(document, get);
  return {
    times: [
      get('createdDateTime'),
      get('activityDateTime'),
      get('createdAt'),
      document.time,
      document.TimeGenerated,
      document['@timestamp'],
    ],
    line,
  };
}

const signedIn = kind('authentication', 'start', 'Sign-in activity', 'success');
const notSignedIn = kind('authentication', 'start', 'Sign-in activity', 'failure');

type Get = (camel: string) => unknown;

function fillSignIn(document: Document, get: Get): string {
  const status = parsed(get('status'));
  const code =
    number(status?.errorCode) ??
    number(status?.error_code) ??
    number(document.resultType) ??
    number(document.ResultType) ??
    number(read(document, 'azure.signinlogs.result_type'));
  const reason =
    known(status?.failureReason) ??
    known(status?.failure_reason) ??
    known(document.resultDescription) ??
    known(document.ResultDescription);
  const event = section(document, 'event');
  fill(event, 'dataset', 'azure.signinlogs');
  categorise(document, code === undefined || code === 0 ? signedIn : notSignedIn);
  if (code !== undefined && code !== 0) {
    fill(event, 'reason', reason);
    fill(section(document, 'error'), 'code', String(code));
  }
  const name =
    known(get('userPrincipalName')) ?? known(get('servicePrincipalName')) ?? known(document.identity) ?? known(document.Identity);
  fillPrincipal(
    section(document, 'user'),
    name,
    known(get('userId')) ?? known(get('servicePrincipalId')),
    known(get('userDisplayName')),
  );
  fillPlace(document, get);
  const application = known(get('appDisplayName'));
  if (application !== undefined) fill(section(document, 'service'), 'name', application);
  const agent = known(get('userAgent'));
  if (agent !== undefined) fill(section(document, 'user_agent'), 'original', agent);
  const address = text(read(document, 'source.ip'));
  const country = text(read(document, 'source.geo.country_iso_code'));
  const where = address === undefined ? '' : ` from ${address}${country === undefined ? '' : ` (${country})`}`;
  const failed = code !== undefined && code !== 0;
  return `Sign-in of ${name ?? 'an unknown account'}${application === undefined ? '' : ` to ${application}`}${where} ${failed ? `failed: ${reason ?? 'error'} (${code})` : 'succeeded'}`;
}

const riskFound = kind('threat', 'indicator', 'Risk detection');

function fillRisk(document: Document, get: Get): string {
  const type = known(get('riskEventType')) ?? 'unknown';
  const level = known(get('riskLevel'));
  const event = section(document, 'event');
  fill(event, 'dataset', 'azure.identity_protection');
  fill(event, 'reason', type);
  categorise(document, riskFound);
  // ECS has the other end there.
  const source = known(document.source);
  if (source !== undefined) {
    fill(section(section(document, 'azure'), 'identity_protection'), 'source', source);
    delete document.source;
  }
  const name = known(get('userPrincipalName'));
  fillPrincipal(section(document, 'user'), name, known(get('userId')), known(get('userDisplayName')));
  fillPlace(document, get);
  const address = text(read(document, 'source.ip'));
  return `Risk detection ${type}${level === undefined ? '' : ` (${level})`} for ${name ?? 'an unknown account'}${address === undefined ? '' : ` from ${address}`}`;
}

function fillPrincipal(user: Document, name: string | undefined, id: string | undefined, full: string | undefined): void {
  fill(user, 'id', id);
  fill(user, 'full_name', full);
  if (name === undefined) return;
  const at = name.lastIndexOf('@');
  if (at > 0 && at < name.length - 1) {
    fill(user, 'email', name);
    fill(user, 'name', name.slice(0, at));
    fill(user, 'domain', name.slice(at + 1));
  } else fill(user, 'name', name);
}

function fillPlace(document: Document, get: Get): void {
  const address =
    ip(get('ipAddress')) ??
    ip(document.callerIpAddress) ??
    ip(document.CallerIpAddress) ??
    ip(read(document, 'azure.signinlogs.caller_ip_address'));
  if (address !== undefined) fill(section(document, 'source'), 'ip', address);
  const location = parsed(get('location')) ?? parsed(get('locationDetails'));
  const country =
    known(location?.countryOrRegion) ??
    known(location?.country_or_region) ??
    known(document.location) ??
    known(document.Location);
  if (location === undefined && country === undefined) return;
  const geo = section(section(document, 'source'), 'geo');
  if (country !== undefined && country.length === 2) fill(geo, 'country_iso_code', country.toUpperCase());
  else fill(geo, 'country_name', country);
  fill(geo, 'city_name', known(location?.city));
  fill(geo, 'region_name', known(location?.state));
  const point = object(location?.geoCoordinates) ?? object(location?.geo_coordinates);
  const lat = number(point?.latitude);
  const lon = number(point?.longitude);
  if (lat !== undefined && lon !== undefined && Math.abs(lat) <= 90 && Math.abs(lon) <= 180) fill(geo, 'location', { lat, lon });
}

function auditKind(operation: string, outcome: Outcome): Kind {
  const type = /^(?:Add|Create|Invite|Consent)/i.test(operation)
    ? 'creation'
    : /^(?:Delete|Remove|Disable)/i.test(operation)
      ? 'deletion'
      : 'change';
  return kind('iam', type, operation, outcome);
}

function fillAudit(document: Document, get: Get): string {
  const operation = known(get('activityDisplayName')) ?? known(get('operationName')) ?? 'Directory change';
  const result = (text(get('result')) ?? text(document.resultSignature) ?? 'success').toLowerCase();
  const event = section(document, 'event');
  fill(event, 'dataset', 'azure.auditlogs');
  categorise(document, auditKind(operation, result === 'success' || result === 'none' ? 'success' : 'failure'));
  const by = parsed(get('initiatedBy'));
  const actor = object(by?.user);
  const application = object(by?.app);
  const name =
    known(actor?.userPrincipalName) ??
    known(actor?.user_principal_name) ??
    known(application?.displayName) ??
    known(document.identity);
  fillPrincipal(section(document, 'user'), name, known(actor?.id), known(actor?.displayName));
  const address = ip(actor?.ipAddress) ?? ip(actor?.ip_address) ?? ip(document.callerIpAddress);
  if (address !== undefined) fill(section(document, 'source'), 'ip', address);
  const target = object(first(get('targetResources')));
  const targetName =
    known(target?.userPrincipalName) ??
    known(target?.user_principal_name) ??
    known(target?.displayName) ??
    known(target?.display_name);
  if (targetName !== undefined && /user/i.test(text(target?.type) ?? 'user'))
    fill(section(section(document, 'user'), 'target'), 'name', targetName);
  return `${operation} by ${name ?? 'an unknown account'}${targetName === undefined ? '' : ` for ${targetName}`}${address === undefined ? '' : ` from ${address}`}${result === 'success' || result === 'none' ? '' : ` (${result})`}`;
}
