import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useId } from 'react';
import { ErrorBoundary } from '../errors/error-boundary.tsx';
import { ErrorText } from '../errors/error-text.tsx';
import { useTexts } from '../texts/texts.tsx';
import { Button } from './button.tsx';
import { focusPlace } from './focus.ts';
import { Icon, type IconLook } from './icon.tsx';
import { Skeleton } from './skeleton.tsx';
import './card.css';

interface PanelProps {
  readonly title: string;
  readonly icon?: IconLook;
  /** Beside the title, such as a link to all entries. */
  readonly action?: ReactNode;
  /** `wide` takes a whole row. An area sets `--usual-height` for its own class. */
  readonly className?: string;
  readonly isBusy?: boolean;
  readonly children: ReactNode;
}

/** A titled part of a page. */
export const Panel = ({ title, icon, action, className = '', isBusy = false, children }: PanelProps) => {
  const heading = useId();
  return (
    <section className={`card ${className}`.trim()} aria-labelledby={heading} aria-busy={isBusy}>
      <div className="card-head">
        {icon ? <Icon icon={icon} /> : null}
        <h2 id={heading}>{title}</h2>
        {action}
      </div>
      {children}
    </section>
  );
};

interface CardProps<T> extends Omit<PanelProps, 'children' | 'isBusy'> {
  readonly resource: UseQueryResult<T>;
  /** Renders the value; `undefined` if there is nothing to show. */
  readonly children: (data: T) => ReactNode;
  /** Needed if `children` may return `undefined`. */
  readonly empty?: string;
}

/** A resource in a panel: loading, shown, empty, or failed with a button to try again. */
export const Card = <T,>({ resource, children, empty, ...panel }: CardProps<T>) => (
  <Panel {...panel} isBusy={resource.isPending}>
    <ResourceContent
      resource={resource}
      empty={empty === undefined ? null : <p className="empty">{empty}</p>}
      title={panel.title}
    >
      {children}
    </ResourceContent>
  </Panel>
);

interface ResourceContentProps<T> extends Pick<CardProps<T>, 'title' | 'resource' | 'children'> {
  readonly empty: ReactNode;
}

/** A value that cannot be rendered counts as failed. */
export const ResourceContent = <T,>({ resource, children, empty, title }: ResourceContentProps<T>) => {
  if (resource.isPending) return <Skeleton />;
  const failed = resource.isError ? <Failed resource={resource} title={title} /> : null;
  if (resource.data === undefined) return failed;
  // The last value stays, with the member's edits.
  return (
    <>
      <ErrorBoundary value={resource.data} fallback={failed ?? <Failed resource={resource} title={title} />}>
        <Shown data={resource.data} empty={empty}>
          {children}
        </Shown>
      </ErrorBoundary>
      {failed}
    </>
  );
};

/** A component, so that an error of `children` reaches the boundary. */
const Shown = <T,>({
  data,
  children,
  empty,
}: Pick<ResourceContentProps<T>, 'children' | 'empty'> & { readonly data: T }) => children(data) ?? empty;

const Failed = ({ resource, title }: { readonly resource: UseQueryResult; readonly title: string }) => {
  const { errors } = useTexts();
  return (
    <div role="alert" className="failed">
      <p>{resource.isError ? <ErrorText error={resource.error} /> : errors.cannotBeShown}</p>
      <Button
        look="quiet"
        disabled={resource.isFetching}
        onClick={({ currentTarget }) => {
          // The button disappears.
          focusPlace(currentTarget.closest('section, main'));
          void resource.refetch();
        }}
      >
        <Icon icon="retry" />
        <span>
          {errors.tryAgain}
          <span className="visually-hidden">: {title}</span>
        </span>
      </Button>
    </div>
  );
};
