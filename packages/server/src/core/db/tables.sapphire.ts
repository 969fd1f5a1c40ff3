/** Tables of Sapphire. */
import type { SapphireAnswer, SapphireKnowledge } from '@parapet/contract/sapphire.ts';
import type { ColumnType, Generated, JSONColumnType } from 'kysely';

type Time = ColumnType<Date, Date | undefined, Date>;

export interface SapphireTables {
  sapphire_messages: {
    id: Generated<number>;
    organisation_id: number;
    user_id: number;
    conversation: string;
    question: string;
    answer: string;
    kind: SapphireAnswer['kind'];
    understood: Generated<string>;
    /** Empty without one; its shape is Sapphire’s, by `version`. */
    reading: JSONColumnType<object, string | undefined, string>;
    flag: number | null;
    feedback: Generated<string>;
    settled_at: Date | null;
    created_at: Time;
  };
  sapphire_knowledge: {
    id: Generated<number>;
    organisation_id: number;
    text: string;
    state: ColumnType<SapphireKnowledge['state'], SapphireKnowledge['state'] | undefined, SapphireKnowledge['state']>;
    words: ColumnType<string, never, never>;
    created_by: number | null;
    created_by_name: Generated<string>;
    created_at: Time;
    reviewed_by: number | null;
    reviewed_by_name: Generated<string>;
    reviewed_at: Date | null;
  };
  sapphire_synonyms: {
    id: Generated<number>;
    organisation_id: number;
    /** In lower case. */
    from_text: string;
    to_text: string;
    created_by: number | null;
    created_by_name: Generated<string>;
    created_at: Time;
  };
  sapphire_teachers: {
    user_id: number;
    organisation_id: number;
    allowed_by: number | null;
    allowed_at: Time;
  };
}
