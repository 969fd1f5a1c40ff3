/** Answer with text, table, file, sources and follow-ups. Content is rendered as text; links only lead to pages of the portal. */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import { palette } from '../../../kit/palette.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { linkOf, useBrand } from '../../../lib/brand.ts';
import { paths } from '../../../lib/paths.ts';
import type { Conversation } from '../conversation.ts';
import type { Entry } from '../kept.ts';
import { ownPath } from '../ownPath.ts';
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
const Choices = styled('div')({ display: 'flex', flexWrap: 'wrap', gap: 6 });

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
      {answer?.kind === 'support' ? (
        <Support />
      ) : (
        <p className="text">
          <VisibleText text={text} keepLines />
        </p>
      )}
      {answer?.table && <AnswerTable label="Rows of this answer" {...answer.table} onGo={onGo} />}
      {userFile && <DataFile {...userFile} />}
      {onChoose && answer && answer.choices.length > 0 && (
        <Choices role="group" aria-label="Follow-up questions">
          {answer.choices.map((choice) => (
            <Button
              key={choice}
              size="small"
              variant="outlined"
              onClick={() => onChoose(choice)}
              sx={{ textAlign: 'start', fontWeight: 500, overflowWrap: 'anywhere' }}
            >
              <VisibleText text={choice} />
            </Button>
          ))}
        </Choices>
      )}
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
      {answer?.understood && (
        <p className="quiet">
          Understood as: <VisibleText text={answer.understood} />
        </p>
      )}
      {answer?.writtenBy === 'model' && <p className="quiet">Worded by a language model; its figures are the portal’s own.</p>}
      {answer && <Thumbs entry={entry} conversation={conversation} />}
    </>
  );
}
