/** Settings of backups: where to, encrypted with which key, and how long. */
import { resolve } from 'node:path';
import { z } from 'zod';
import { type S3Config, s3Of } from './config.s3.ts';
import { type KeySource, minimumLength } from './keys/master.ts';

export interface BackupConfig {
  /** Undefined: a bucket. */
  dir: string | undefined;
  s3: S3Config | undefined;
  key: KeySource;
  /** Base backups stay this many days, and at least this many of them. */
  keepDays: number;
  keep: number;
}

export const backupSettings = {
  BACKUP_DIR: z.string().min(1).max(1000).optional(),
  BACKUP_KEY: z.string().min(minimumLength, `must have at least ${minimumLength} characters`).max(500).optional(),
  BACKUP_KEY_FILE: z.string().max(1000).optional(),
  BACKUP_KEEP_DAYS: z.coerce.number().int().min(1).max(3650).default(14),
  BACKUP_KEEP: z.coerce.number().int().min(1).max(1000).default(3),
  BACKUP_S3_ENDPOINT: z
    .url({ protocol: /^https?$/, error: 'must be a whole address, starting with https://' })
    .max(1000)
    .optional(),
  BACKUP_S3_BUCKET: z.string().min(1).max(63).optional(),
  BACKUP_S3_REGION: z.string().min(1).max(64).default('us-east-1'),
  BACKUP_S3_ACCESS_KEY_ID: z.string().min(1).max(200).optional(),
  BACKUP_S3_SECRET_ACCESS_KEY: z.string().min(1).max(200).optional(),
};

type Settings = z.output<z.ZodObject<typeof backupSettings>>;

const fault = (text: string): Error => new Error(`The environment has faults:\n  ${text}`);

/** Undefined where no backup is configured. Throws a text for the operator. */
export function backupOf(e: Settings, dataDir: string, hasOwnDatabase: boolean): BackupConfig | undefined {
  const s3 = s3Of('BACKUP_S3', {
    endpoint: e.BACKUP_S3_ENDPOINT?.replace(/\/+$/, ''),
    bucket: e.BACKUP_S3_BUCKET,
    region: e.BACKUP_S3_REGION,
    accessKeyId: e.BACKUP_S3_ACCESS_KEY_ID,
    secretAccessKey: e.BACKUP_S3_SECRET_ACCESS_KEY,
  });
  if (!s3 && e.BACKUP_DIR === undefined) return undefined;
  if (s3 && e.BACKUP_DIR !== undefined) throw fault('Of BACKUP_DIR and BACKUP_S3_… only one can be set.');
  if (!hasOwnDatabase)
    throw fault(
      'BACKUP_… is for the embedded database. With DATABASE_URL use the tools of PostgreSQL: docs/operating.md, "Backup".',
    );
  const { BACKUP_KEY: text, BACKUP_KEY_FILE: path } = e;
  if ((text === undefined) === (path === undefined))
    throw fault('A backup needs a key from outside the database: set either BACKUP_KEY or BACKUP_KEY_FILE.');
  const dir = e.BACKUP_DIR === undefined ? undefined : resolve(e.BACKUP_DIR);
  if (dir !== undefined && `${dir}/`.startsWith(`${dataDir}/`))
    throw fault('BACKUP_DIR lies in DATA_DIR, so both would be lost together. Name a folder on another disk.');
  return {
    dir,
    s3,
    key: text === undefined ? { kind: 'file', path: path as string } : { kind: 'text', text },
    keepDays: e.BACKUP_KEEP_DAYS,
    keep: e.BACKUP_KEEP,
  };
}
