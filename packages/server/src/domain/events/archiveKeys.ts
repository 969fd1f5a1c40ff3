/** Keys of the archive’s files: archive/{organisation}/{day}-{part}.parquet, and a manifest for each day. */

/** Number of the advisory lock of an organisation’s archive. */
export const archiveLock = 7304;

const folder = (organisationId: number): string => `archive/${organisationId}`;

export const archiveKey = (organisationId: number, day: string, part: number): string =>
  `${folder(organisationId)}/${day}-${String(part).padStart(4, '0')}.parquet`;

/** An empty day returns what precedes it. */
export const manifestKey = (organisationId: number, day: string): string =>
  `${folder(organisationId)}/manifest-${day}${day && '.json'}`;
