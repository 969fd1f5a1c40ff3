/**
 * Names of a backup's objects. A chain is one unbroken run of write-ahead log with its base backups:
 * `<chain>/bases/<time>-manifest`, `<chain>/bases/<time>-part-00000`, `<chain>/wal/<segment>-<from>-<to>-<ms>`, `<chain>/lists/<ms>`; files outside the
 * database are `files/<digest>`, for all chains. Offsets and times are hexadecimal and of fixed width, so that names sort in their order.
 */

/** Of the embedded PostgreSQL, in bytes. */
export const segmentBytes = 16 * 1024 * 1024;
const segmentsPerLog = 0x1_0000_0000 / segmentBytes;

const hex = (value: number, width: number): string => value.toString(16).padStart(width, '0');

/** Position in the write-ahead log, `16/B374D848` as bytes. */
export function parseLsn(text: string): bigint {
  const [high = '0', low = '0'] = text.split('/');
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`);
}

/** First byte of the segment that holds a position. */
export const segmentStart = (position: bigint): bigint => position - (position % BigInt(segmentBytes));

/** File name of a segment, as PostgreSQL has it: timeline, log, segment. `timeline`: 8 hexadecimal digits. */
export function segmentName(timeline: string, position: bigint): string {
  const number = Number(position / BigInt(segmentBytes));
  const upper = (value: number) => hex(value, 8).toUpperCase();
  return timeline + upper(Math.floor(number / segmentsPerLog)) + upper(number % segmentsPerLog);
}

export interface WalPiece {
  name: string;
  segment: string;
  /** Offsets in the segment. */
  from: number;
  to: number;
  /** Everything that was committed before is in this piece or an earlier one; milliseconds since 1970. */
  asOf: number;
}

export const walName = (chain: string, { segment, from, to, asOf }: Omit<WalPiece, 'name'>): string =>
  `${chain}/wal/${segment}-${hex(from, 8)}-${hex(to, 8)}-${hex(asOf, 12)}`;

const walShape = /\/wal\/([0-9A-F]{24})-([0-9a-f]{8})-([0-9a-f]{8})-([0-9a-f]{12})$/;

export function parseWal(name: string): WalPiece | undefined {
  const [, segment, from, to, asOf] = walShape.exec(name) ?? [];
  if (segment === undefined) return undefined;
  const number = (text?: string) => Number.parseInt(text as string, 16);
  return { name, segment, from: number(from), to: number(to), asOf: number(asOf) };
}

export const listName = (chain: string, asOf: number): string => `${chain}/lists/${hex(asOf, 12)}`;
export const timeOfList = (name: string): number => Number.parseInt(name.slice(name.lastIndexOf('/') + 1), 16);

export const baseName = (chain: string, startedAt: number): string =>
  `${chain}/bases/${new Date(startedAt).toISOString().replace(/[-:]|\.\d+/g, '')}`;
/** Milliseconds since 1970, to the second. */
export function timeOfBase(base: string): number {
  const [, year, month, day, hour, minute, second] = /(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(base) ?? [];
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
}
export const manifestOf = (base: string): string => `${base}-manifest`;
export const isManifest = (name: string): boolean => /^[^/]+\/bases\/[^/]+-manifest$/.test(name);

export const chainOf = (name: string): string => name.split('/', 1)[0] as string;
/** Base backup of an object, `1f2e…/bases/20261127T083000Z`. */
export const baseOf = (name: string): string => name.slice(0, name.indexOf('Z-') + 1);

/** Last object of a base backup. */
export interface Manifest {
  format: 1;
  chain: string;
  /** ISO 8601. A restore reaches any time from `endedAt` on. */
  startedAt: string;
  endedAt: string;
  startLsn: string;
  endLsn: string;
  timeline: string;
  /** Version of PostgreSQL. */
  postgres: string;
  files: number;
  /** Encrypted. */
  bytes: number;
  parts: { name: string; bytes: number; sha256: string }[];
}

/** A file outside the database. */
export interface ListedFile {
  path: string;
  object: string;
  size: number;
}
