/** Connections of the kind syslog, as the intake listens for them. */
import type { SyslogTransport } from '@parapet/contract/syslog.ts';

export interface SyslogSource {
  /** Connection. */
  id: number;
  organisationId: number;
  transport: SyslogTransport;
  /** 0: a free port, for tests. */
  port: number;
  /** Networks of its senders; empty: every sender of the port. */
  networks: readonly string[];
}

/** A connection since the report before. */
export interface SourceReport {
  id: number;
  organisationId: number;
  stored: number;
  lastAt: number;
}

/** A port since the report before. */
export interface PortReport {
  transport: SyslogTransport;
  port: number;
  unknown: number;
  /** Newest of them; empty without any. */
  unknownAddress: string;
  lost: number;
}

export interface SyslogSources {
  /** Connections to listen for, in the order of their creation. */
  list(): Promise<readonly SyslogSource[]>;
  report(sources: readonly SourceReport[], ports: readonly PortReport[]): Promise<void>;
  /** Confirms listening. @param warning shown while it goes on */
  listening(ids: readonly number[], warning: string | null): Promise<void>;
  /** Records that this process can't listen. Nothing changes while another one can. */
  failed(ids: readonly number[], error: string): Promise<void>;
}
