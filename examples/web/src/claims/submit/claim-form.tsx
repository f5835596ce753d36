import type { Coverage } from '@portico/client';
import { type FormEvent, useRef, useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { CallFailed } from '../../api/client.ts';
import { Button, LinkButton } from '../../design/button.tsx';
import { ErrorSummary, type FieldErrors, useErrorSummary } from '../../design/forms/error-summary.tsx';
import { Notice } from '../../design/notice.tsx';
import { useUnsaved } from '../../form/unsaved-changes.tsx';
import { restoredDraft, updateStoredDraft } from '../../session/drafts.ts';
import { useTexts, useWording } from '../../texts/texts.tsx';
import { submittedPath } from '../claim.ts';
import { claimOf, type Draft, type DraftContext, errorsOf, type FieldName, refusedFields } from './claim-draft.ts';
import { ClaimFields } from './claim-fields.tsx';
import { errorTexts } from './error-texts.ts';
import { isSubmissionOpen } from './submission.ts';
import { SubmitFailure } from './submit-failure.tsx';
import { useSubmit } from './use-submit.ts';

/** The key of the draft, which is kept while the member signs in again. */
const draftKey = 'claim-draft';

/** Errors are shown when the member submits, all at once; each disappears when its field is changed. */
export const ClaimForm = ({ coverage }: { readonly coverage: Coverage | undefined }) => {
  const texts = useTexts().claims.submit;
  const context = useContextOfDraft();
  const { draft, summary, submit, onSubmit, onChange } = useClaimForm(coverage, context);
  const [hadOpenSubmission] = useState(isSubmissionOpen);
  return (
    <section className="card claim-form" aria-label={texts.title}>
      <ErrorSummary {...summary} />
      {hadOpenSubmission && submit.isIdle ? <Unfinished /> : null}
      {/* The browser's own messages would appear one by one. */}
      <form onSubmit={onSubmit} noValidate>
        <ClaimFields
          {...{ draft, errors: summary.errors, coverage, context, onChange }}
          isDisabled={submit.isPending}
        />
        {submit.isError && summary.errors.size === 0 ? <SubmitFailure error={submit.error} /> : null}
        <div className="actions">
          {/* Not `disabled`, which would lose the focus. */}
          <Button type="submit" aria-disabled={submit.isPending}>
            {submit.isPending ? texts.submitting : texts.submit}
          </Button>
          <LinkButton to="/claims">{texts.cancel}</LinkButton>
        </div>
      </form>
    </section>
  );
};

const useClaimForm = (coverage: Coverage | undefined, context: FormContext) => {
  const texts = useTexts().claims.submit;
  const navigate = useNavigate();
  const { draft, change } = useDraft();
  const { summary, show, remove } = useErrorSummary();
  const submit = useSubmit();
  const isSending = useRef(false);

  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    // A second click may come before the button shows that the claim is being sent.
    if (isSending.current) return;
    submit.reset();
    const found = errorTexts(errorsOf(draft, coverage, { ...context, today: localDay() }), texts, context);
    show(found);
    if (found.size > 0) return;
    isSending.current = true;
    submit.mutate(claimOf(draft, coverage, context), {
      onSuccess: () => {
        updateStoredDraft(draftKey);
        void navigate(submittedPath, { replace: true });
      },
      onError: (error) => {
        const refused = fieldsRefused(error.cause, texts.refused);
        if (refused.size > 0) show(refused);
      },
      onSettled: () => {
        isSending.current = false;
      },
    });
  };
  const onChange = (name: FieldName, value: string) => {
    change(name, value);
    remove(name);
  };
  return { draft, summary, submit, onSubmit, onChange };
};

/** The draft, which the session keeps while the member signs in again. */
const useDraft = () => {
  const [draft, setDraft] = useState<Draft>(() => restoredDraft<string>(draftKey) ?? new Map<string, string>());
  useUnsaved(draftKey, draft.size === 0 ? undefined : draft);
  return {
    draft,
    change: (name: FieldName, value: string) =>
      setDraft((before) => {
        const next = new Map(before).set(name, value);
        if (value === '') next.delete(name);
        return next;
      }),
  };
};

interface FormContext extends DraftContext {
  readonly locale: string;
}

const useContextOfDraft = (): FormContext => {
  const { locale } = useWording();
  const [today] = useState(localDay);
  const parts = new Intl.NumberFormat(locale).formatToParts(1.5);
  return {
    today,
    decimalSign: parts.find(({ type }) => type === 'decimal')?.value === ',' ? ',' : '.',
    locale,
  };
};

const localDay = (): string => {
  const now = new Date();
  return [now.getFullYear(), now.getMonth() + 1, now.getDate()].map((part) => String(part).padStart(2, '0')).join('-');
};

const fieldsRefused = (error: unknown, textFor: (message: string) => string): FieldErrors => {
  if (!(error instanceof CallFailed) || error.failure.kind !== 'invalid') return new Map();
  return new Map([...refusedFields(error.failure.errors ?? [])].map(([name, message]) => [name, textFor(message)]));
};

const Unfinished = () => {
  const texts = useTexts().claims.submit;
  return (
    <Notice tone="warn">
      <p>
        {texts.unfinished} <Link to="/claims">{texts.toClaims}</Link>
      </p>
    </Notice>
  );
};
