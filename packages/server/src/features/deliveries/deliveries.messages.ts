/** Bus messages. */
declare module '../../core/bus.ts' {
  interface BusMessages {
    'deliveries.due': Signal;
    'tickets.due': Signal;
  }
}

export {};
