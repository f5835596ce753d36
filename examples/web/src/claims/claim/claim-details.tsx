import { Panel } from '../../design/card.tsx';
import { nameOf, useTexts } from '../../texts/texts.tsx';
import type { Claim } from '../claim.ts';

/** Who treated whom, and the numbers of the claim. Facts that the claims system does not send are not shown. */
export const ClaimDetails = ({ claim, locator }: { readonly claim: Claim; readonly locator: string }) => {
  const { claimNames, claims } = useTexts();
  const texts = claims.page.details;
  const { type, patient, provider, diagnosisCodes = [] } = claim;
  const facts: readonly (readonly [term: string, value: string | undefined])[] = [
    [texts.number, locator],
    [texts.kind, type && nameOf(claimNames.kinds, type)],
    [texts.patient, patient?.name],
    [texts.provider, provider?.name],
    [texts.specialty, provider?.specialty],
    [texts.network, provider?.network && nameOf(texts.networks, provider.network)],
    [texts.npi, provider?.npi],
    [texts.diagnoses, diagnosisCodes?.join(', ')],
  ];
  return (
    <Panel title={texts.title} icon="info" className="wide">
      <dl className="facts">
        {facts.map(([term, value]) =>
          value ? (
            <div key={term} className="fact">
              <dt>{term}</dt>
              <dd>{value}</dd>
            </div>
          ) : null,
        )}
      </dl>
    </Panel>
  );
};
