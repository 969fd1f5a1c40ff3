/** Constants for pages that must not load the schemas: this file does not import zod. */

/** Largest ID: PostgreSQL's integer maximum. */
export const maxId = 2_147_483_647;

export const severities = ['critical', 'high', 'medium', 'low', 'informational'] as const;
export const deviceTypes = ['server', 'workstation', 'networkDevice', 'productivity', 'cloudPlatform', 'cloudApp'] as const;

/** Responses that a person requests in the general form. */
export const requestActions = [
  'isolate',
  'unisolate',
  'blockUser',
  'unblockUser',
  'killProcess',
  'collectFile',
  'revokeSessions',
  'resetFactors',
] as const;

/** Role ids on the wire (spec §6). */
export const roleIds = { host: 1, administrator: 2, manager: 3, partnerAnalyst: 4, analyst: 5 } as const;
/** Subscription level ids on the wire (spec §3, subscriptionLevelID). */
export const subscriptionLevelIds = { monitor: 1, respond: 2, respondAroundTheClock: 3 } as const;

/** Maximum timeframe of an event search in days, and maximum number of counted hits. */
export const maxSearchDays = 31;
export const maxEventHits = 10_000;
/** Retention of unprocessed events in days, independent of that of events. */
export const deadLetterDays = 30;

/** The ten categories of a vulnerability score (spec §3). */
export const scoreCategories = [
  'Application Security',
  'Cubit Score',
  'DNS Health',
  'Endpoint Security',
  'Hacker Chatter',
  'IP Reputation',
  'Leaked Information',
  'Network Security',
  'Patching Cadence',
  'Social Engineering',
] as const;
export const findingStates = ['open', 'accepted', 'fixed'] as const;
