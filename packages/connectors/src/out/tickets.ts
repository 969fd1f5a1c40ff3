/** Tickets of a PSA: choices of an administrator, what is known of each ticket, and the calls that a kind implements. */

export interface Choice {
  id: string;
  label: string;
}

export interface StatusChoice extends Choice {
  isClosed: boolean;
}

/** Choices of a time entry; null where they can't be read. Lists that a PSA does not have are empty. */
export interface TimeChoices {
  types: readonly Choice[];
  roles: readonly Choice[];
  people: readonly Choice[];
  /** Those without which it takes no entry. */
  required: readonly ('type' | 'role' | 'person')[];
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
  time: TimeChoices | null;
  /** True when there are more companies than were read. */
  isPartial: boolean;
}

/** Time entry of each closing, by the ids of the PSA. Empty for its default. */
export interface TimeSetup {
  type: string;
  role: string;
  /** Technician whose time it is. */
  person: string;
  isBillable: boolean;
  /** Of one entry. */
  maxMinutes: number;
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
  /** Null or absent without time entries. */
  time?: TimeSetup | null;
  /** File of a closed case that is attached; absent for none. */
  attachment?: 'none' | 'report' | 'archive';
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
  /** Handling time of the closing that is sent; absent for anything else. */
  handledMinutes?: number;
  /** File that is sent; absent for anything else. */
  file?: TicketFile;
}

export interface TicketFile {
  /** Another one for each delivery. */
  name: string;
  title: string;
  type: string;
  /** Made once it is needed. */
  make(): Promise<Buffer>;
}

/** A ticket after an accepted delivery. */
export interface LinkedTicket {
  id: string;
  url: string;
  /** Agreed status; undefined leaves the one that was agreed before. */
  status?: string;
  noteIds?: readonly string[];
  /** A change by people at the PSA that this delivery overwrote, or a part of it that the PSA refused. */
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

export interface TimeDraft {
  text: string;
  minutes: number;
  /** End of the work in milliseconds since 1970. */
  until: number;
}

/** Attachments of a ticket, for the PSA's own users. */
export interface FilesApi {
  /** Names of those there are. */
  list(ticket: string): Promise<string[]>;
  /** Returns the id of the attachment. */
  add(ticket: string, file: Pick<TicketFile, 'name' | 'title' | 'type'> & { bytes: Buffer }): Promise<string>;
}

/** Time entries of a ticket. */
export interface TimeApi {
  choices(): Promise<TimeChoices>;
  /** Ids and texts of the newest. */
  list(ticket: string): Promise<{ id: string; text: string }[]>;
  /** Returns the id of the entry. */
  add(ticket: string, draft: TimeDraft, setup: TimeSetup): Promise<string>;
  /** True where entries are listed among the notes of a ticket, by the same ids. */
  isNote: boolean;
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
  time: TimeApi;
  files: FilesApi;
  /** Tickets changed at or after a time, in pages from 1. */
  changed(since: number, page: number): Promise<{ tickets: RemoteTicket[]; isLast: boolean }>;
}
