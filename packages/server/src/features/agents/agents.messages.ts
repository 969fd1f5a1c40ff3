/** Bus messages. */
declare module '../../core/bus.ts' {
  interface BusMessages {
    'task.queued': { organisationId: number; agentIds: number[] };
  }
}

export {};
