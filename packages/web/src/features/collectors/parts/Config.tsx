/** Form, text and versions of one configuration; edits are a draft until saved as the next version. */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import { type CollectorConfig, type ConfigKind, collectorsApi } from '@parapet/contract/collectors.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, Suspense, useState } from 'react';
import { DownloadRounded } from '../../../kit/icons/DownloadRounded.tsx';
import { lazyPanel } from '../../../kit/LazyPanel.tsx';
import { Note } from '../../../kit/Note.tsx';
import { counted } from '../../../kit/numbers.ts';
import { PageHeader } from '../../../kit/PageHeader.tsx';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import { TextSkeleton } from '../../../kit/Skeletons.tsx';
import { UnsavedDialog } from '../../../kit/UnsavedDialog.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { oneIn, useSearchState } from '../../../lib/address.ts';
import { paths } from '../../../lib/paths.ts';
import { useScope } from '../../../lib/scope.ts';
import { TabLinks } from '../../../lib/TabLinks.tsx';
import { useApiMutation } from '../../../lib/useApiMutation.ts';
import { useLeaveGuard } from '../../../lib/useLeaveGuard.ts';
import { usePaused } from '../../../lib/usePaused.ts';
import { checkQuery, configQuery, versionsQuery } from '../collectors.queries.ts';
import { kindTexts } from '../kinds.ts';
import { readYaml, valueAt } from '../yamlText.ts';
import { ConfigForm } from './ConfigForm.tsx';
import { DownloadDialog } from './DownloadDialog.tsx';
import { Overview } from './Overview.tsx';
import { Problems } from './Problems.tsx';
import { SaveDialog } from './SaveDialog.tsx';
import { Versions } from './Versions.tsx';

const YamlEditor = lazyPanel('the editor', () => import('./YamlEditor.tsx').then((module) => module.YamlEditor));

const tabs = ['settings', 'text', 'versions'] as const;
const tabTitles = { settings: 'Settings', text: 'Text', versions: 'Versions' } as const;

const Beside = styled('div')({
  display: 'grid',
  gap: 16,
  alignItems: 'start',
  '& > *': { minWidth: 0 },
  '@media (min-width: 1200px)': { gridTemplateColumns: 'minmax(0, 1fr) 380px' },
});
const Notes = styled('div')({ display: 'grid', gap: 8, marginBottom: 16, '&:empty': { display: 'none' } });

/** The draft of one configuration: form, text and versions. */
export function Config({ client, kind, newest }: { client: number; kind: ConfigKind; newest: CollectorConfig }) {
  const { search, change } = useSearchState();
  const tab = oneIn(search.tab, tabs, 'settings');
  const { title } = kindTexts[kind];
  const [dialog, setDialog] = useState<'save' | 'download'>();
  const [goTo, setGoTo] = useState<{ line: number }>();
  const { text, base, isDirty, isBehind, setDraft, save } = useDraft(client, kind, newest);
  const { checked, problems, isChecked } = useChecked(client, kind, newest, text);
  const errors = problems.filter(({ isError }) => isError).length;
  const guard = useLeaveGuard(isDirty);
  const edit = (next: string) => setDraft({ text: next, base });
  const toLine = (line: number) => {
    change({ tab: 'text', version: undefined, against: undefined });
    setGoTo({ line });
  };

  return (
    <>
      <PageHeader
        title={title}
        purpose={<Purpose kind={kind} newest={newest} />}
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
          <NewerVersion
            newest={newest}
            base={base}
            onDiscard={() => setDraft(undefined)}
            onKeep={() => setDraft({ text, base: newest })}
          />
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
      {tab === 'settings' && (
        <Settings client={client} kind={kind} text={text}>
          <ConfigForm kind={kind} text={text} onChange={edit} problems={problems} onOpenText={() => change({ tab: 'text' })} />
        </Settings>
      )}
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

/** The edited text with the version it is based on, and its saving as the next version. */
function useDraft(client: number, kind: ConfigKind, newest: CollectorConfig) {
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
  const [draft, setDraft] = useState<{ text: string; base: CollectorConfig }>();
  const isDirty = draft !== undefined && draft.text !== newest.yaml;
  const text = draft?.text ?? newest.yaml;
  const base = draft?.base ?? newest;
  const isBehind = isDirty && base.version !== newest.version;

  const save = async (yaml: string, comment: string): Promise<boolean> => {
    try {
      await saveConfig.mutateAsync({ params: { client, kind }, body: { yaml, comment, version: newest.version } });
      return true;
    } catch {
      void queries.invalidateQueries({ queryKey: [collectorsApi.get.id] });
      return false;
    }
  };
  return { text, base, isDirty, isBehind, setDraft, save };
}

/** Problems of the text, found by the server once typing pauses. */
function useChecked(client: number, kind: ConfigKind, newest: CollectorConfig, text: string) {
  const checkedText = usePaused(text);
  const checked = useQuery({ ...checkQuery(client, kind, checkedText), enabled: checkedText !== newest.yaml });
  const problems = (text === newest.yaml ? newest.problems : checked.data?.problems) ?? [];
  const isChecked = text === newest.yaml || (checkedText === text && checked.data !== undefined && !checked.isPlaceholderData);
  return { checked, problems, isChecked };
}

function Purpose({ kind, newest }: { kind: ConfigKind; newest: CollectorConfig }) {
  const { timeZone, clientName } = useScope();
  return (
    <>
      {kindTexts[kind].purpose}
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
  );
}

interface NewerProps {
  newest: CollectorConfig;
  base: CollectorConfig;
  onDiscard: () => void;
  onKeep: () => void;
}

/** Warns of a newer version by another user. */
function NewerVersion({ newest, base, onDiscard, onKeep }: NewerProps) {
  return (
    <Note
      tone="warning"
      role="alert"
      actions={
        <>
          <Button size="small" onClick={onDiscard}>
            Discard my changes
          </Button>
          <Button size="small" variant="outlined" onClick={onKeep}>
            Keep my changes
          </Button>
        </>
      }
    >
      <VisibleText text={newest.savedBy || 'Another user'} /> saved version {newest.version} while you were editing{' '}
      {base.version === 0 ? 'the standard configuration' : `version ${base.version}`}. If you keep your changes, saving shows the
      differences.
    </Note>
  );
}

/** The form; for Beats with an overview of the collectors in use beside it. */
function Settings({ client, kind, text, children }: { client: number; kind: ConfigKind; text: string; children: ReactNode }) {
  if (kind !== 'client') return children;
  return (
    <Beside>
      {children}
      <Overview client={client} used={usedIn(text)} />
    </Beside>
  );
}

function usedIn(text: string): string[] {
  const document = readYaml(text);
  const value = document && valueAt(document, [], 'collectors');
  return Array.isArray(value) ? value.map(String) : [];
}
