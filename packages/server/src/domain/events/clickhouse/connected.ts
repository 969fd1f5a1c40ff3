/** The connection of this process, set once at its start (application.ts). */
import type { ClickHouse } from './client.ts';

let connected: ClickHouse | undefined;

/** Undefined where all events are in PostgreSQL. */
export const clickHouse = (): ClickHouse | undefined => connected;

export function useClickHouse(connection: ClickHouse | undefined): void {
  connected = connection;
}
