/** Privileges of the application’s role, read from the database: tenants are isolated beneath every query. */
import { beforeAll, expect, test } from 'vitest';
import { scoped } from '../src/core/db/scope.ts';
import { runAs, useTestDatabase } from './database.ts';

const database = useTestDatabase();
beforeAll(async () => {
  await runAs(database.url, 'select make_partitions(current_date - 40, current_date + 40)');
});

const queryRows = async (sql: string) => (await runAs(database.ownerUrl, sql))[0]?.rows as Record<string, unknown>[];

test('enforces row-level security on every accessible table', async () => {
  const open = await queryRows(`
    select c.relname as name from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
      and has_any_column_privilege('parapet_app', c.oid, 'select, insert, update, references')
      and not (c.relrowsecurity and exists (select from pg_policy p where p.polrelid = c.oid))`);
  expect(open).toEqual([]);
});

/** Tables of the portal itself, or read before any organisation is known. */
const systemOnly = [
  'advisories',
  'advisory_feeds',
  'advisory_ranges',
  'advisory_sources',
  'epss_scores',
  'known_exploited',
  'agent_releases',
  'indicators',
  'intelligence_feed_objects',
  'intelligence_feeds',
  'intelligence_lists',
  'secrets',
  'data_keys',
  'attempts',
  'mfa_challenges',
  'passkey_challenges',
  'one_time_links',
  'sign_on_starts',
  'sign_on_codes',
  'oauth_records',
  'agent_task_keys',
  'installation_settings',
  'backup_runs',
  'capacity_days',
  'processes',
  'backup_state',
  'restorations',
  'isolation_requests',
  'syslog_ports',
  'syslog_imports',
];

/** Sums over all organisations. */
const ofAll = ['rollup_month_rule_news', 'rollup_month_rule_total'];

test('checks the transaction’s scope in every policy', async () => {
  const all = await queryRows('select tablename, policyname, qual, with_check, cmd from pg_policies');
  // Threat intelligence, advisories, agent packages and installation settings are global: readable in every scope, writable in system scope only.
  const openReads = all.filter(({ policyname }) => policyname === 'reading');
  expect(openReads.map(({ tablename, cmd }) => `${tablename} ${cmd}`).sort()).toEqual([
    'advisories SELECT',
    'advisory_ranges SELECT',
    'advisory_sources SELECT',
    'agent_releases SELECT',
    'epss_scores SELECT',
    'event_moves SELECT',
    'event_moves_last SELECT',
    'indicators SELECT',
    'installation_settings SELECT',
    'intelligence_lists SELECT',
    'known_exploited SELECT',
    'past_search_terms SELECT',
    'past_searches SELECT',
  ]);
  const policies = all.filter((policy) => !openReads.includes(policy));
  expect(policies.length).toBeGreaterThan(15);
  for (const { tablename, qual, with_check, cmd } of policies) {
    expect([tablename, with_check, cmd]).toEqual([tablename, null, 'ALL']);
    const isSystemOnly = systemOnly.includes(String(tablename));
    expect([tablename, qual]).toEqual([tablename, expect.stringContaining('app_is_system()')]);
    if (ofAll.includes(String(tablename))) expect(qual).toContain('app_sees_everything()');
    // Those of the files are shared; a partner's hold for its clients.
    else if (tablename === 'rules') expect(qual).toContain('app_rule_owners()');
    else if (!isSystemOnly) expect([tablename, qual]).toEqual([tablename, expect.stringContaining('app_organisations()')]);
  }
});

test('gives access to partitions through their tables only', async () => {
  const months = await queryRows(`
    select c.relname as name, has_any_column_privilege('parapet_app', c.oid, 'select, insert, update, references')
      or has_table_privilege('parapet_app', c.oid, 'delete, truncate, trigger') as "isOpen"
    from pg_inherits i join pg_class c on c.oid = i.inhrelid where c.relkind = 'r'`);
  expect(months.length).toBeGreaterThan(6);
  expect(months.filter(({ isOpen }) => isOpen)).toEqual([]);
});

test('limits security definer functions to a few, with a fixed search path and without public access', async () => {
  const functions = await queryRows(`
    select proname as name, array_to_string(proconfig, ';') as settings, has_function_privilege('public', p.oid, 'execute') as "isForAll"
    from pg_proc p where prosecdef and pronamespace = 'public'::regnamespace order by 1`);
  expect(functions).toEqual(
    [
      'abandon_event_moves',
      'absorb_case',
      'add_rule_news',
      'adopt_event_moves',
      'all_rules',
      'app_is_system',
      'app_organisations',
      'app_rule_owners',
      'app_sees_everything',
      'approver_faults',
      'archive_blocks',
      'archive_months_of',
      'begin_event_move',
      'drop_old_audit',
      'drop_old_looks',
      'drop_partitions',
      'erasable_tables',
      'erase_audit',
      'erase_organisation',
      'erase_references',
      'erase_rows',
      'expired_archive_files',
      'finish_event_move',
      'forget_event_move',
      'grouping_in_force',
      'has_event_rows',
      'is_event_routed',
      'is_held',
      'is_paused',
      'is_single_operator',
      'keep_audit_checkpoints',
      'keep_rules',
      'live_api_keys',
      'live_sessions',
      'make_partitions',
      'pair_faults',
      'paused_since',
      'proven_scope',
      'queue_deliveries',
      'queue_ticket_files',
      'queue_ticket_note',
      'remove_archive_file',
      'remove_merged_blocks',
      'remove_moved_blocks',
      'remove_over_age',
      'remove_packed_copies',
      'remove_packed_rows',
      'remove_recalled',
      'require_erasure',
      'seal_audit',
      'sees_provider_staff',
      'shown_name',
      'unerased_tables',
      'views_from_above',
      'withdraw_deliveries',
    ].map((name) => ({ name, settings: 'search_path=public, pg_temp', isForAll: false })),
  );
});

test('denies updates of audit and events, and any truncation', async () => {
  const may = await queryRows(`
    select c.relname as name, p.right from pg_class c cross join (values ('update'), ('delete'), ('truncate')) p ("right")
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and has_table_privilege('parapet_app', c.oid, p.right)`);
  const rights = may.map(({ name, right }) => `${right} ${name}`);
  expect(rights.filter((right) => right.startsWith('truncate'))).toEqual([]);
  for (const table of [
    'audit',
    'audit_chain',
    'audit_checkpoints',
    'archive_files',
    'event_blocks',
    'event_rows',
    'alert_events',
    'alert_event_packs',
  ]) {
    expect(rights).not.toContain(`update ${table}`);
    expect(rights).not.toContain(`delete ${table}`);
  }
  expect(rights).not.toContain('delete alerts');
});

test('hides secrets outside system scope', async () => {
  await runAs(database.ownerUrl, "insert into secrets values ('test', 'x')");
  for (const scope of ['', '1', '*']) {
    const results = await runAs(
      database.url,
      'begin',
      `set local app.scope = '${'0'.repeat(64)} ${scope}'`,
      'select from secrets',
      'commit',
    );
    expect(results[2]?.rowCount).toBe(0);
  }
  expect(await scoped(database.db, 'system', (tx) => tx.selectFrom('secrets').select('name').execute())).toEqual([
    { name: 'test' },
  ]);
});
