/** Downloads files with the session’s token and saves them under a name. Long ones report their progress and can be stopped. */
import type { Endpoint, InputOf } from '@parapet/contract/endpoint.ts';
import { saveFile } from '../kit/saveFile.ts';
import { type LooseInput, send } from './call.ts';

/** The progress so far. */
export interface Progress {
  bytes: number;
  /** Line ends: the rows of a CSV file. */
  lines: number;
}

interface Options {
  signal?: AbortSignal;
  onProgress?: (progress: Progress) => void;
}

export async function download<E extends Endpoint>(
  endpoint: E,
  input: InputOf<E>,
  fileName: string,
  { signal, onProgress }: Options = {},
): Promise<void> {
  const answer = await send(endpoint, input as LooseInput, signal ? { signal } : {});
  const file = onProgress && answer.body ? await gathered(answer, onProgress) : await answer.blob();
  saveFile(file, fileName);
}

async function gathered(answer: Response, onProgress: (progress: Progress) => void): Promise<Blob> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const progress: Progress = { bytes: 0, lines: 0 };
  for await (const part of answer.body as unknown as AsyncIterable<Uint8Array<ArrayBuffer>>) {
    parts.push(part);
    progress.bytes += part.length;
    for (const byte of part) if (byte === 10) progress.lines++;
    onProgress({ ...progress });
  }
  return new Blob(parts, { type: answer.headers.get('content-type') ?? 'application/octet-stream' });
}
