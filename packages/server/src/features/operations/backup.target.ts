/** The configured place of backups, opened. */

import { type BackupStore, openBackupStore } from '../../core/backup/objects.ts';
import { openBlobs } from '../../core/blobs.ts';
import type { BackupConfig } from '../../core/config.backup.ts';
import { readMasterKey } from '../../core/keys/master.ts';

export async function openBackupTarget({ dir, s3, key }: BackupConfig): Promise<BackupStore> {
  return openBackupStore(openBlobs(s3, dir ?? ''), await readMasterKey(key, 'BACKUP_KEY'));
}

export const targetLabel = ({ dir, s3 }: BackupConfig): string => dir ?? (s3 ? `${s3.endpoint}/${s3.bucket}` : '');
