import type { CallbackEvent, LegEvent } from '@portico/core';
import { Panel } from '../design/card.tsx';
import { Icon, type IconName } from '../design/icon.tsx';
import { Skeleton } from '../design/skeleton.tsx';
import type { Texts } from '../texts/en.ts';
import { useTexts } from '../texts/texts.tsx';
import { NetworkDetails } from './network-details.tsx';
import { type Outcome, offerCountOf, outcomeOf } from './network-state.ts';
import type { SearchPhase } from './use-search.ts';

interface NetworkLinesProps {
  /** All networks; undefined until they are known. */
  readonly legs: readonly { readonly id: string; readonly label: string }[] | undefined;
  readonly settled: readonly LegEvent[];
  /** Callbacks of networks that collect them. */
  readonly arrived: readonly CallbackEvent[];
  readonly phase: SearchPhase;
}

/** One line per network: whether it is waiting, how many sellers have responded, and how it ended. */
export const NetworkLines = ({ legs, settled, arrived, phase }: NetworkLinesProps) => {
  const texts = useTexts().search.networks;
  // A network may have been added since the list was read.
  const added = settled.filter(({ leg }) => !legs?.some(({ id }) => id === leg));
  const all = [...(legs ?? []), ...added.map(({ leg, trace }) => ({ id: leg, label: trace.label }))];
  if (legs && all.length === 0) return null;
  return (
    <Panel title={texts.title} className="networks" isBusy={!legs || phase === 'searching'}>
      {all.length === 0 ? <Skeleton /> : null}
      <ul>
        {all.map(({ id, label }) => (
          <NetworkLine
            key={id}
            label={label}
            event={settled.find(({ leg }) => leg === id)}
            sellers={arrived.filter(({ leg }) => leg === id).length}
            phase={phase}
          />
        ))}
      </ul>
    </Panel>
  );
};

interface NetworkLineProps {
  readonly label: string;
  readonly event: LegEvent | undefined;
  /** The number of callbacks that have arrived. */
  readonly sellers: number;
  readonly phase: SearchPhase;
}

const NetworkLine = ({ label, event, sellers, phase }: NetworkLineProps) => {
  const texts = useTexts().search.networks;
  const [tone, icon, text] = event ? settledLine(event, texts) : pendingLine(phase, sellers, texts);
  return (
    <li className={tone}>
      <Icon icon={icon} />
      <div>
        <span>{label}</span>
        <span className="fine">{text}</span>
        {event ? <NetworkDetails event={event} /> : null}
      </div>
    </li>
  );
};

type Line = readonly [tone: 'neutral' | 'info' | 'good' | 'warn' | 'bad', icon: IconName, text: string];
type NetworkTexts = Texts['search']['networks'];

const looks: Readonly<Record<Outcome, readonly [tone: Line[0], icon: IconName]>> = {
  done: ['good', 'success'],
  partial: ['warn', 'warning'],
  timedOut: ['bad', 'failed'],
  unreachable: ['bad', 'failed'],
  refused: ['bad', 'failed'],
};

const settledLine = (event: LegEvent, texts: NetworkTexts): Line => {
  const outcome = outcomeOf(event);
  const hasOffers = outcome === 'done' || outcome === 'partial';
  return [...looks[outcome], hasOffers ? texts[outcome](offerCountOf(event)) : texts[outcome]];
};

const pendingLine = (phase: SearchPhase, sellers: number, texts: NetworkTexts): Line => {
  if (phase === 'idle') return ['neutral', 'search', texts.ready];
  if (phase !== 'searching') return ['neutral', 'close', texts.notFinished];
  return ['info', 'clock', sellers === 0 ? texts.waiting : texts.sellers(sellers)];
};
