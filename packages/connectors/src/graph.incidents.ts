/**
 * Status of incidents and alerts in Microsoft Defender XDR, both ways. Source: learn.microsoft.com, Microsoft Graph v1.0, "Update incident" (`active`,
 * `inProgress`, `resolved`), "Update alert" (`new`, `inProgress`, `resolved`), "Get incident", "List incidents" (`$filter` by lastUpdateDateTime), "Create
 * comment for incident". Examples there spell values with a capital letter, so values are compared without regard to it.
 */
import type { Http } from './connector.ts';
import { RefusedError, RequestError } from './errors.ts';
import type {
  IncidentChange,
  IncidentClass,
  IncidentKind,
  IncidentRef,
  IncidentState,
  IncidentSupport,
  Incidents,
  VendorIncident,
} from './incidents.ts';
import { listOf, requestJson } from './requests.ts';
import type { Tokens } from './tokens.ts';
import { type Json, objectOf, textOf, timeOf } from './values.ts';

const vendor = 'Microsoft Graph';
const paths: Record<IncidentKind, string> = { incident: 'security/incidents', alert: 'security/alerts_v2' };
const permissions: Record<IncidentKind, string> = {
  incident: 'SecurityIncident.ReadWrite.All',
  alert: 'SecurityAlert.ReadWrite.All',
};
const pageSizes: Record<IncidentKind, number> = { incident: 50, alert: 500 };
const idForm = /^[\w-]{1,100}$/;
const maxText = 300;
const maxComments = 200;

export const graphIncidentSupport: IncidentSupport = {
  module: 'm365_defender',
  fields: ['id', 'incidentId', 'providerAlertId', 'tenantId'],
  ofEvent({ id, incidentId, providerAlertId, tenantId }, account) {
    if (textOf(tenantId)?.toLowerCase() !== account) return undefined;
    const incident = textOf(incidentId) ?? (providerAlertId === undefined || providerAlertId === null ? textOf(id) : undefined);
    const found = incident ?? textOf(id);
    return found !== undefined && idForm.test(found)
      ? { kind: incident === undefined ? 'alert' : 'incident', id: found }
      : undefined;
  },
  step: `Changes need the application permissions ${permissions.incident} and ${permissions.alert}, with admin consent.`,
};

export function graphIncidents(http: Http, tokens: Tokens, base: string): Incidents {
  const request = async (path: string, init: RequestInit = {}): Promise<Json> => {
    const { body } = await tokens.run((token) =>
      requestJson(http, vendor, `${base}/v1.0/${path}`, {
        ...init,
        headers: {
          accept: 'application/json',
          'content-type': 'application/json',
          authorization: `Bearer ${token}`,
          // Otherwise `awaitingAction` is returned as a value without a meaning.
          prefer: 'include-unknown-enum-members',
        },
      }),
    );
    return objectOf(body) ?? {};
  };
  const pathOf = ({ kind, id }: IncidentRef) => `${paths[kind]}/${encodeURIComponent(id)}`;
  const send = async (ref: IncidentRef, path: string, method: string, body: object): Promise<void> => {
    try {
      await request(path, { method, body: JSON.stringify(body) });
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error;
      throw new RefusedError(
        `${error.message} Changing it needs the application permission ${permissions[ref.kind]} with consent.`,
      );
    }
  };
  const changedOf = async (kind: IncidentKind, since: number, skip: number) => {
    const query = new URLSearchParams({
      $filter: `lastUpdateDateTime ge ${new Date(since).toISOString()}`,
      $top: String(pageSizes[kind]),
      $skip: String(skip),
    });
    const listed = listOf(vendor, (await request(`${paths[kind]}?${query}`)).value);
    return {
      incidents: listed.flatMap((value) => incidentOf(kind, objectOf(value)) ?? []),
      isFull: listed.length >= pageSizes[kind],
    };
  };

  return {
    /** Incidents first, then alerts: a page is the kind and the number of those before it. */
    async changed(since, page) {
      const [kind, skip] = page?.startsWith('alert ')
        ? (['alert', Number(page.slice(6))] as const)
        : (['incident', Number(page ?? 0)] as const);
      const { incidents, isFull } = await changedOf(kind, since, skip);
      const after = skip + pageSizes[kind];
      const next = kind === 'incident' ? (isFull ? String(after) : 'alert 0') : isFull ? `alert ${after}` : undefined;
      return { incidents, next };
    },

    async read(ref) {
      try {
        return incidentOf(ref.kind, await request(pathOf(ref)));
      } catch (error) {
        if (error instanceof RequestError && error.status === 404) return undefined;
        throw error;
      }
    },

    update: (ref, change) => send(ref, pathOf(ref), 'PATCH', bodyOf(ref.kind, change)),

    comment: (ref, text) =>
      send(ref, `${pathOf(ref)}/comments`, 'POST', { '@odata.type': 'microsoft.graph.security.alertComment', comment: text }),
  };
}

