/** Mapping of foreign records to ECS fields. */
import { z } from 'zod';
import { count, instant, line, paragraph } from './primitives.ts';
import { mappingTargetPaths, namespaceFault } from './rules/eventMapping.ts';

const path = z.array(z.string().min(1).max(200)).max(8);

const mappedField = z
  .object({
    to: z.enum(mappingTargetPaths).describe('ECS field that is filled.'),
    from: path.optional().describe('Steps to the value in a record: names, and positions in lists.'),
    value: z.string().trim().min(1).max(200).optional().describe('Fixed value, instead of one from the record.'),
  })
  .refine(({ from, value }) => (from === undefined || from.length === 0) !== (value === undefined), {
    message: 'Give either a field of the record or a fixed value.',
  });

export const eventMapping = z
  .object({
    namespace: z
      .string()
      .trim()
      .max(30)
      .superRefine((namespace, context) => {
        const message = namespaceFault(namespace);
        if (message) context.addIssue({ code: 'custom', message });
      })
      .describe('Section that keeps the whole record, for example acme.'),
    records: path.describe('Steps to the list of records in a body; empty when the body is the record or the list.'),
    fields: z
      .array(mappedField)
      .max(60)
      .refine((fields) => new Set(fields.map(({ to }) => to)).size === fields.length, { message: 'Fill each field only once.' })
      .describe('Filled fields, each once.'),
  })
  .describe('Mapping of records to ECS fields.');
export type EventMapping = z.infer<typeof eventMapping>;

export const sample = z.string().trim().min(1).max(100_000).describe('Sample body as the sender writes it.');

export const mappingPreview = z.object({
  results: z
    .array(
      z.object({
        at: instant.nullable().describe('Time of the event; null when arrival counts.'),
        device: line.describe('Data source; empty for the one of the webhook or the import.'),
        user: line.nullable().describe('User that the event is about.'),
        text: line.describe('Summary in lists.'),
        document: paragraph.describe('Normalised event as JSON, shortened.'),
        unread: z.array(line).max(60).describe('Labels of mapped fields whose value is absent or can’t be read.'),
      }),
    )
    .max(5)
    .describe('Events of the first records.'),
  total: count.describe('Records in the sample.'),
  refused: z.array(line).max(20).describe('Records that would not be stored, with the reason.'),
});
export type MappingPreview = z.infer<typeof mappingPreview>;
