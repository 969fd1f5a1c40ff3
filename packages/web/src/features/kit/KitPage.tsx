/**
 * The page of the kit (/apps/kit), in development only: every part in every state, on one page, so that a screen is made of what is there
 * and a change to a part is seen in all its states. Light or dark is switched in Settings or by the system.
 */
import { styled } from '@mui/material/styles';
import type { ReactNode } from 'react';
import { PageHeader } from '../../kit/PageHeader.tsx';
import { useTitle } from '../../lib/title.ts';
import { Charts } from './parts/Charts.tsx';
import { Forms } from './parts/Forms.tsx';
import { Messages } from './parts/Messages.tsx';
import { Tables } from './parts/Tables.tsx';
import { Texts } from './parts/Texts.tsx';
import { Viewers } from './parts/Viewers.tsx';

const Section = styled('section')({
  margin: '0 0 40px',
  '& > h2': { margin: '0 0 12px', fontSize: 20, lineHeight: '28px', fontWeight: 600 },
});
const Contents = styled('nav')({ display: 'flex', flexWrap: 'wrap', gap: '4px 16px', marginBottom: 24, fontSize: 14 });

const sections: [id: string, title: string, content: ReactNode][] = [
  ['figures', 'Figures and charts', <Charts key="charts" />],
  ['tables', 'Lists', <Tables key="tables" />],
  ['viewers', 'Events, code, timelines', <Viewers key="viewers" />],
  ['forms', 'Forms and dialogs', <Forms key="forms" />],
  ['states', 'States and messages', <Messages key="messages" />],
  ['texts', 'Words, times and numbers', <Texts key="texts" />],
];

export function KitPage() {
  useTitle('The kit');
  return (
    <>
      <PageHeader title="The kit" purpose="Every part in every state, for those who build screens" />
      <Contents aria-label="Parts">
        {sections.map(([id, title]) => (
          <a key={id} href={`#${id}`} style={{ color: 'inherit' }}>
            {title}
          </a>
        ))}
      </Contents>
      {sections.map(([id, title, content]) => (
        <Section key={id} id={id} aria-labelledby={`${id}-title`}>
          <h2 id={`${id}-title`}>{title}</h2>
          {content}
        </Section>
      ))}
    </>
  );
}
