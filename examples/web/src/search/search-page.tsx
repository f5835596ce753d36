import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useMemo, useState } from 'react';
import { useCaller } from '../api/context.ts';
import { Button } from '../design/button.tsx';
import { usePageHeading } from '../design/page-heading.tsx';
import { ErrorBoundary } from '../errors/error-boundary.tsx';
import { ErrorText } from '../errors/error-text.tsx';
import { useConfig } from '../config.ts';
import { useSession } from '../session/session-state.ts';
import { networkResults } from './network-results.ts';
import { Networks } from './networks.tsx';
import { Offers } from './offers.tsx';
import { useSearch } from './use-search.ts';

export const SearchPage = () => {
  const { personas } = useConfig();
  const heading = usePageHeading('Search');
  const call = useCaller();
  const { userId } = useSession();
  const [persona, setPersona] = useState(personas?.[0] ?? 'member');
  const [query, setQuery] = useState('');
  const [searches, setSearches] = useState(0);
  const { phase, settled, arrived, error, search } = useSearch();
  const legs = useQuery({
    queryKey: ['legs'],
    queryFn: ({ signal }) => call((portico) => portico.listLegs(signal)),
  });

  const networks = useMemo(() => {
    const labels = new Map((legs.data ?? []).map(({ id, label }) => [id, label]));
    return networkResults(settled, arrived, labels);
  }, [settled, arrived, legs.data]);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    setSearches(searches + 1);
    search({ persona, query: query.trim(), user_id: userId });
  };
  // Settled legs in the order in which they settled, then pending ones.
  const waiting = (legs.data ?? []).filter(({ id }) => !settled.some(({ leg }) => leg === id));
  const delivered = settled.filter(({ result }) => (result ?? null) !== null).length;
  return (
    <>
      <h1 ref={heading} tabIndex={-1}>
        Search
      </h1>
      <search>
        <form className="search" onSubmit={submit}>
          <label className="field">
            <span>Search as</span>
            {personas ? (
              <select value={persona} onChange={({ target }) => setPersona(target.value)}>
                {personas.map((name) => (
                  <option key={name}>{name}</option>
                ))}
              </select>
            ) : (
              <input required maxLength={64} value={persona} onChange={({ target }) => setPersona(target.value)} />
            )}
          </label>
          <label className="field grow">
            <span>What are you looking for?</span>
            <input
              type="search"
              required
              maxLength={256}
              pattern=".*\S.*"
              title="Enter at least one word"
              placeholder="health"
              value={query}
              onChange={({ target }) => setQuery(target.value)}
            />
          </label>
          <Button type="submit">Search</Button>
        </form>
      </search>
      <output className={phase === 'searching' ? 'fine' : 'visually-hidden'}>
        {phase === 'searching'
          ? `Searching; ${delivered} of ${settled.length + waiting.length} networks responded.`
          : ''}
        {phase === 'done' ? `${delivered} of ${settled.length} networks responded.` : ''}
      </output>
      {phase === 'failed' ? (
        <p role="alert" className="error">
          The search was interrupted. <ErrorText error={error} />
        </p>
      ) : null}
      {phase === 'idle' ? (
        <p className="empty">A search queries all networks at once. Results appear as they arrive.</p>
      ) : null}
      {phase === 'idle' ? null : (
        <ErrorBoundary value={networks} fallback={<p className="error">These results cannot be shown.</p>}>
          <div className="stack">
            <Networks settled={settled} waiting={phase === 'searching' ? waiting : []} arrived={arrived} />
            <Offers key={searches} networks={networks} isPending={phase === 'searching'} />
          </div>
        </ErrorBoundary>
      )}
    </>
  );
};
