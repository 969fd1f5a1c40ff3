/**
 * Listener on the portal’s port until the application takes over: a light page that reloads itself for people, 503 for calls, a closed
 * connection for shippers. On a thread of its own: the application's modules load in one piece, for seconds on a slow machine.
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

export interface Place {
  port: number;
  host: string;
}

/** A stage to show, or null to close. */
export type StartingMessage = string | null;

export interface Starting {
  setStage(stage: string): void;
  /** Frees the port. */
  close(): Promise<void>;
}

/** Throws an error with the system's code when the port cannot be had. */
export async function listenWhileStarting(place: Place): Promise<Starting> {
  const worker = new Worker(new URL('./starting.worker.ts', import.meta.url), { workerData: place, env: {} });
  const ended = once(worker, 'exit');
  const send = (message: StartingMessage) => worker.postMessage(message);
  const [{ code }] = (await once(worker, 'message')) as [{ code?: string }];
  if (code !== undefined) throw Object.assign(new Error(`listen ${code}`), { code });
  return {
    setStage: send,
    async close() {
      send(null);
      await ended;
    },
  };
}
