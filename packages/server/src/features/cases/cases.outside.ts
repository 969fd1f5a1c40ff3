/** Changes of cases that people made in another system, such as a PSA. */
import { statusLabel } from '@parapet/contract/rules/cases.ts';
import type { Clock } from '../../core/clock.ts';
import { storable } from '../../core/db/like.ts';
import { recordCaseHistory } from './cases.changes.ts';
import { bulkFault, listOpenItems } from './cases.closing.ts';
import type { OutsideCases } from './cases.ports.ts';
import { isClosing, statusFault, type Transitions } from './cases.transitions.ts';

const maxText = 10_000;
const maxAuthor = 200;

export const createOutsideCases = ({
  clock,
  transitions,
}: {
  clock: Clock;
  transitions: Pick<Transitions, 'setStatus'>;
}): OutsideCases => ({
  lock: (tx, organisationId, id) =>
    tx
      .selectFrom('cases')
      .selectAll()
      .where('organisation_id', '=', organisationId)
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst(),

  async applyStatus(tx, record, status, by, resolution) {
    if (record.status === status) return { after: record };
    const items = isClosing(record, status) ? ((await listOpenItems(tx, [record])).get(record.id) ?? []) : [];
    // Open items stay open: the other system gives no reason why not.
    const fault =
      statusFault(record, status) ?? bulkFault(record, items, { resolution: resolution ?? 'truePositive', reason: '' });
    if (fault !== undefined) return { fault };
    const closing = resolution && isClosing(record, status) ? { resolution, reason: '' } : undefined;
    const text = `Status changed from ${statusLabel(record.status)} to ${statusLabel(status)} by ${by}`;
    return { after: await transitions.setStatus(tx, undefined, record, status, { text, closing }) };
  },

  incidentReopened: (tx, record, incident) =>
    recordCaseHistory(tx, clock, undefined, record, {
      action: 'case.incidentReopened',
      history: { kind: 'status', text: `${incident} was reopened there` },
      after: { incident },
    }),

  async addNote(tx, record, { author, source, text, isInternal }) {
    const name = storable(author).slice(0, maxAuthor).toWellFormed().trim() || source;
    const stored = storable(text).slice(0, maxText).toWellFormed();
    const { id } = await tx
      .insertInto('case_notes')
      .values({
        organisation_id: record.organisation_id,
        case_id: record.id,
        author_user_id: null,
        author_name: name,
        text: stored,
        is_internal: isInternal,
        created_at: new Date(clock.now()),
        changed_at: null,
        source,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    const history = { kind: 'note' as const, text: `Note taken over from ${source}`, isInternal };
    await recordCaseHistory(tx, clock, undefined, record, {
      action: 'case.noteSaved',
      history,
      after: { id, text: stored, isInternal },
    });
  },
});
