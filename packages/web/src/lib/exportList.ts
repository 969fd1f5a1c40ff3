/** Exports a list for the kit’s ExportButton: saves the file and reports the result in a toast; stopping it is no error. */
import type { Endpoint, InputOf } from '@parapet/contract/endpoint.ts';
import { isAbort } from './call.ts';
import { download } from './download.ts';
import { type ToastTopic, toast } from './toast.ts';

interface What<E extends Endpoint> {
  endpoint: E;
  input: InputOf<E>;
  fileName: string;
  /** "The list". */
  name: string;
  topic?: ToastTopic;
}

export const exportList =
  <E extends Endpoint>({ endpoint, input, fileName, name, topic }: What<E>) =>
  async (onProgress: (rows: number) => void, signal: AbortSignal): Promise<void> => {
    try {
      // The first line is the header.
      await download(endpoint, input, fileName, { signal, onProgress: ({ lines }) => onProgress(Math.max(0, lines - 1)) });
      toast.success(`${name} was exported`, topic);
    } catch (error) {
      if (isAbort(error)) toast.info('The export was stopped', topic);
      else toast.error(`${name} could not be exported. ${error instanceof Error ? error.message : ''}`, topic);
    }
  };
