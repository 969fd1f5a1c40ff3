/**
 * Simulated work on incidents and alerts of Microsoft Graph security: reading one, PATCH and comments with the errors that are documented, and people in
 * Microsoft's portal. Source: learn.microsoft.com, Microsoft Graph v1.0, "Update incident", "Update alert", "Create comment for incident", "Microsoft
 * Graph error responses". A resolved incident resolves its alerts.
 */
import { microsoftError } from './microsoft.ts';
import type { VendorAnswer, VendorRequest } from './vendor.ts';

export type Entry = Record<string, unknown> & { id: string; createdDateTime: string; lastUpdateDateTime: string };

/** People in Microsoft's portal, and the state that a test reads there. */
export interface XdrPeople {
  /** Undefined for one that is not there. */
  incident(id: string): Entry | undefined;
  alert(id: string): Entry | undefined;
  set(id: string, change: Record<string, unknown>): void;
  /** Merges an incident into another. */
  merge(id: string, into: string): void;
  /** Revokes the permission to write, or gives it. */
  allowWrites(isAllowed: boolean): void;
  /** Accepts changes without applying them, until called with false. */
  ignoreWrites(isIgnoring: boolean): void;
  setClock(now: () => number): void;
  /** PATCH requests that were accepted. */
  patches(): readonly { id: string; body: Record<string, unknown> }[];
}

const statuses = { incidents: ['active', 'inProgress', 'resolved'], alerts_v2: ['new', 'inProgress', 'resolved'] } as const;
const classifications = ['unknown', 'falsePositive', 'truePositive', 'informationalExpectedActivity'];
const determinations: Record<string, readonly string[]> = {
  unknown: ['unknown'],
  truePositive: [
    'malware',
    'phishing',
    'multiStagedAttack',
    'compromisedAccount',
    'maliciousUserActivity',
    'unwantedSoftware',
    'other',
  ],
  informationalExpectedActivity: ['securityTesting', 'confirmedUserActivity', 'lineOfBusinessApplication', 'other'],
  falsePositive: ['notMalicious', 'notEnoughDataToValidate', 'other'],
};
/** "Grant an appRoleAssignment to a service principal" and "Delete appRoleAssignment", for the permission to write as a whole. */
const consent = '/v1.0/servicePrincipals/portal/appRoleAssignments';
const place = /^\/v1\.0\/security\/(incidents|alerts_v2)\/([^/]+)(\/comments)?$/;

export function createXdrIncidents(incidents: Entry[], alerts: Entry[]) {
  let isAllowed = true;
  let isIgnoring = false;
  let now = () => Date.now();
  const patches: { id: string; body: Record<string, unknown> }[] = [];
  const find = (id: string): Entry | undefined => [...incidents, ...alerts].find((entry) => entry.id === id);
  /** Times of changes are distinct, as Microsoft's are in practice. */
  let newest = 0;
  const change = (entry: Entry, fields: Record<string, unknown>): void => {
    newest = Math.max(newest + 1, now());
    Object.assign(entry, fields, { lastUpdateDateTime: new Date(newest).toISOString() });
    if (fields.status !== 'resolved' || !incidents.includes(entry)) return;
    for (const alert of alerts)
      if (alert.incidentId === entry.id && alert.status !== 'resolved') change(alert, { status: 'resolved' });
  };

  const patched = (collection: 'incidents' | 'alerts_v2', entry: Entry, text: string): VendorAnswer => {
    const body = parsed(text);
    if (!body) return microsoftError(400, 'BadRequest', 'Unable to read JSON request payload.');
    const { status, classification, determination, assignedTo } = body;
    const fault = (name: string) => microsoftError(400, 'BadRequest', `Invalid value for property '${name}'.`);
    if (status !== undefined && !(statuses[collection] as readonly unknown[]).includes(status)) return fault('status');
    if (classification !== undefined && !classifications.includes(String(classification))) return fault('classification');
    const allowed = determinations[String(classification ?? entry.classification)] ?? [];
    if (determination !== undefined && !allowed.includes(String(determination))) return fault('determination');
    if (assignedTo !== undefined && assignedTo !== null && typeof assignedTo !== 'string') return fault('assignedTo');
    patches.push({ id: entry.id, body });
    if (!isIgnoring) change(entry, body);
    return { body: entry };
  };

  const commented = (entry: Entry, body: string): VendorAnswer => {
    const text = parsed(body)?.comment;
    if (typeof text !== 'string' || text === '' || text.length > 30_000)
      return microsoftError(400, 'BadRequest', "Invalid value for property 'comment'.");
    const added = { comment: text, createdByDisplayName: 'Portal', createdDateTime: new Date(now()).toISOString() };
    change(entry, { comments: [...(Array.isArray(entry.comments) ? entry.comments : []), added] });
    return { body: { value: entry.comments } };
  };

  const consented = (method: string): VendorAnswer => {
    isAllowed = method === 'POST';
    return isAllowed ? { status: 201, body: { principalDisplayName: 'Portal' } } : { status: 204, body: '' };
  };

  return {
    /** Undefined for another path. */
    answer({ method, url, body }: VendorRequest): VendorAnswer | undefined {
      if (url.pathname === consent) return consented(method);
      const [, collection, id = '', comments] = place.exec(url.pathname) ?? [];
      if (collection !== 'incidents' && collection !== 'alerts_v2') return undefined;
      const entry = (collection === 'incidents' ? incidents : alerts).find((each) => each.id === decodeURIComponent(id));
      if (!entry) return microsoftError(404, 'NotFound', `${collection === 'incidents' ? 'Incident' : 'Alert'} was not found.`);
      if (method === 'GET' && !comments) return { body: entry };
      if (!isAllowed) return microsoftError(403, 'Forbidden', 'Missing application scopes. API requires one of ReadWrite.All.');
      if (method === 'PATCH' && !comments) return patched(collection, entry, body);
      return method === 'POST' && comments
        ? commented(entry, body)
        : microsoftError(405, 'MethodNotAllowed', 'The method is not allowed.');
    },

    people: {
      incident: (id) => incidents.find((entry) => entry.id === id),
      alert: (id) => alerts.find((entry) => entry.id === id),
      set: (id, fields) => change(find(id)!, fields),
      merge(id, into) {
        change(find(id)!, { status: 'redirected', redirectIncidentId: into });
        for (const alert of alerts) if (alert.incidentId === id) alert.incidentId = into;
      },
      allowWrites: (isNow) => {
        isAllowed = isNow;
      },
      ignoreWrites: (isNow) => {
        isIgnoring = isNow;
      },
      setClock: (clock) => {
        now = clock;
      },
      patches: () => patches,
    } satisfies XdrPeople,
  };
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
