import type { Coverage } from '@portico/client';
import { useQuery } from '@tanstack/react-query';
import { use } from 'react';
import { useCaller } from '../../api/context.ts';
import { ServicesContext } from '../../api/services.ts';

/** The coverage, if Portico serves it: the form names the patients and the currency, and works without them. */
export const useCoverage = () => {
  const call = useCaller();
  const isServed = use(ServicesContext)?.includes('eligibility') ?? true;
  const { data, isLoading } = useQuery({
    queryKey: ['coverage'],
    enabled: isServed,
    queryFn: async ({ signal }) => (await call((portico) => portico.getCoverage(signal))).value as Coverage,
  });
  return { coverage: data, isLoading };
};
