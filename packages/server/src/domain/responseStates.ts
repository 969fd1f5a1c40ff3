/** States of responses that several features read. */
import type { Response } from '@parapet/contract/caseDetail.ts';

type ResponseState = Response['state'];

/** States before the action has been taken. */
export const pending = ['requested', 'approved', 'sent'] as const satisfies ResponseState[];
/** States of an action that holds. */
export const done = ['acknowledged', 'verified'] as const satisfies ResponseState[];

/** Actions that set each flag of a device or user, and hold until they are undone. */
export const holdingActions = {
  deviceIsolated: ['isolate'],
  userDisabled: ['blockUser', 'disable'],
  deviceBlocked: ['block'],
} as const satisfies Record<string, Response['action'][]>;
