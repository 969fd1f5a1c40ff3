/** Bus messages. */
declare module '../../core/bus.ts' {
  interface BusMessages {
    'groupingPreviews.queued': Signal;
  }
}

export {};
