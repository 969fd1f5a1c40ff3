/**
 * Configuration of a client's collector (/apps/clientconfig, /apps/auditbitconfig …): form, text and versions. The text is the source of
 * truth; edits are a draft until saved as the next version.
 */

import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import { type CollectorConfig, type ConfigKind, collectorsApi } from '@parapet/contract/collectors.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import { DownloadRounded } from '../../kit/icons/DownloadRounded.tsx';
import { Note } from '../../kit/Note.tsx';
import { counted } from '../../kit/numbers.ts';
import { PageHeader } from '../../kit/PageHeader.tsx';
import { RelativeTime } from '../../kit/RelativeTime.tsx';
import { TextSkeleton } from '../../kit/Skeletons.tsx';
import { EmptyState, FailedState } from '../../kit/States.tsx';
import { UnsavedDialog } from '../../kit/UnsavedDialog.tsx';
import { VisibleText } from '../../kit/VisibleText.tsx';
import { AppLink } from '../../lib/AppLink.tsx';
import { oneIn, useSearchState } from '../../lib/address.ts';
import { paths } from '../../lib/paths.ts';
import { useScope } from '../../lib/scope.ts';
import { TabLinks } from '../../lib/TabLinks.tsx';
import { useTitle } from '../../lib/title.ts';
import { useApiMutation } from '../../lib/useApiMutation.ts';
import { useLeaveGuard } from '../../lib/useLeaveGuard.ts';
import { ChooseClient } from '../organisations/parts/ChooseClient.tsx';
import { checkQuery, configQuery, versionsQuery } from './collectors.queries.ts';
import { kindOfPath, kindsInOrder, kindTexts } from './kinds.ts';
import { ConfigForm } from './parts/ConfigForm.tsx';
import { DownloadDialog } from './parts/DownloadDialog.tsx';
import { Overview } from './parts/Overview.tsx';
import { Problems } from './parts/Problems.tsx';
import { SaveDialog } from './parts/SaveDialog.tsx';
import { Versions } from './parts/Versions.tsx';
import { readYaml, valueAt } from './yamlText.ts';

const YamlEditor = lazy(() => import('./parts/YamlEditor.tsx').then((module) => ({ default: module.YamlEditor })));

const tabs = ['settings', 'text', 'versions'] as const;
const tabTitles = { settings: 'Settings', text: 'Text', versions: 'Versions' } as const;
const checkAfterMs = 400;

const Beside = styled('div')({
  display: 'grid',
  gap: 16,
  alignItems: 'start',
  '& > *': { minWidth: 0 },
  '@media (min-width: 1200px)': { gridTemplateColumns: 'minmax(0, 1fr) 380px' },
});
const Notes = styled('div')({ display: 'grid', gap: 8, marginBottom: 16, '&:empty': { display: 'none' } });

export function CollectorPage() {
  const { pathname } = useLocation();
  const kind = kindOfPath(pathname);
  const { client, may } = useScope();
  const { title, purpose } = kindTexts[kind];
  useTitle(title);
  if (!may('ingestKeys:write'))
    return (
      <>
        <PageHeader title={title} purpose={purpose} />
        <EmptyState
          title="Only administrators can configure collectors"
          text="The configuration controls what each host sends, and its file contains a key. Ask an administrator of your organisation to change or download it."
          actions={
            <Button component={AppLink} href={paths.devices()} variant="outlined" size="small">
              Data Sources
            </Button>
          }
        />
      </>
    );
  if (client === 0)
    return (
      <>
        <PageHeader title={title} purpose={purpose} />
        <ChooseClient purpose="Configurations" hrefOf={(id) => paths.collectorConfig(kind, id)} />
      </>
    );
  return <OneClient key={`${kind} ${client}`} client={client} kind={kind} />;
}

function OneClient({ client, kind }: { client: number; kind: ConfigKind }) {
  const { clientName, hasSelector } = useScope();
  const { data, error, refetch } = useQuery(configQuery(client, kind));
  const { title, purpose } = kindTexts[kind];
  return (
    <>
      <TabLinks
        label="Collectors"
        current={kind}
        tabs={kindsInOrder.map((id) => ({
          id,
          title: kindTexts[id].title,
          href: paths.collectorConfig(id, hasSelector ? client : undefined),
        }))}
      />
      {data ? (
        <Config client={client} kind={kind} newest={data} />
      ) : (
        <>
          <PageHeader title={title} purpose={`${purpose}${clientName && ` · ${clientName}`}`} />
          {error ? (
            <FailedState what="the configuration" error={error} onRetry={() => void refetch()} />
          ) : (
            <TextSkeleton lines={8} lineHeight={56} />
          )}
        </>
      )}
    </>
  );
}

