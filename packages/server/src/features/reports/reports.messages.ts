/** Bus messages. */
declare module '../../core/bus.ts' {
  interface BusMessages {
    'report.queued': Signal;
  }
}

export {};
