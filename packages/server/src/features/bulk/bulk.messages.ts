/** Bus messages. */
declare module '../../core/bus.ts' {
  interface BusMessages {
    'bulk.queued': Signal;
  }
}

export {};
