/** Bus messages. */
declare module '../../core/bus.ts' {
  interface BusMessages {
    'case.changed': { organisationId: number; caseIds: number[]; isNew: boolean };
  }
}

export {};
