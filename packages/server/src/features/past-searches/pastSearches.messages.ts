/** Bus messages. */
declare module '../../core/bus.ts' {
  interface BusMessages {
    'pastSearches.queued': Signal;
  }
}

export {};
