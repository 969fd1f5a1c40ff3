/** Tables of webhook sources and of file imports. */
import type { EventMapping } from '@parapet/contract/eventMapping.ts';
import type { FileImport, ImportFormat } from '@parapet/contract/imports.ts';
import type { WebhookAuthentication } from '@parapet/contract/webhookSources.ts';
import type { ColumnType, Generated, GeneratedAlways } from 'kysely';
import type { Json, Time, TimeDefault } from './columns.ts';

export interface WebhookTables {
  webhook_sources: {
    id: Generated<number>;
    organisation_id: number;
    name: string;
    address: string;
    authentication: WebhookAuthentication;
    header: string;
    secret: Buffer;
    is_paused: Generated<boolean>;
    events: Generated<number>;
    refused: Generated<number>;
    last_event_at: Time | null;
    refusal: string | null;
    refused_at: Time | null;
    created_at: TimeDefault;
  };
  webhook_mappings: {
    organisation_id: number;
    source_id: number;
    version: number;
    mapping: Json<EventMapping>;
    saved_by: number | null;
    saved_by_name: string;
    saved_at: TimeDefault;
  };
  file_imports: {
    id: GeneratedAlways<number>;
    organisation_id: number;
    file_name: string;
    format: ImportFormat;
    source: string | null;
    mapping: Json<EventMapping> | null;
    state: ColumnType<FileImport['state'], FileImport['state'] | undefined, FileImport['state']>;
    bytes: Generated<number>;
    records: Generated<number>;
    stored: Generated<number>;
    retimed: Generated<number>;
    duplicates: Generated<number>;
    refused: Generated<number>;
    refusals: ColumnType<FileImport['refusals'], string | undefined, string>;
    failure: Generated<string>;
    created_by: number | null;
    created_by_name: string;
    created_at: TimeDefault;
    updated_at: TimeDefault;
    ended_at: Time | null;
  };
}
