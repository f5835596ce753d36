import type { ReactNode } from 'react';
import { Icon, type IconName } from './icon.tsx';
import type { Tone } from './tag.tsx';
import './notice.css';

const icons: Readonly<Record<Exclude<Tone, 'neutral'>, IconName>> = {
  info: 'info',
  good: 'success',
  warn: 'warning',
  bad: 'error',
};

interface NoticeProps {
  readonly tone?: Exclude<Tone, 'neutral'>;
  /** `alert`: read out at once; `status`: when the screen reader is idle. Default: neither. */
  readonly role?: 'alert' | 'status';
  readonly children: ReactNode;
}

/** Information that stands out from the text of a page. */
export const Notice = ({ tone = 'info', role, children }: NoticeProps) => (
  <div className={`notice ${tone}`} role={role}>
    <Icon icon={icons[tone]} />
    <div>{children}</div>
  </div>
);
