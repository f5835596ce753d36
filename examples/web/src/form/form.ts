import type { ClientFailure, PorticoClient } from '@portico/client';
import { type Json, noContent, preconditionFailed, toJson } from '@portico/core';
import { type QueryClient, type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query';
import type { ResultAsync } from 'neverthrow';
import { useRef, useState } from 'react';
import { CallFailed } from '../api/client.ts';
import { useCaller, type Version, versionOf } from '../api/context.ts';
import { restoredDraft } from '../session/drafts.ts';
import { changes, type Edits, type Values, without } from './edits.ts';
import { useUnsaved } from './unsaved-changes.tsx';

interface FormSettings<T, Value> {
  /** The key of the query that read the resource. */
  readonly key: string;
  /** Writes if the service still has the version with this entity tag. */
  readonly write: (portico: PorticoClient, body: Json, etag: string | undefined) => ResultAsync<Json, ClientFailure>;
  /** The resource, as its card read it. */
  readonly resource: T;
  readonly valuesOf: (resource: T) => Values<Value>;
  /** The body to send, based on the newest version: a write changes only the fields that the member edited. */
  readonly bodyOf: (newest: T, edits: Edits<Value>) => object;
  /**
   * Whether the member made these edits for something else than the newest version has, such as another version of a text.
   * Then they are not saved before the member has seen the newest version. Default: never.
   */
  readonly isOutdated?: (shown: T, newest: T, edits: Edits<Value>) => boolean;
  readonly onSaved?: () => void;
}

export interface Form<Value> {
  readonly save: UseMutationResult<unknown, Error, Edits<Value>>;
  readonly isDirty: boolean;
  readonly valueOf: (name: string) => Value | undefined;
  readonly change: (name: string, value: Value) => void;
  readonly discard: () => void;
  /** Saves the edits, unless a save is in progress. */
  readonly submit: () => void;
}

/**
 * A form for a resource. The edits are shown on top of the values that were read last. A save is refused if the resource
 * was changed elsewhere (`If-Match`); then it is read again and the edits stay. Without an entity tag, the resource is
 * read again just before the save.
 */
export const useForm = <T, Value>(settings: FormSettings<T, Value>): Form<Value> => {
  const values = settings.valuesOf(settings.resource);
  const { key } = settings;
  const [edits, setEdits] = useState<Edits<Value>>(() => restoredDraft(key) ?? new Map());
  // The current edits: during a save, the member may add more.
  const latest = useRef(edits);
  const keep = (next: Edits<Value>) => {
    latest.current = next;
    setEdits(next);
  };
  const save = useSave(settings, (done) => {
    keep(done.reduce((remaining, values) => without(remaining, values), latest.current));
    return latest.current.size;
  });
  const isDirty = changes(values, edits);
  useUnsaved(key, isDirty ? edits : undefined);
  return {
    save,
    isDirty,
    valueOf: (name) => (edits.has(name) ? edits.get(name) : values.get(name)),
    change: (name, value) => {
      const next = new Map(latest.current).set(name, value);
      keep(save.isPending ? next : without(next, values));
    },
    discard: () => keep(new Map()),
    submit: () => {
      if (!save.isPending) save.mutate(edits);
    },
  };
};

/** Sends edits. `drop` removes those that equal these values, and returns how many remain. */
const useSave = <T, Value>(
  { key, write, resource, valuesOf, bodyOf, isOutdated, onSaved }: FormSettings<T, Value>,
  drop: (done: readonly Values<Value>[]) => number,
) => {
  const call = useCaller();
  const client = useQueryClient();
  const query = { queryKey: [key] };
  return useMutation({
    mutationFn: async (edits: Edits<Value>) => {
      // A response to a read that began before the save must not overwrite it.
      await client.cancelQueries(query);
      if (newest<T>(client, key).etag === undefined) await client.refetchQueries(query, { throwOnError: true });
      const { value, etag } = newest<T>(client, key);
      // The same change was made elsewhere. A resource that does not exist yet is always written.
      if (value !== null && !changes(valuesOf(value), edits)) return { value, etag };
      if (isOutdated?.(resource, value, edits)) throw new CallFailed(preconditionFailed(key));
      const saved = await call((portico) => write(portico, toJson(bodyOf(value, edits)), etag));
      return saved === noContent ? undefined : versionOf<T>(saved);
    },
    onSuccess: async (saved, sent) => {
      await client.cancelQueries(query);
      if (saved) client.setQueryData([key], saved);
      else await client.refetchQueries(query);
      // If the resource could not be read again, only the edits have what was saved.
      const isRead = client.getQueryState([key])?.status === 'success';
      if (drop([...(isRead ? [sent] : []), valuesOf(newest<T>(client, key).value)]) === 0) onSaved?.();
    },
    onError: async (error) => {
      if (!(error instanceof CallFailed && error.failure.kind === 'precondition-failed')) return;
      await client.refetchQueries(query);
      drop([valuesOf(newest<T>(client, key).value)]);
    },
  });
};

const newest = <T>(client: QueryClient, key: string): Version<T> => {
  const read = client.getQueryData<Version<T>>([key]);
  if (!read) throw new Error('The form was rendered before its resource was read.');
  return read;
};
