/** Schema of the alert list. */
import { alertDispositions, alertSorts, alertStatuses } from '@parapet/contract/alerts.ts';
import { severities } from '@parapet/contract/rules/values.ts';
import { answerRows, type ListQuery, listSchema, text, values, word, words } from '../../lib/listSchema.ts';

export const alertList = listSchema({
  severity: words(severities),
  status: words(alertStatuses),
  fate: words(alertDispositions),
  category: values(/^.{1,100}$/),
  rule: values(/^.{1,64}$/),
  /** ATT&CK ids, each with its sub-techniques; ANY for rules with a technique, NONE for those without. */
  technique: values(/^(T\d{4}(\.\d{3})?|ANY|NONE)$/, (id) => id.toUpperCase()),
  device: text(255),
  user: text(255),
  text: text(),
  query: answerRows(),
  sort: word(alertSorts, 'createdTime'),
  order: word(['asc', 'desc'], 'desc'),
});
export type AlertFilters = ListQuery<typeof alertList>;
