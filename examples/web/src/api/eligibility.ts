import type { Accumulators, Coverage } from '@portico/client';
import { useResource } from './context.ts';

export const useCoverage = (isEnabled = true) =>
  useResource<Coverage>('coverage', (portico, signal) => portico.getCoverage(signal), isEnabled);

export const useAccumulators = () =>
  useResource<Accumulators>('accumulators', (portico, signal) => portico.getAccumulators(signal));
