import { Navigate } from 'react-router';
import { LinkButton } from '../../design/button.tsx';
import { Panel } from '../../design/card.tsx';
import { Timeline } from '../../design/data/timeline.tsx';
import { Notice } from '../../design/notice.tsx';
import { PageHeading } from '../../design/page-heading.tsx';
import { claimPath } from '../../frame/claim-path.ts';
import { useTexts } from '../../texts/texts.tsx';
import { type Submitted, useSubmitted } from './use-submit.ts';
import '../claims.css';

/** Confirms a submission. After a reload, the list shows the claim instead. */
export const SubmittedPage = () => {
  const submitted = useSubmitted();
  return submitted === undefined ? <Navigate to="/claims" replace /> : <Confirmation {...submitted} />;
};

const Confirmation = ({ outcome, locator }: Submitted) => {
  const texts = useTexts().claims.submit.done;
  const { next } = texts;
  const isFiled = outcome === 'created';
  return (
    <>
      <PageHeading title={texts[outcome]} />
      <div className="claim-form">
        <Notice tone="good">
          <p>{isFiled ? texts.createdBody : texts.acceptedBody}</p>
          {locator === undefined ? null : (
            <p>
              {texts.number}
              <br />
              <span className="claim-number">{locator}</span>
            </p>
          )}
        </Notice>
      </div>
      <Panel title={texts.nextTitle} className="claim-form">
        <Timeline
          steps={[
            { title: next.check, state: 'current', details: <p className="fine">{next.checkBody}</p> },
            { title: next.decide, state: 'upcoming', details: <p className="fine">{next.decideBody}</p> },
            { title: next.pay, state: 'upcoming', details: <p className="fine">{next.payBody}</p> },
          ]}
        />
      </Panel>
      <div className="actions">
        {isFiled && locator !== undefined ? (
          <LinkButton to={claimPath(locator)} look="primary">
            {texts.view}
          </LinkButton>
        ) : null}
        <LinkButton to="/claims">{texts.all}</LinkButton>
        <LinkButton to="/claims/new">{texts.another}</LinkButton>
      </div>
    </>
  );
};
