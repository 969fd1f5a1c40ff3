/** All entities of queries. */
import type { QueryEntity } from '@parapet/contract/rules/query.ts';
import { accountSchema } from './entities/account.ts';
import { alertSchema } from './entities/alert.ts';
import { auditSchema } from './entities/audit.ts';
import { caseSchema } from './entities/case.ts';
import { clientSchema } from './entities/client.ts';
import { collectorSchema } from './entities/collector.ts';
import { deviceSchema } from './entities/device.ts';
import { eventSchema } from './entities/event.ts';
import { mailSchema } from './entities/mail.ts';
import { mailSubscriptionSchema } from './entities/mailSubscription.ts';
import { rejectedSchema } from './entities/rejected.ts';
import { reportSchema } from './entities/report.ts';
import { responseSchema } from './entities/response.ts';
import { reviewSchema } from './entities/review.ts';
import { riskSchema } from './entities/risk.ts';
import { ruleSchema } from './entities/rule.ts';
import { suppressionSchema } from './entities/suppression.ts';
import { tagSchema } from './entities/tag.ts';
import { tacticSchema, techniqueSchema } from './entities/technique.ts';
import { userSchema } from './entities/user.ts';
import { vulnerabilitySchema } from './entities/vulnerability.ts';
import type { EntitySchema } from './schema.ts';

export const schemas: Readonly<Record<QueryEntity, EntitySchema>> = {
  alert: alertSchema,
  case: caseSchema,
  device: deviceSchema,
  account: accountSchema,
  audit: auditSchema,
  collector: collectorSchema,
  event: eventSchema,
  mail: mailSchema,
  mailSubscription: mailSubscriptionSchema,
  rejected: rejectedSchema,
  report: reportSchema,
  response: responseSchema,
  review: reviewSchema,
  risk: riskSchema,
  suppression: suppressionSchema,
  tag: tagSchema,
  vulnerability: vulnerabilitySchema,
  user: userSchema,
  rule: ruleSchema,
  technique: techniqueSchema,
  tactic: tacticSchema,
  client: clientSchema,
};

/** Undefined for a name that is no entity, such as one of a decoded query. */
export const schemaOf = (entity: string): EntitySchema | undefined =>
  Object.hasOwn(schemas, entity) ? schemas[entity as QueryEntity] : undefined;
