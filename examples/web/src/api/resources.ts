import type { DocumentSummary as AnyDocument, Notification as AnyNotification } from '@portico/client';

/** The pages need what identifies a document or a notification. Every other field may be missing. */
export type DocumentSummary = AnyDocument & { readonly locator: string };

export type Notification = AnyNotification & { readonly id: string };
