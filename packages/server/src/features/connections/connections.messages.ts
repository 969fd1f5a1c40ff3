/** Bus messages. */
declare module '../../core/bus.ts' {
  interface BusMessages {
    'connections.due': Signal;
    'connections.taskQueued': Signal;
    'connections.incidentsDue': Signal;
    'feeds.due': Signal;
    /** A vendor's list of devices was read. */
    'devices.listed': { organisationId: number };
  }
}

export {};
