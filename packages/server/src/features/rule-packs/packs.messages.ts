/** Bus messages. */
declare module '../../core/bus.ts' {
  interface BusMessages {
    'rulePacks.queued': Signal;
  }
}

export {};
