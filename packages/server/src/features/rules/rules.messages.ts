/** Bus messages. */
declare module '../../core/bus.ts' {
  interface BusMessages {
    'rulePreviews.queued': Signal;
  }
}

export {};
