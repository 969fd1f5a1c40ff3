/** Tickets of a PSA: choices of an administrator, what is known of each ticket, and the calls that a kind implements. */

export interface Choice {
  id: string;
  label: string;
}

export interface StatusChoice extends Choice {
  isClosed: boolean;
}

export interface TicketField extends Choice {
  isRequired: boolean;
  /** Null for free text. */
  options: readonly Choice[] | null;
}

/** Choices for an administrator, as the PSA has them now. */
export interface TicketChoices {
  companies: readonly Choice[];
  /** Boards, queues or ticket types: the first choice that a ticket needs. */
  boards: readonly Choice[];
  /** Further types within the board; empty where there are none. */
  types: readonly Choice[];
  statuses: readonly StatusChoice[];
  priorities: readonly Choice[];
  fields: readonly TicketField[];
  /** True when there are more companies than were read. */
  isPartial: boolean;
}

/** An administrator's choices, by the ids of the PSA. Empty for none. */
export interface TicketSetup {
  board: string;
  type: string;
  /** By severity. */
  priorities: Readonly<Record<string, string>>;
  /** Status of a ticket by status of the case. */
  statuses: Readonly<Record<string, string>>;
  /** Status of the case by status of a ticket. */
  back: Readonly<Record<string, string>>;
  /** Values of custom fields. */
  fields: Readonly<Record<string, string>>;
  /** Statuses and required fields as the PSA had them when this was saved. */
  known: readonly StatusChoice[];
  required: readonly Choice[];
}

/** Known about the ticket of one case when a delivery is sent. */
export interface Ticketing {
  setup: TicketSetup | null;
  /** Company of the client. */
  company: string | null;
  /** Ticket of an earlier delivery, with its status when both sides agreed last. */
  ticket: { id: string; status: string } | null;
}

/** A ticket after an accepted delivery. */
export interface LinkedTicket {
  id: string;
  url: string;
  /** Agreed status; undefined leaves the one that was agreed before. */
  status?: string;
  noteId?: string;
  /** A change by people at the PSA that this delivery overwrote. */
  conflict?: string;
}

export interface RemoteTicket {
  id: string;
  url: string;
  status: string;
  /** Milliseconds since 1970. */
  changedAt: number;
}

export interface TicketNote {
  id: string;
  author: string;
  text: string;
  /** Hidden from the customer at the PSA. */
  isInternal: boolean;
}

export interface TicketDraft {
  reference: string;
  company: string;
  title: string;
  text: string;
  priority: string;
  status: string;
}

/** Calls of a PSA. Every one throws `TicketFailure` for an answer that is no success. */
export interface TicketApi {
  /** Name of the product. */
  who: string;
  /** True when `changed` lists by the time of the change, so that a part of a list can be continued from its last time. */
  isOrdered: boolean;
  /** Tries the credentials. */
  check(): Promise<void>;
  choices(board: string): Promise<TicketChoices>;
  find(reference: string): Promise<RemoteTicket | undefined>;
  create(draft: TicketDraft, setup: TicketSetup): Promise<RemoteTicket>;
  /** Undefined once it was deleted. */
  read(id: string): Promise<RemoteTicket | undefined>;
  setStatus(id: string, status: string): Promise<void>;
  /** The newest 100. */
  notes(id: string): Promise<TicketNote[]>;
  /** Returns the id of the note. */
  addNote(id: string, text: string): Promise<string>;
  /** Tickets changed at or after a time, in pages from 1. */
  changed(since: number, page: number): Promise<{ tickets: RemoteTicket[]; isLast: boolean }>;
}
