import { useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useMemo, useState } from 'react';
import { useSearchParams } from 'react-router';
import { useCaller } from '../api/context.ts';
import { useConfig } from '../config.ts';
import { Button } from '../design/button.tsx';
import { Panel } from '../design/card.tsx';
import { focusHeading } from '../design/focus.ts';
import { PageHeading } from '../design/page-heading.tsx';
import { ErrorBoundary } from '../errors/error-boundary.tsx';
import { ErrorText } from '../errors/error-text.tsx';
import { useSession } from '../session/session-state.ts';
import { useTexts } from '../texts/texts.tsx';
import { offersIn } from './offers/arrived-offers.ts';
import { NetworkLines } from './network-lines.tsx';
import { describeSearch, hasResult } from './network-state.ts';
import { Offers } from './offers/offers.tsx';
import { SearchForm } from './search-form.tsx';
import { paramsOfSearch, viewOf } from './search-url.ts';
import { useSearch } from './use-search.ts';
import './search.css';

/** Searches what the URL names: after a submission, a reload, a step back, or from a link. */
export const SearchPage = () => {
  const texts = useTexts().search;
  const call = useCaller();
  const [params, setParams] = useSearchParams();
  const { personas } = useConfig();
  const { query, persona } = viewOf(params, personas);
  const state = useUrlSearch(query, persona);
  const legs = useQuery({
    queryKey: ['legs'],
    queryFn: ({ signal }) => call((portico) => portico.listLegs(signal)),
  });
  const submit = (text: string, as: string | undefined) => {
    // With the same URL nothing would change.
    if (text === query && (as ?? persona) === persona) state.searchAgain();
    else setParams(paramsOfSearch(params, text, as));
  };
  const { phase } = state;
  return (
    <>
      <PageHeading title={texts.title} lead={texts.lead} />
      <SearchForm
        query={query}
        persona={persona}
        personas={personas ?? []}
        onSubmit={submit}
        {...(phase === 'searching' && { onCancel: state.cancel })}
      />
      <ErrorBoundary value={state.results} fallback={<p className="error">{texts.cannotBeShown}</p>}>
        <Results state={state} legs={legs.isError ? noLegs : legs.data} />
      </ErrorBoundary>
    </>
  );
};

type Legs = readonly { readonly id: string; readonly label: string }[];

const noLegs: Legs = [];

/** Runs the search that the URL names, once for each change. */
const useUrlSearch = (query: string, persona: string) => {
  const { userId } = useSession();
  const { search, reset, ...state } = useSearch();
  const [attempt, setAttempt] = useState(0);
  const request = useMemo(() => ({ query, persona, attempt }), [query, persona, attempt]);
  // Not repeated when the credentials are renewed.
  const run = useEffectEvent((wanted: typeof request) => {
    if (wanted.query === '') reset();
    else search({ persona: wanted.persona, query: wanted.query, user_id: userId });
  });
  useEffect(() => run(request), [request]);
  // The search begins after the first frame.
  const phase = state.phase === 'idle' && query !== '' ? 'searching' : state.phase;
  return { ...state, phase, request, searchAgain: () => setAttempt(attempt + 1) };
};

interface ResultsProps {
  readonly state: ReturnType<typeof useUrlSearch>;
  /** Undefined until they are known. */
  readonly legs: Legs | undefined;
}

const Results = ({ state, legs: listed }: ResultsProps) => {
  const texts = useTexts().search;
  const { phase, settled, arrived, results, error } = state;
  const legs = listed ?? noLegs;
  const offers = useMemo(() => offersIn(results, new Map(legs.map(({ id, label }) => [id, label]))), [results, legs]);
  const waiting = legs.filter(({ id }) => !settled.some(({ leg }) => leg === id)).length;
  return (
    <>
      <output className="search-status">
        {describeSearch({ phase, settled, waiting, offers: offers.length }, texts.status)}
      </output>
      {phase === 'failed' ? (
        <div role="alert" className="failed">
          <p className="error">
            {texts.status.interrupted} <ErrorText error={error} />
          </p>
          <Button
            look="quiet"
            onClick={() => {
              // The button disappears.
              focusHeading();
              state.searchAgain();
            }}
          >
            {texts.again}
          </Button>
        </div>
      ) : null}
      <div className="results">
        <NetworkLines legs={listed} settled={settled} arrived={arrived} phase={phase} />
        {phase === 'idle' ? (
          <Panel title={texts.offers.title}>
            <p className="empty">{texts.idle}</p>
          </Panel>
        ) : (
          <Offers
            key={JSON.stringify(state.request)}
            offers={offers}
            legs={legs}
            isPending={phase === 'searching'}
            isComplete={phase === 'done' && settled.some(hasResult)}
          />
        )}
      </div>
    </>
  );
};
