/** Downloads the hand-over archive of a client, with its progress. */
import Button from '@mui/material/Button';
import { offboardingApi } from '@parapet/contract/offboarding.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { bytesText } from '../../../kit/bytes.ts';
import { DownloadRounded } from '../../../kit/icons/DownloadRounded.tsx';
import { download } from '../../../lib/download.ts';
import { toast } from '../../../lib/toast.ts';

export function ArchiveButton({ client, name = '' }: { client: number; name?: string }) {
  const queries = useQueryClient();
  const [bytes, setBytes] = useState<number>();
  const run = async () => {
    setBytes(0);
    try {
      const options = { onProgress: (progress: { bytes: number }) => setBytes(progress.bytes) };
      await download(offboardingApi.archive, { params: { client } }, `archive-${client}.zip`, options);
      void queries.invalidateQueries({ queryKey: [offboardingApi.get.id] });
    } catch (error) {
      toast.error(`The archive was not downloaded. ${error instanceof Error ? error.message : ''}`);
    } finally {
      setBytes(undefined);
    }
  };
  return (
    <Button
      size="small"
      variant="outlined"
      startIcon={<DownloadRounded />}
      disabled={bytes !== undefined}
      aria-label={name ? `Download archive of ${name}` : undefined}
      onClick={() => void run()}
    >
      {bytes === undefined ? 'Download archive' : `Downloading, ${bytesText(bytes)}`}
    </Button>
  );
}
