/** Bus messages. */
declare module '../../core/bus.ts' {
  interface BusMessages {
    'mail.queued': Signal;
  }
}

export {};
