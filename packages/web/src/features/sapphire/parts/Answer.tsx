/** Answer with text, table, file, sources and follow-ups. Content is rendered as text; links only lead to pages of the portal. */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import type { SapphireAnswer } from '@parapet/contract/sapphire.ts';
import { palette } from '../../../kit/palette.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { linkOf, useBrand } from '../../../lib/brand.ts';
import { paths } from '../../../lib/paths.ts';
import type { Conversation } from '../conversation.ts';
import { ownPath } from '../ownPath.ts';
import type { Entry } from '../storedConversation.ts';
import { AnswerChart } from './AnswerChart.tsx';
import { AnswerTable } from './AnswerTable.tsx';
import { DataFile } from './DataFile.tsx';
import { Thumbs } from './Thumbs.tsx';

const Sources = styled('div')({
  fontSize: 12,
  lineHeight: '16px',
  '& > span': { color: palette.text.secondary, fontWeight: 600 },
  '& ul': { margin: '4px 0 0', padding: '0 0 0 18px', listStyle: 'disc' },
  '& li': { padding: '4px 0' },
  '& a': { color: palette.primary.main },
});
const Choices = styled('div')({
  display: 'flex',
  flexWrap: 'wrap',
  gap: 6,
  '& > p': { width: '100%', margin: 0, fontSize: 12, lineHeight: '16px', fontWeight: 600, color: palette.text.secondary },
  '& button': { textAlign: 'start', fontWeight: 500, overflowWrap: 'anywhere' },
  // The options of a clarifying question, of which one is needed.
  '&[data-kind=question] button': { width: '100%', justifyContent: 'flex-start', minHeight: 36 },
});
const choicesLabels: Partial<Record<SapphireAnswer['kind'], string>> = {
  question: 'Choose one',
  unknown: 'Questions with an answer',
};

/** Replaces replies with the chat-link marker (spec §8). Only the portal’s templates set that kind. */
export const supportText = 'A person can help you with this. Please contact live support.';

function Support() {
  const { contact, name } = useBrand();
  const link = linkOf(contact);
  return (
    <>
      <p className="text">{supportText}</p>
      <div>
        {link ? (
          <Button variant="outlined" size="small" href={link}>
            Contact {name}
          </Button>
        ) : (
          <Button variant="outlined" size="small" component={AppLink} href={paths.faq()}>
            Contact options
          </Button>
        )}
      </div>
    </>
  );
}

/** The first line of an answer states what was understood and the figure. */
function AnswerText({ text, hasLead }: { text: string; hasLead: boolean }) {
  const [lead = '', ...lines] = hasLead ? text.split('\n') : ['', text];
  const rest = lines.join('\n').trim();
  return (
    <>
      {lead && (
        <p className="text lead">
          <VisibleText text={lead} />
        </p>
      )}
      {rest && (
        <p className="text">
          <VisibleText text={rest} keepLines />
        </p>
      )}
    </>
  );
}

function ChoiceButtons({
  kind,
  choices,
  onChoose,
}: Pick<SapphireAnswer, 'kind' | 'choices'> & { onChoose: (choice: string) => void }) {
  const label = choicesLabels[kind];
  return (
    <Choices role="group" aria-label={label ?? 'Follow-up questions'} data-kind={kind}>
      {label && <p>{label}</p>}
      {choices.map((choice) => (
        <Button key={choice} size="small" variant="outlined" onClick={() => onChoose(choice)}>
          <VisibleText text={choice} />
        </Button>
      ))}
    </Choices>
  );
}

interface Props {
  entry: Entry;
  conversation: Conversation;
  /** Set for the latest answer only. */
  onChoose?: ((choice: string) => void) | undefined;
  onGo: () => void;
}

export function Answer({ entry, conversation, onChoose, onGo }: Props) {
  const { answer, text, userFile } = entry;
  const sources = (answer?.sources ?? []).flatMap(({ text, path }) => {
    const href = ownPath(path);
    return href ? [{ text, href }] : [];
  });
  return (
    <>
      {answer?.kind === 'support' ? <Support /> : <AnswerText text={text} hasLead={answer?.kind === 'answer'} />}
      {answer?.chart && <AnswerChart {...answer.chart} />}
      {answer?.table && <AnswerTable label="Rows of this answer" {...answer.table} onGo={onGo} />}
      {userFile && <DataFile {...userFile} />}
      {onChoose && answer && answer.choices.length > 0 && <ChoiceButtons {...answer} onChoose={onChoose} />}
      {sources.length > 0 && (
        <Sources>
          <span>Sources</span>
          <ul aria-label="Sources">
            {sources.map(({ text, href }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the sources of one answer never change.
              <li key={index}>
                <AppLink href={href} onClick={onGo}>
                  <VisibleText text={text} />
                </AppLink>
              </li>
            ))}
          </ul>
        </Sources>
      )}
      {answer?.understood && !text.toLowerCase().includes(answer.understood.toLowerCase()) && (
        <p className="quiet">
          Understood as: <VisibleText text={answer.understood} />
        </p>
      )}
      {answer?.writtenBy === 'model' && (
        <p className="quiet">Question read by a language model; the figures are the portal’s own.</p>
      )}
      {answer && <Thumbs entry={entry} conversation={conversation} />}
    </>
  );
}
