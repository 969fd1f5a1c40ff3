/** Ground of the simulated PSA systems: tickets with notes, changed by the portal and by people. */
import type { Peer } from './peer.ts';

export interface PsaNote {
  id: number;
  author: string;
  text: string;
  isInternal: boolean;
  at: number;
}

/** Time entry. Parts that a PSA does not have are null. */
export interface PsaTime {
  id: number;
  text: string;
  hours: number;
  type: number | null;
  role: number | null;
  person: number | null;
  isBillable: boolean;
}

export interface PsaFile {
  id: number;
  name: string;
  title: string;
  bytes: Buffer;
  isPublic: boolean;
}

export interface PsaTicket {
  id: number;
  title: string;
  text: string;
  company: number;
  status: number;
  priority: number | null;
  board: number;
  /** Of another system. */
  reference: string;
  fields: Record<string, string>;
  notes: PsaNote[];
  times: PsaTime[];
  files: PsaFile[];
  openedAt: number;
  changedAt: number;
  isDeleted: boolean;
}

/** Work of people at a PSA. Ids are those of its tickets. */
export interface PsaPeople {
  tickets: readonly PsaTicket[];
  setStatus(id: number, status: number): void;
  /** Returns the id of the note. */
  comment(id: number, author: string, text: string, isInternal?: boolean): number;
  remove(id: number): void;
  /** Sets if the custom field "Contract reference" needs a value. */
  require(isRequired: boolean): void;
  /** Sets the clock of the PSA. */
  setClock(now: () => number): void;
}

export interface PsaService {
  id: number;
  name: string;
  quantity: number;
  /** Quantity of the period that begins at a time. */
  next?: { quantity: number; at: number };
  /** True without a period that has a quantity. */
  hasNone?: boolean;
}

export interface PsaAgreement {
  id: number;
  name: string;
  company: number;
  isEnded: boolean;
  services: PsaService[];
}

/** Work of people at agreements. */
export interface PsaBookkeepers {
  agreements: readonly PsaAgreement[];
  setQuantity(service: number, quantity: number): void;
  endAgreement(id: number): void;
  removeAgreement(id: number): void;
  /** Refuses changes of quantities in these words until it is called without any. */
  refuse(words?: string): void;
  /** Shows accepted differences late: once it is called with false. */
  delay(isOn: boolean): void;
}

export interface PsaPeer extends Peer {
  people: PsaPeople;
  bookkeepers: PsaBookkeepers;
  statuses: { open: number; working: number; waiting: number; closed: number };
  /** Ids of a working setup. */
  board: string;
  type?: string;
  company: string;
}

/** Tickets of one simulated PSA. Times of changes rise, also within a millisecond. */
export function psaTickets(firstId: number) {
  const tickets: PsaTicket[] = [];
  let isRequired = false;
  let last = 0;
  let now = Date.now;
  let notes = firstId * 10;
  const tick = (): number => {
    last = Math.max(now(), last + 1);
    return last;
  };
  const find = (id: number): PsaTicket | undefined => tickets.find((ticket) => ticket.id === id && !ticket.isDeleted);
  const change = (id: number, set: Partial<PsaTicket>): PsaTicket => {
    const ticket = find(id);
    if (!ticket) throw new Error(`There is no ticket ${id}.`);
    return Object.assign(ticket, set, { changedAt: tick() });
  };
  const comment = (id: number, author: string, text: string, isInternal = false): number => {
    const note = { id: ++notes, author, text, isInternal, at: tick() };
    change(id, {}).notes.push(note);
    return note.id;
  };
  const people: PsaPeople = {
    tickets,
    comment,
    setStatus: (id, status) => void change(id, { status }),
    remove: (id) => void change(id, { isDeleted: true }),
    require: (given) => {
      isRequired = given;
    },
    setClock: (given) => {
      now = given;
    },
  };
  let times = firstId * 10 + 500_000;
  const addTime = (id: number, time: Omit<PsaTime, 'id'>): number => {
    const entry = { id: ++times, ...time };
    change(id, {}).times.push(entry);
    return entry.id;
  };
  let files = firstId * 10 + 700_000;
  const addFile = (id: number, file: Omit<PsaFile, 'id'>): number => {
    const entry = { id: ++files, ...file };
    change(id, {}).files.push(entry);
    return entry.id;
  };
  return {
    people,
    addTime,
    addFile,
    isRequired: () => isRequired,
    find,
    change,
    comment,
    open(draft: Omit<PsaTicket, 'id' | 'notes' | 'times' | 'files' | 'openedAt' | 'changedAt' | 'isDeleted'>): PsaTicket {
      const at = tick();
      const ticket = {
        ...draft,
        id: firstId + tickets.length,
        notes: [],
        times: [],
        files: [],
        openedAt: at,
        changedAt: at,
        isDeleted: false,
      };
      tickets.push(ticket);
      return ticket;
    },
    /** Changed at or after a time, oldest change first. */
    changed: (since: number): PsaTicket[] =>
      tickets
        .filter(({ changedAt, isDeleted }) => changedAt >= since && !isDeleted)
        .sort((one, other) => one.changedAt - other.changedAt),
  };
}

/** The text of a ticket as the first of its notes, which some PSA systems list with the others. */
export const openingNote = ({ id, text, openedAt }: PsaTicket): PsaNote => ({
  id,
  author: 'Portal',
  text,
  isInternal: false,
  at: openedAt,
});

export const psaCompanies = [
  { id: 31, name: 'Alder Foods' },
  { id: 32, name: 'Birch Dental' },
  { id: 33, name: 'Cedar Logistics' },
  { id: 34, name: 'Elm Insurance' },
  { id: 35, name: 'Reef Charter' },
] as const;
export const isPsaCompany = (id: unknown): id is number => psaCompanies.some((company) => company.id === id);
