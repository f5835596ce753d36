import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useId } from 'react';
import { Button } from './button.tsx';
import { ErrorBoundary } from './error-boundary.tsx';
import { ErrorText } from './error-text.tsx';

interface CardProps<T> {
  readonly title: string;
  readonly resource: UseQueryResult<T>;
  /** Renders the value; `undefined` if there is nothing to show. */
  readonly children: (data: T) => ReactNode;
  readonly empty?: string;
  readonly className?: string;
}

/** A resource in a card: loading, shown, empty, or failed with a button to try again. */
export const Card = <T,>({ title, resource, children, empty = 'Nothing here yet.', className = '' }: CardProps<T>) => {
  const heading = useId();
  return (
    <section className={`card ${className}`.trim()} aria-labelledby={heading} aria-busy={resource.isPending}>
      <h2 id={heading}>{title}</h2>
      <ResourceContent resource={resource} empty={<p className="empty">{empty}</p>} title={title}>
        {children}
      </ResourceContent>
    </section>
  );
};

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

const Skeleton = () => (
  <div className="skeleton">
    <span className="visually-hidden">Loading …</span>
    <span aria-hidden="true" />
    <span aria-hidden="true" />
    <span aria-hidden="true" />
  </div>
);

/** A component, so that an error of `children` reaches the boundary. */
const Shown = <T,>({
  data,
  children,
  empty,
}: Pick<ResourceContentProps<T>, 'children' | 'empty'> & { readonly data: T }) => children(data) ?? empty;

const Failed = ({ resource, title }: { readonly resource: UseQueryResult; readonly title: string }) => (
  <div role="alert" className="failed">
    <p>{resource.isError ? <ErrorText error={resource.error} /> : 'This cannot be shown.'}</p>
    <Button look="quiet" disabled={resource.isFetching} onClick={() => void resource.refetch()}>
      Try again<span className="visually-hidden">: {title}</span>
    </Button>
  </div>
);
