/** Bus messages. */
declare module '../../core/bus.ts' {
  interface BusMessages {
    'isolation.requested': Signal;
  }
}

export {};
