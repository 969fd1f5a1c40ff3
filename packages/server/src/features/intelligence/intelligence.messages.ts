/** Bus messages. */
declare module '../../core/bus.ts' {
  interface BusMessages {
    'intelligenceFeeds.due': Signal;
  }
}

export {};
