/** Classifies database errors: retry, wait for the database, or fail. */

const codeOf = (error: unknown): string => {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
};

/** Two transactions met: serialization failure, deadlock. The whole transaction may run again. */
export const isRetryable = (error: unknown): boolean => ['40001', '40P01'].includes(codeOf(error));

/** A unique index refuses the row. */
export const isDuplicate = (error: unknown): boolean => codeOf(error) === '23505';

/** As if the server had cancelled a statement, for reads that this process ends. */
export class TookTooLongError extends Error {
  override name = 'TookTooLongError';
  readonly code = '57014';
}

/** The server cancelled a statement that took too long. */
export const isStatementTimeout = (error: unknown): boolean => codeOf(error) === '57014';

const awayCodes = new Set([
  '57P01', // admin_shutdown
  '57P02', // crash_shutdown
  '57P03', // cannot_connect_now
  '57P05', // idle_session_timeout
  '25P03', // idle_in_transaction_session_timeout
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

// pg gives these no code.
const awayMessages =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client has encountered a connection error|Client was closed and is not queryable|Cannot use a pool after calling end)/;

/**
 * True when the database cannot serve now, though the same call can succeed later: gone, starting, connection lost, or out of
 * connections, disk or memory. A connection lost during a commit leaves the outcome unknown, so retried work must be
 * idempotent.
 */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // Connecting to a name with several addresses fails with all their errors at once.
  if (error instanceof AggregateError && error.errors.some(isDatabaseAway)) return true;
  const code = codeOf(error);
  if (awayCodes.has(code) || /^(08|53)[0-9A-Z]{3}$/.test(code)) return true;
  // The socket's file is not there while the embedded server starts again.
  if (code === 'ENOENT') return (error as NodeJS.ErrnoException).syscall === 'connect';
  return code === '' && awayMessages.test(error.message);
}

const uncertain = new WeakSet<object>();

/** Marks the error of a commit that was sent without a response. */
export function leaveUncertain<T>(error: T): T {
  uncertain.add(error as object);
  return error;
}

/** True when the outcome of a commit is unknown: it was sent, and no response came. */
export const isOutcomeUncertain = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && uncertain.has(error);

export interface RetryOptions {
  /** Maximum attempts; default 4. */
  readonly attempts?: number;
  /** Before the second attempt; doubles, with chance, up to 2 s. 20 when not given. */
  readonly pauseMs?: number;
  /** Also when the database is away. Only for work that may be done twice. */
  readonly alsoWhenAway?: boolean;
}

/** Retries `work` after conflicts, and optionally while the database is unavailable; throws the last error. */
export async function retrying<T>(work: () => Promise<T>, options: RetryOptions = {}): Promise<T> {
  const attempts = options.attempts ?? 4;
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      const isWorthIt = isRetryable(error) || (options.alsoWhenAway === true && isDatabaseAway(error));
      if (!isWorthIt || attempt >= attempts) throw error;
    }
    const pauseMs = Math.min((options.pauseMs ?? 20) * 2 ** (attempt - 1), 2_000);
    await new Promise((resolve) => setTimeout(resolve, pauseMs * (0.5 + Math.random())));
  }
}
