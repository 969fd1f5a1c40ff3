/** An event as stored, its document parsed when it is read. */
import type { Documents } from './block.documents.ts';
import type { Heads } from './block.format.ts';
import { idAt } from './eventIds.ts';

export interface StoredEvent {
  readonly organisationId: number;
  readonly id: string;
  /** Milliseconds since 1970, as all times here. */
  readonly at: number;
  readonly receivedAt: number;
  readonly clockSkew: number;
  readonly shape: string;
  readonly deviceName: string | null;
  readonly userName: string | null;
  readonly text: string;
  readonly document: Record<string, unknown>;
  /** JSON text of the document. */
  readonly json: string;
  /** The document for a reader that is done with it at once: of a block, made without its text, it changes when that of another event is read. */
  readonly view?: Record<string, unknown> | undefined;
}

/** Time and id name an event within its organisation. */
export interface EventKey {
  id: string;
  at: number;
}

export class EventInBlock implements StoredEvent {
  readonly organisationId: number;
  readonly at: number;
  readonly receivedAt: number;
  readonly clockSkew: number;
  readonly shape: string;
  readonly deviceName: string | null;
  readonly userName: string | null;
  readonly text: string;
  readonly #ids: Buffer;
  readonly #documents: Documents | undefined;
  readonly #index: number;
  #id: string | undefined;
  #json: string | undefined;
  #document: Record<string, unknown> | undefined;

  constructor(organisationId: number, ids: Buffer, heads: Heads, documents: Documents | undefined, index: number) {
    this.organisationId = organisationId;
    this.#ids = ids;
    this.at = heads.at[index]!;
    this.receivedAt = heads.receivedAt[index]!;
    this.clockSkew = heads.clockSkew[index]!;
    this.shape = heads.shape[index]!;
    this.deviceName = heads.deviceName[index]!;
    this.userName = heads.userName[index]!;
    this.text = heads.texts?.at(index) ?? heads.text[index]!;
    this.#documents = documents;
    this.#index = index;
  }

  get id(): string {
    this.#id ??= idAt(this.#ids, this.#index);
    return this.#id;
  }

  get json(): string {
    this.#json ??= this.#documents?.text(this.#index) ?? 'null';
    return this.#json;
  }

  get document(): Record<string, unknown> {
    this.#document ??= JSON.parse(this.json) as Record<string, unknown>;
    return this.#document;
  }

  get view(): Record<string, unknown> {
    if (this.#document || !this.#documents) return this.document;
    return this.#documents.view(this.#index) as Record<string, unknown>;
  }
}

/** An event without its document, which would hold its block in memory. */
export const headOf = (event: StoredEvent): StoredEvent => ({
  organisationId: event.organisationId,
  id: event.id,
  at: event.at,
  receivedAt: event.receivedAt,
  clockSkew: event.clockSkew,
  shape: event.shape,
  deviceName: event.deviceName,
  userName: event.userName,
  text: event.text,
  document: null as never,
  json: 'null',
});

/** Newest first; of one time by id. */
export const byNewest = (a: { at: number; id: string }, b: { at: number; id: string }): number =>
  b.at - a.at || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0);

export const byOldest = (a: { at: number; id: string }, b: { at: number; id: string }): number => byNewest(b, a);
