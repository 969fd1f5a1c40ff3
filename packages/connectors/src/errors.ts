/** Failures of a pull, by what follows from them. Messages are sentences for the people who administrate the connection. */
import type { ActionState } from './connector.ts';

/** Any failure at the vendor's end, or on the way there. */
export class VendorError extends Error {}

/** Credentials, permissions or the address are wrong: trying again is useless until a person changes them. */
export class RefusedError extends VendorError {
  override name = 'RefusedError';
}

/** The vendor limits the rate of requests. */
export class ThrottledError extends VendorError {
  override name = 'ThrottledError';
  readonly retryAfterMs: number;

  constructor(message: string, retryAfterMs: number) {
    super(message);
    this.retryAfterMs = retryAfterMs;
  }
}

/** Outage, time-out or unreadable answer: the same request may succeed later. */
export class UnavailableError extends VendorError {
  override name = 'UnavailableError';
}

/** Any other status of 400 to 499, for connectors that handle one of them. */
export class RequestError extends VendorError {
  override name = 'RequestError';
  readonly status: number;
  /** The vendor's own code of the error; empty without one. */
  readonly code: string;

  constructor(message: string, status: number, code = '') {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** State of a target as read; unknown where the vendor returns 404. */
export async function stateOrUnknown(read: () => Promise<ActionState>): Promise<ActionState> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof RequestError && error.status === 404) return { state: 'unknown', detail: error.message };
    throw error;
  }
}