function useLater<T>(value: T, ms: number): T {
  const [later, setLater] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setLater(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return later;
}

function Config({ client, kind, newest }: { client: number; kind: ConfigKind; newest: CollectorConfig }) {
  const { timeZone, clientName } = useScope();
  const { search, change } = useSearchState();
  const tab = oneIn(search.tab, tabs, 'settings');
  const { title, purpose } = kindTexts[kind];
  const queries = useQueryClient();
  const saveConfig = useApiMutation(collectorsApi.save, {
    success: ({ version }) => `Version ${version} saved. Hosts receive it with their next download.`,
    failure: 'Couldn’t save the configuration.',
    onSuccess: (saved) => {
      queries.setQueryData(configQuery(client, kind).queryKey, saved);
      setDraft(undefined);
      void queries.invalidateQueries({ queryKey: versionsQuery(client, kind).queryKey });
    },
  });
  // Edited text and the version it is based on.
  const [draft, setDraft] = useState<{ text: string; base: CollectorConfig }>();
  const [dialog, setDialog] = useState<'save' | 'download'>();
  const [goTo, setGoTo] = useState<{ line: number }>();
  const isDirty = draft !== undefined && draft.text !== newest.yaml;
  const text = draft?.text ?? newest.yaml;
  const base = draft?.base ?? newest;
  const isBehind = isDirty && base.version !== newest.version;
  const guard = useLeaveGuard(isDirty);

  const asked = useLater(text, checkAfterMs);
  const checked = useQuery({ ...checkQuery(client, kind, asked), enabled: asked !== newest.yaml });
  const problems = (text === newest.yaml ? newest.problems : checked.data?.problems) ?? [];
  const errors = problems.filter(({ isError }) => isError).length;
  const isChecked = text === newest.yaml || (asked === text && checked.data !== undefined && !checked.isPlaceholderData);

  const edit = (next: string) => setDraft({ text: next, base });
  const save = async (yaml: string, comment: string): Promise<boolean> => {
    try {
      await saveConfig.mutateAsync({ params: { client, kind }, body: { yaml, comment, version: newest.version } });
      return true;
    } catch {
      void queries.invalidateQueries({ queryKey: [collectorsApi.get.id] });
      return false;
    }
  };
  const toLine = (line: number) => {
    change({ tab: 'text', version: undefined, against: undefined });
    setGoTo({ line });
  };
  const used = kind === 'client' ? usedIn(text) : [];

  return (
    <>
      <PageHeader
        title={title}
        purpose={
          <>
            {purpose}
            {clientName && (
              <>
                {' · '}
                <VisibleText text={clientName} />
              </>
            )}
            {' · '}
            {newest.version === 0 ? 'the standard configuration' : `version ${newest.version}, saved `}
            {newest.savedAt && <RelativeTime at={newest.savedAt} timeZone={timeZone} />}
            {newest.savedBy && (
              <>
                {' by '}
                <VisibleText text={newest.savedBy} />
              </>
            )}
          </>
        }
        actions={
          <>
            <Button variant="outlined" startIcon={<DownloadRounded />} onClick={() => setDialog('download')}>
              Download
            </Button>
            {isDirty && <Button onClick={() => setDraft(undefined)}>Undo changes</Button>}
            <Button
              variant="contained"
              disabled={!isDirty || errors > 0 || !isChecked}
              title={errors > 0 ? `Fix ${counted(errors, 'error')} first` : undefined}
              onClick={() => setDialog('save')}
            >
              Save version
            </Button>
          </>
        }
      />
      <TabLinks
        label={title}
        current={tab}
        tabs={tabs.map((id) => ({
          id,
          title: tabTitles[id],
          href: paths.collectorConfig(kind, client, { tab: id === 'settings' ? undefined : id }),
        }))}
      />
      <Notes>
        {isBehind && (
          <Note
            tone="warning"
            role="alert"
            actions={
              <>
                <Button size="small" onClick={() => setDraft(undefined)}>
                  Discard my changes
                </Button>
                <Button size="small" variant="outlined" onClick={() => setDraft({ text, base: newest })}>
                  Keep my changes
                </Button>
              </>
            }
          >
            <VisibleText text={newest.savedBy || 'Another user'} /> saved version {newest.version} while you were editing{' '}
            {base.version === 0 ? 'the standard configuration' : `version ${base.version}`}. If you keep your changes, saving
            shows the differences.
          </Note>
        )}
        {checked.error && text !== newest.yaml && (
          <Note
            tone="warning"
            actions={
              <Button size="small" onClick={() => void checked.refetch()}>
                Retry
              </Button>
            }
          >
            Couldn’t check the configuration. {checked.error.message}
          </Note>
        )}
      </Notes>
      {tab !== 'versions' && <Problems problems={problems} onLine={toLine} />}
      {tab === 'settings' &&
        (kind === 'client' ? (
          <Beside>
            <ConfigForm kind={kind} text={text} onChange={edit} problems={problems} onOpenText={() => change({ tab: 'text' })} />
            <Overview client={client} used={used} />
          </Beside>
        ) : (
          <ConfigForm kind={kind} text={text} onChange={edit} problems={problems} onOpenText={() => change({ tab: 'text' })} />
        ))}
      {tab === 'text' && (
        <Suspense fallback={<TextSkeleton lines={16} lineHeight={20} />}>
          <YamlEditor text={text} onChange={edit} problems={problems} label={`Configuration of ${title}`} goTo={goTo} />
        </Suspense>
      )}
      {tab === 'versions' && (
        <Versions
          client={client}
          kind={kind}
          newest={newest}
          isDirty={isDirty}
          onRollBack={(yaml, comment) => save(yaml, comment)}
        />
      )}
      {dialog === 'save' && (
        <SaveDialog
          title={`Save as version ${newest.version + 1}`}
          before={newest.yaml}
          after={text}
          saveText="Save"
          onClose={() => setDialog(undefined)}
          onSave={async (comment) => {
            if (await save(text, comment)) setDialog(undefined);
          }}
        />
      )}
      {dialog === 'download' && (
        <DownloadDialog
          client={client}
          kind={kind}
          version={newest.version}
          isDirty={isDirty}
          onClose={() => setDialog(undefined)}
        />
      )}
      <UnsavedDialog {...guard.dialog} />
    </>
  );
}

function usedIn(text: string): string[] {
  const document = readYaml(text);
  const value = document && valueAt(document, [], 'collectors');
  return Array.isArray(value) ? value.map(String) : [];
}
