/** Bus messages. */
declare module '../../core/bus.ts' {
  interface BusMessages {
    'eventExport.queued': Signal;
  }
}

export {};
