import type { PageState } from './page-state.ts';
import { click, fill, open, sellerFault, waitFor } from './steps.ts';

/** The search page, before, during and after a search. */
export const searchStates: readonly PageState[] = [
  { name: 'search-start', path: '/search', ready: 'Ready' },
  {
    name: 'search-missing',
    path: '/search',
    // Until the form is there, the only "Search" is the link in the navigation.
    steps: [waitFor('What are you looking for?'), click('Search')],
    ready: 'Enter what you are looking for',
  },
  {
    name: 'search-running',
    path: '/search?q=health',
    before: [sellerFault('moa', 'silent')],
    ready: 'Waiting for a response',
    steps: [waitFor('9 offers')],
    isLoading: true,
  },
  { name: 'search', path: '/search?q=health', ready: '12 offers from 2 networks.', looks: ['dark'] },
  {
    name: 'search-filtered',
    path: '/search?q=health&sort=price&network=moa&filter=cover',
    ready: '1 of 12 offers',
  },
  {
    name: 'search-no-match',
    path: '/search?q=health',
    steps: [waitFor('12 offers from 2 networks.'), fill('Filter', 'bicycle')],
    ready: 'No offers match the filter.',
  },
  { name: 'search-none', path: '/search?q=bicycle', ready: 'No offers were found.' },
  {
    name: 'search-one-failed',
    path: '/search?q=health',
    before: [sellerFault('mh', 'refused')],
    ready: '1 network could not be searched.',
  },
  {
    name: 'search-details',
    path: '/search?q=health',
    steps: [waitFor('12 offers from 2 networks.'), open('Details')],
    ready: 'Transaction',
  },
];
