/** Free space of the disk that holds the database. */
import { statfs } from 'node:fs/promises';

/** Undefined where the database is not below this folder. */
export const freeBytesOf = (folder: string | undefined) => async (): Promise<number | undefined> => {
  if (folder === undefined) return undefined;
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
};
