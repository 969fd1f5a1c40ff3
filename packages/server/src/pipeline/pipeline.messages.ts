/** Bus messages. */
declare module '../core/bus.ts' {
  interface BusMessages {
    'alert.raised': { organisationId: number; alertIds: number[] };
    'rules.changed': Signal;
  }
}

export {};
