/** Incidents of a vendor that belong to cases: what is read of them, and what a connection may change. */

/** An incident, or an alert that belongs to none. */
export const incidentKinds = ['incident', 'alert'] as const;
export type IncidentKind = (typeof incidentKinds)[number];

export interface IncidentRef {
  kind: IncidentKind;
  /** The vendor's id. */
  id: string;
}

export const incidentStates = ['open', 'working', 'closed'] as const;
export type IncidentState = (typeof incidentStates)[number];

export const incidentClasses = ['truePositive', 'benign', 'falsePositive'] as const;
export type IncidentClass = (typeof incidentClasses)[number];

/** An incident as the vendor has it now. */
export interface VendorIncident extends IncidentRef {
  title: string;
  /** Its page at the vendor; empty for an address that is not the vendor's own. */
  url: string;
  /** In the vendor's words. */
  status: string;
  state: IncidentState;
  /** Null while it is not classified. */
  classification: IncidentClass | null;
  /** In the vendor's words; empty while it is not determined. */
  determination: string;
  assignedTo: string | null;
  /** Milliseconds since 1970. */
  changedAt: number;
  comments: readonly string[];
  /** Id of the incident that it was merged into. */
  mergedInto?: string;
}

/** Fields to change; the others stay. */
export interface IncidentChange {
  state?: IncidentState;
  classification?: IncidentClass;
  /** Null: of no person. */
  assignedTo?: string | null;
}

/** Incidents of one account. Throws an `errors.ts` error where the vendor does not answer or refuses. */
export interface Incidents {
  /** Changed at or after a time in milliseconds since 1970. @param page `next` of the page before; undefined for the first one */
  changed(since: number, page: string | undefined): Promise<{ incidents: readonly VendorIncident[]; next: string | undefined }>;
  /** Undefined for one that the vendor does not have. */
  read(ref: IncidentRef): Promise<VendorIncident | undefined>;
  /** An accepted change is done only when `read` returns it. */
  update(ref: IncidentRef, change: IncidentChange): Promise<void>;
  comment(ref: IncidentRef, text: string): Promise<void>;
}

/** Incidents of a kind of connection. */
export interface IncidentSupport {
  /** `event.module` of events that name an incident. */
  module: string;
  /** Fields of those events that `ofEvent` reads. */
  fields: readonly string[];
  /** Incident that an event belongs to; undefined for one of another account. @param account as `Connector.accountOf` returns it */
  ofEvent(fields: Readonly<Record<string, unknown>>, account: string): IncidentRef | undefined;
  /** Permissions that changes need, beyond reading. */
  step: string;
}
