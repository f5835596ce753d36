import type { ReactNode } from 'react';
import { Icon, type IconName } from './icon.tsx';
import './tag.css';

export type Tone = 'neutral' | 'info' | 'good' | 'warn' | 'bad';

/** Colour is never the only sign: each tone has its icon. */
const icons: Readonly<Record<Tone, IconName | undefined>> = {
  neutral: undefined,
  info: 'clock',
  good: 'success',
  warn: 'warning',
  bad: 'failed',
};

/** A short status, such as "Paid". */
export const Tag = ({ tone = 'neutral', children }: { readonly tone?: Tone; readonly children: ReactNode }) => {
  const icon = icons[tone];
  return (
    <span className={`tag ${tone}`}>
      {icon ? <Icon name={icon} /> : null}
      {children}
    </span>
  );
};
