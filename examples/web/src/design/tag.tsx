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

interface TagProps {
  readonly tone?: Tone;
  /** Default: that of the tone. `null`: none. */
  readonly icon?: IconName | null;
  readonly children: ReactNode;
}

/** A short status, such as "Paid". */
export const Tag = ({ tone = 'neutral', icon = icons[tone] ?? null, children }: TagProps) => (
  <span className={`tag ${tone}`}>
    {icon ? <Icon icon={icon} /> : null}
    {children}
  </span>
);
