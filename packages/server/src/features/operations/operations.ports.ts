/** Use of this feature by others. */

export interface BackupCheck {
  isDone: boolean;
  note: string;
}

/** Undefined where the portal cannot observe the backup. */
export type CheckBackup = () => Promise<BackupCheck | undefined>;
