import { filterOffers, type Offer, type OfferOrder, offerOrders, searchLengths, sortOffers } from '@portico/core';
import { useDeferredValue, useEffect, useEffectEvent, useMemo, useState } from 'react';
import { flushSync } from 'react-dom';
import { useSearchParams } from 'react-router';
import { Button } from '../../design/button.tsx';
import { Panel } from '../../design/card.tsx';
import { focusPlace } from '../../design/focus.ts';
import { Field, Select } from '../../design/forms/field.tsx';
import { Skeleton } from '../../design/skeleton.tsx';
import { useTexts } from '../../texts/texts.tsx';
import { OfferRows } from './offer-rows.tsx';
import { paramsWith, type SearchView, viewOf } from '../search-url.ts';

const pageSize = 50;

interface OffersProps {
  readonly offers: readonly Offer[];
  readonly legs: readonly { readonly id: string; readonly label: string }[];
  readonly isPending: boolean;
  /** Whether networks have responded, so that another query may find more. */
  readonly isComplete: boolean;
}

/** The offers of all networks in one list, filtered and sorted by the parameters of the URL. */
export const Offers = ({ offers, legs, isPending, isComplete }: OffersProps) => {
  const texts = useTexts().search.offers;
  const { view, text, setText, change } = useView();
  const [limit, setLimit] = useState(pageSize);
  const filter = useDeferredValue(text);
  const { network, order } = view;
  const shown = useMemo(() => {
    const kept = filterOffers(offers, { text: filter, ...(network !== undefined && { legs: [network] }) });
    return order === undefined ? kept : sortOffers(kept, order);
  }, [offers, filter, network, order]);
  return (
    <Panel title={texts.title} className="offers" isBusy={isPending}>
      {offers.length > 0 ? (
        <>
          <Controls view={view} text={text} legs={legs} onText={setText} onChange={change} />
          <output className="fine">{texts.shown(shown.length, offers.length)}</output>
        </>
      ) : null}
      {shown.length > 0 ? <OfferRows offers={shown.slice(0, limit)} /> : null}
      {shown.length === 0 && offers.length > 0 ? (
        <NoMatch
          onClear={() => {
            setText('');
            change({ filter: '', network: undefined });
          }}
        />
      ) : null}
      {offers.length === 0 ? <NoOffers isPending={isPending} isComplete={isComplete} /> : null}
      {shown.length > limit ? (
        <Button
          look="quiet"
          onClick={({ currentTarget }) => {
            const list = currentTarget.closest('section');
            flushSync(() => setLimit(limit + pageSize));
            focusPlace(list?.querySelectorAll('.offer-rows > li')[limit]);
          }}
        >
          {texts.more}
        </Button>
      ) : null}
    </Panel>
  );
};

/** Browsers limit how often a page may change its URL. */
const urlDelayMs = 300;

/** The view in the URL. The text of the filter reaches the URL when the member pauses. */
const useView = () => {
  const [params, setParams] = useSearchParams();
  const view = viewOf(params, null);
  const [text, setText] = useState(view.filter);
  const change = (changes: Partial<SearchView>) =>
    setParams((latest) => paramsWith(latest, changes), { replace: true, preventScrollReset: true });
  const keep = useEffectEvent((filter: string) => change({ filter }));
  const isInUrl = text === view.filter;
  useEffect(() => {
    if (isInUrl) return undefined;
    const timer = setTimeout(() => keep(text), urlDelayMs);
    return () => clearTimeout(timer);
  }, [text, isInUrl]);
  return { view, text, setText, change };
};

interface ControlsProps extends Pick<OffersProps, 'legs'> {
  readonly view: SearchView;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly onChange: (changes: Partial<SearchView>) => void;
}

const Controls = ({ view, text, legs, onText, onChange }: ControlsProps) => {
  const texts = useTexts().search.offers;
  return (
    <div className="search">
      <Field
        className="grow"
        type="search"
        label={texts.filter}
        maxLength={searchLengths.query}
        value={text}
        onChange={({ target }) => onText(target.value)}
      />
      <Select
        label={texts.network}
        value={view.network ?? ''}
        onChange={({ target }) => onChange({ network: target.value || undefined })}
      >
        <option value="">{texts.allNetworks}</option>
        {legs.map(({ id, label }) => (
          <option key={id} value={id}>
            {label}
          </option>
        ))}
      </Select>
      <Select
        label={texts.sort}
        value={view.order ?? ''}
        onChange={({ target }) => onChange({ order: (target.value || undefined) as OfferOrder | undefined })}
      >
        <option value="">{texts.arrival}</option>
        {offerOrders.map((name) => (
          <option key={name} value={name}>
            {texts.orders[name]}
          </option>
        ))}
      </Select>
    </div>
  );
};

const NoMatch = ({ onClear }: { readonly onClear: () => void }) => {
  const texts = useTexts().search.offers;
  return (
    <div className="failed">
      <p className="empty">{texts.noMatch}</p>
      <Button
        look="quiet"
        onClick={({ currentTarget }) => {
          // The button disappears.
          currentTarget.closest('section')?.querySelector('input')?.focus();
          onClear();
        }}
      >
        {texts.clear}
      </Button>
    </div>
  );
};

const NoOffers = ({ isPending, isComplete }: Pick<OffersProps, 'isPending' | 'isComplete'>) => {
  const texts = useTexts().search.offers;
  if (isPending)
    return (
      <>
        <p className="empty">{texts.waiting}</p>
        <Skeleton />
      </>
    );
  return (
    <div>
      <p>{texts.none}</p>
      {isComplete ? <p className="empty">{texts.tryOther}</p> : null}
    </div>
  );
};
