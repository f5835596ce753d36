import type { ReactNode } from 'react';
import { Icon } from '../icon.tsx';
import './timeline.css';

export interface TimelineStep {
  readonly title: string;
  /** When it happened, readable; `undefined` if it has not happened yet. */
  readonly at?: string | undefined;
  readonly state: 'done' | 'current' | 'failed' | 'upcoming';
  readonly details?: ReactNode;
}

const icons = { done: 'success', current: 'clock', failed: 'failed', upcoming: undefined } as const;

/** Steps in their order in time. */
export const Timeline = ({ steps }: { readonly steps: readonly TimelineStep[] }) => (
  <ol className="timeline">
    {steps.map(({ title, at, state, details }) => {
      const icon = icons[state];
      return (
        <li key={title + (at ?? '')} className={state} aria-current={state === 'current' ? 'step' : undefined}>
          <span className="mark">{icon ? <Icon icon={icon} /> : null}</span>
          <div>
            <strong>{title}</strong>
            {at === undefined ? null : <span className="fine">{at}</span>}
            {details}
          </div>
        </li>
      );
    })}
  </ol>
);
