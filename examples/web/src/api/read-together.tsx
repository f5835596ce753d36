import { type ReactNode, useMemo } from 'react';
import { PartReaderContext, useCaller } from './context.ts';
import { partReader } from './page-reads.ts';

/** Its children read their resources with one request. */
export const ReadTogether = ({ children }: { readonly children: ReactNode }) => {
  const call = useCaller();
  const readPart = useMemo(() => partReader(call), [call]);
  return <PartReaderContext value={readPart}>{children}</PartReaderContext>;
};
