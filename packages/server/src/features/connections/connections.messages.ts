/** Bus messages. */
declare module '../../core/bus.ts' {
  interface BusMessages {
    'connections.due': Signal;
    'connections.taskQueued': Signal;
  }
}

export {};
