/** Icons as one element with a class of `plain.styles.ts`: MUI’s SvgIcon renders six components for each. With `sx` or `color` it stays MUI’s. */
import SvgIcon, { type SvgIconProps } from '@mui/material/SvgIcon';
import type { ReactNode, SVGProps } from 'react';

type IconProps = Pick<SvgIconProps, 'sx' | 'color' | 'titleAccess'> &
  Omit<SVGProps<SVGSVGElement>, 'color' | 'fontSize' | 'children'> & { fontSize?: 'small' };

export function createIcon(path: ReactNode, name: string) {
  function Icon({ sx, color, fontSize, titleAccess, className = '', ...rest }: IconProps) {
    if (sx !== undefined || color !== undefined)
      return <SvgIcon {...({ sx, color, fontSize, titleAccess, className, ...rest } as SvgIconProps)}>{path}</SvgIcon>;
    return (
      // biome-ignore lint/a11y/noSvgWithoutTitle: named by `titleAccess`, or hidden.
      <svg
        className={`icon ${fontSize ?? ''} ${className}`}
        viewBox="0 0 24 24"
        focusable="false"
        aria-hidden={titleAccess === undefined ? true : undefined}
        role={titleAccess === undefined ? undefined : 'img'}
        {...rest}
      >
        {path}
        {titleAccess !== undefined && <title>{titleAccess}</title>}
      </svg>
    );
  }
  Icon.displayName = name;
  return Icon;
}
