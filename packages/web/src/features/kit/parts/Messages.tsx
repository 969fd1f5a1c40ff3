/** Loading, empty, failed; remarks; toasts. */
import Button from '@mui/material/Button';
import { Note } from '../../../kit/Note.tsx';
import { Panel } from '../../../kit/Panel.tsx';
import { RowsSkeleton, TextSkeleton } from '../../../kit/Skeletons.tsx';
import { EmptyState, FailedLine, FailedState } from '../../../kit/States.tsx';
import { toast } from '../../../lib/toast.ts';
import { hostile } from './hostile.ts';
import { States } from './States.tsx';

const failure = new Error('Too many requests. Please try again in 12 s.');
const retry = () => toast.info('Tried again');

export function Messages() {
  return (
    <States
      of={{
        'Loading, text': <TextSkeleton />,
        'Loading, rows': (
          <RowsSkeleton
            columns={[
              { id: 'a', flex: 1 },
              { id: 'b', width: 80, align: 'right' },
            ]}
            rows={4}
            rowHeight={44}
          />
        ),
        Empty: (
          <Panel title="A panel">
            <EmptyState
              title="No items yet"
              text="Items appear here automatically."
              actions={<Button size="small">Do something</Button>}
            />
          </Panel>
        ),
        Failed: (
          <Panel title="A panel that failed" end={<a href="#states">All 12</a>}>
            <FailedState what="items" error={failure} onRetry={retry} />
          </Panel>
        ),
        'Failed, for a reason unknown': <FailedLine what="figure" error={undefined} onRetry={retry} />,
        'A remark': <Note>Your role sees its own account only.</Note>,
        'A warning': (
          <Note tone="warning" actions={<Button size="small">Do it</Button>}>
            {hostile[0]}
          </Note>
        ),
        Toasts: (
          <>
            {(['success', 'info', 'warning', 'error'] as const).map((tone) => (
              <Button
                key={tone}
                size="small"
                onClick={() => toast[tone](`A ${tone} message`, tone === 'success' ? 'user' : 'other')}
              >
                {tone}
              </Button>
            ))}
          </>
        ),
      }}
    />
  );
}