const words: Record<IncidentState, Record<IncidentKind, string>> = {
  open: { incident: 'active', alert: 'new' },
  working: { incident: 'inProgress', alert: 'inProgress' },
  closed: { incident: 'resolved', alert: 'resolved' },
};
const classes: Record<IncidentClass, string> = {
  truePositive: 'truePositive',
  benign: 'informationalExpectedActivity',
  falsePositive: 'falsePositive',
};

/** A classification comes with a determination; only `other` is allowed for each of them. */
const bodyOf = (kind: IncidentKind, { state, classification, assignedTo }: IncidentChange): object => ({
  ...(state !== undefined && { status: words[state][kind] }),
  ...(classification !== undefined && { classification: classes[classification], determination: 'other' }),
  ...(assignedTo !== undefined && { assignedTo }),
});

const lower = (value: unknown): string => (textOf(value) ?? '').toLowerCase();

function stateOf(status: string): IncidentState {
  if (status === 'resolved') return 'closed';
  return status === 'inprogress' || status === 'awaitingaction' ? 'working' : 'open';
}

/** Undefined for a value without a usable id. */
function incidentOf(kind: IncidentKind, value: Json | undefined): VendorIncident | undefined {
  const id = textOf(value?.id);
  if (value === undefined || id === undefined || !idForm.test(id)) return undefined;
  const classification = (Object.keys(classes) as IncidentClass[]).find(
    (each) => classes[each].toLowerCase() === lower(value.classification),
  );
  const target = textOf(value.redirectIncidentId);
  const isMerged = lower(value.status) === 'redirected' && target !== undefined && target !== id && idForm.test(target);
  const comments = Array.isArray(value.comments) ? value.comments.slice(-maxComments) : [];
  return {
    kind,
    id,
    title: (textOf(kind === 'incident' ? value.displayName : value.title) ?? '').slice(0, maxText),
    url: pageOf(kind === 'incident' ? value.incidentWebUrl : value.alertWebUrl),
    status: (textOf(value.status) ?? '').slice(0, maxText),
    state: stateOf(lower(value.status)),
    classification: classification ?? null,
    determination: lower(value.determination) === 'unknown' ? '' : (textOf(value.determination) ?? '').slice(0, maxText),
    assignedTo: textOf(value.assignedTo)?.slice(0, maxText) ?? null,
    changedAt: timeOf(value.lastUpdateDateTime) ?? 0,
    comments: comments.flatMap((comment) => textOf(objectOf(comment)?.comment) ?? []),
    ...(isMerged && { mergedInto: target }),
  };
}

const pageHosts = ['security.microsoft.com', 'security.microsoft.us', 'security.apps.mil'];

/** The address of a page in Microsoft's portal; empty for any other. */
export function pageOf(value: unknown): string {
  const text = textOf(value);
  if (text === undefined || text.length > 1_000 || !URL.canParse(text)) return '';
  const { protocol, hostname, username, password, port, href } = new URL(text);
  const isOwn = protocol === 'https:' && port === '' && username === '' && password === '' && pageHosts.includes(hostname);
  return isOwn ? href : '';
}
