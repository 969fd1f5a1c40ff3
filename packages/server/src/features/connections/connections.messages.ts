/** Bus messages. */
declare module '../../core/bus.ts' {
  interface BusMessages {
    'connections.due': Signal;
    'connections.taskQueued': Signal;
    'connections.incidentsDue': Signal;
    'feeds.due': Signal;
    /** Connections of the kind syslog were added, paused, resumed or removed. */
    'syslog.changed': Signal;
    /** A vendor's list of devices was read. */
    'devices.listed': { organisationId: number };
  }
}

export {};
