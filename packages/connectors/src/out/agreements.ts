/** Agreements of a PSA with their recurring services, and the calls that a kind implements. */

export interface BillingItem {
  id: string;
  label: string;
  /** Null for one that the PSA does not show. */
  quantity: number | null;
}

export interface Agreement {
  id: string;
  label: string;
  items: readonly BillingItem[];
}

/** An item by the ids of the PSA. */
export interface BillingPlace {
  company: string;
  agreement: string;
  item: string;
}

/** Calls of a PSA. Every one throws `TicketFailure` for an answer that is no success. `at`: time for which quantities hold, in milliseconds since 1970. */
export interface BillingApi {
  who: string;
  /** True where a change is a difference, which a repetition would add again. */
  isDifference: boolean;
  /** Active agreements of a company. */
  agreements(company: string, at: number): Promise<Agreement[]>;
  /** Undefined once the agreement or its item ended, was removed or belongs to another company. */
  read(place: BillingPlace, at: number): Promise<BillingItem | undefined>;
  setQuantity(place: BillingPlace, change: { from: number; to: number }, at: number): Promise<void>;
}
