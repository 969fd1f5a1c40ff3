/**
 * Contract of a connector: how a client's account at a vendor is described, tried and read. A connector keeps no state but access tokens; the caller
 * stores events and cursor in one transaction, so that a pull repeated after a crash starts where the last commit ended.
 */
import type { Clock } from '@parapet/contract/rules/clock.ts';
import type { IncidentSupport, Incidents } from './incidents.ts';

/** Sends a request; the caller decides which addresses are allowed, and never follows redirects. */
export type Http = (url: string, init?: RequestInit) => Promise<Response>;

/** An input of the form by which a connection is added. */
export interface Field {
  name: string;
  label: string;
  hint: string;
  /** Value that the form begins with. */
  initial?: string;
  /** Sealed when stored, never returned. */
  isSecret: boolean;
  /** Several lines, for keys and certificates. */
  isLong?: boolean;
  /** Choices instead of free text. */
  options?: readonly { value: string; label: string }[];
  /** Form of a valid value, with the sentence shown for any other. */
  pattern: RegExp;
  fault: string;
}

/** Values by the name of the field. */
export type Values = Readonly<Record<string, string>>;

export const capabilities = ['pull', 'inventory', 'act'] as const;
export type Capability = (typeof capabilities)[number];

/** An event as the vendor sent it. */
export interface VendorEvent {
  /** The vendor's own id; undefined: identified by its content. */
  id: string | undefined;
  /** JSON text; a record that is not JSON, as it is: the intake keeps it as unprocessed input. */
  raw: string;
  /** Milliseconds since 1970; undefined without a readable time. */
  at: number | undefined;
  /** True for an event that names a device of its own; others belong to the account. */
  isOfDevice?: boolean;
}

/** Time span of interest in milliseconds: a first pull begins at `from`, and nothing is expected after `to`. */
export interface Window {
  from: number;
  to: number;
}

export interface Pulled {
  events: readonly VendorEvent[];
  /** Opaque text for the next pull; to be stored together with the events. */
  nextCursor: string;
  /** True while the vendor has more events now. */
  hasMore: boolean;
  /** Age of the newest event in milliseconds while there are more, 0 at the end. */
  lag: number;
  /** A sentence about input that can't be read, while the rest is pulled; absent without any. */
  warning?: string | undefined;
  /** Runs after the commit: queues delete what was stored. A repetition must do no harm. */
  acknowledge?: () => Promise<void>;
}

/** A permission of the account, as the test of a connection reports it. */
export interface Readable {
  what: string;
  canRead: boolean;
  /** Newest event, or the vendor's refusal. */
  detail: string;
}

/** Actions on a device or an account of a vendor. */
export const vendorActions = ['isolate', 'unisolate', 'disableUser', 'enableUser', 'revokeSessions', 'resetFactors'] as const;
export type VendorAction = (typeof vendorActions)[number];

export interface ActionRequest {
  action: VendorAction;
  /** The vendor's id of a device; the sign-in name of an account. */
  target: string;
  /** Names the request at the vendor: unique, and the same in each attempt. */
  reference: string;
  /** Milliseconds since 1970. */
  requestedAt: number;
}

/** State of an action by the vendor's own account of the target. */
export interface ActionState {
  /**
   * open: the effect is absent and nothing is under way; pending: under way; done: the effect is there; failed: the vendor gave up; unknown: it does
   * not know the target.
   */
  state: 'open' | 'pending' | 'done' | 'failed' | 'unknown';
  /** Observation, in a sentence. */
  detail: string;
  /** The vendor's id of the action under way, where it was found without one. */
  handle?: string;
}

/** Throws an `errors.ts` error where the vendor does not answer or refuses. */
export interface Actions {
  /** Never changes anything. @param handle returned by `act`; undefined before, and where a crash lost it */
  verify(request: ActionRequest, handle: string | undefined): Promise<ActionState>;
  /** Starts the action; done only when `verify` returns so. Repeated only while `verify` returns open. Returns the vendor's id of it, or an empty text. */
  act(request: ActionRequest): Promise<string>;
}

/** A device as the vendor lists it. */
export interface VendorDevice {
  id: string;
  name: string;
  /** Operating system, such as Windows11; empty if unknown. */
  os: string;
  isServer: boolean;
  lastSeenAt: number | undefined;
  /** Of the hardware. */
  serial?: string | undefined;
  /** Of the virtual machine, as its cloud names it. */
  cloudId?: string | undefined;
  /** Of the device in Entra ID. */
  directoryId?: string | undefined;
}

/** An active user as the vendor's directory lists it. */
export interface VendorUser {
  id: string;
  /** Sign-in name. */
  name: string;
  hasMailbox: boolean;
}

/** One account, opened with its values. */
export interface Account {
  /**
   * Reads a bounded number of events, from the cursor of the last stored pull. Throws an `errors.ts` error; then nothing is to be stored.
   * @param cursor undefined at the first pull
   */
  pull(window: Window, cursor: string | undefined): Promise<Pulled>;
  /** Reads one event of each kind. Throws as `pull` does when nothing at all can be read. */
  test(): Promise<readonly Readable[]>;
  /** A page of the devices. Present with the capability `inventory`. @param page `next` of the page before; undefined for the first one */
  devices?(page: string | undefined): Promise<{ devices: readonly VendorDevice[]; next: string | undefined }>;
  /** A page of the active users; as `devices`. Throws a refusal where the account may not read them. */
  users?(page: string | undefined): Promise<{ users: readonly VendorUser[]; next: string | undefined }>;
  /** Present with the capability `act`. */
  actions?: Actions;
  /** Present where the connector has `incidents`. */
  incidents?: Incidents;
}

/** A permission that a vendor's administrator grants to an application. */
export interface Permission {
  /** Interface as the vendor names it. */
  api: string;
  name: string;
  /** Data that it opens, in words. */
  opens: string;
}

/** An application that the provider or a partner registered at the vendor, for the tenants of all clients. */
export interface VendorApplication {
  clientId: string;
  secret: string;
  /** Host name, or origin, of the vendor's sign-in. */
  login: string;
}

/** Consent of a tenant's administrator to an application, instead of credentials of the client's own. */
export interface Consent {
  /** Permissions that reading needs. */
  permissions: readonly Permission[];
  /** OAuth scope by which consent is requested. */
  scopeOf(login: string): string;
  /** Values of the connection of a tenant. */
  valuesOf(tenant: string, application: VendorApplication): Record<string, string>;
}

/** A kind of connection as people meet it. */
export interface Described {
  /** Stored with each connection; part of the identity of its events. */
  id: string;
  title: string;
  fields: readonly Field[];
  /** Instructions for the client's administrator, a sentence or two each. */
  steps: readonly string[];
  /** Actions that the account can execute; none without the capability `act`. */
  actions: readonly VendorAction[];
  /** Permissions that the account needs for its actions, beyond reading; empty without actions. */
  actionStep: string;
  /** Present for vendors whose incidents are linked to cases. */
  incidents?: IncidentSupport;
  /** Present for vendors whose administrators can consent to an application. */
  consent?: Consent;
  /** Vendor's description of the interface. */
  documentation: string;
  /** The account as people write it, such as a domain: names the data source. */
  accountOf(values: Values): string;
}

export interface Connector extends Described {
  capabilities: readonly Capability[];
  /** Time between pulls once the end is reached, in milliseconds. */
  everyMs: number;
  open(values: Values, http: Http, clock: Clock): Account;
}
