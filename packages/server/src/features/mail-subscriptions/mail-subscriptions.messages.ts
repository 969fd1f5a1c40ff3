/** Bus messages. */
declare module '../../core/bus.ts' {
  interface BusMessages {
    'notice.queued': Signal;
  }
}

export {};
