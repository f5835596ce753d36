import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useId } from 'react';
import { Button } from './button.tsx';
import { errorMessage } from './error-message.ts';

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
      <Content resource={resource} empty={empty} title={title}>
        {children}
      </Content>
    </section>
  );
};

const Content = <T,>({
  resource,
  children,
  empty,
  title,
}: Omit<CardProps<T>, 'className'> & { readonly empty: string }) => {
  if (resource.isPending)
    return (
      <div className="skeleton">
        <span className="visually-hidden">Loading …</span>
        <span aria-hidden="true" />
        <span aria-hidden="true" />
        <span aria-hidden="true" />
      </div>
    );
  const failed = resource.isError ? <Failed resource={resource} title={title} /> : null;
  if (resource.data === undefined) return failed;
  // The last value stays, with the member's edits.
  return (
    <>
      {children(resource.data) ?? <p className="empty">{empty}</p>}
      {failed}
    </>
  );
};

const Failed = ({ resource, title }: { readonly resource: UseQueryResult; readonly title: string }) => (
  <div role="alert" className="failed">
    <p>{errorMessage(resource.error)}</p>
    <Button look="quiet" disabled={resource.isFetching} onClick={() => void resource.refetch()}>
      Try again<span className="visually-hidden">: {title}</span>
    </Button>
  </div>
);
