/** Saves the archive of a pack; a failure is a toast. */
import { rulePacksApi } from '@parapet/contract/rulePacks.ts';
import { download } from '../../lib/download.ts';
import { toast } from '../../lib/toast.ts';

export const exportPack = (pack: string, label: string, file: string): Promise<void> =>
  download(rulePacksApi.download, { params: { pack } }, file).catch((error: Error) => {
    toast.error(`Couldn’t export ${label}. ${error.message}`);
  });
