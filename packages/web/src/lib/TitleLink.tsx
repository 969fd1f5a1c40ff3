/** The title of a row, which leads to what it names. */
import { AppLink, type AppLinkProps } from './AppLink.tsx';

/** `isSeen`: lighter, as in a mailbox. */
export const TitleLink = ({ isSeen = false, ...rest }: Omit<AppLinkProps, 'className'> & { isSeen?: boolean }) => (
  <AppLink className="title-link" data-seen={isSeen || undefined} {...rest} />
);
