/** One event of a stream, before it is written for server-sent events. */
export interface StreamedEvent {
  readonly id: string;
  readonly event: string;
  readonly data: unknown;
}

/** Resolves once it is known where the feed begins: from then on nothing is missed. */
export type EventFeed = (
  lastEventId: string | null,
  gone: AbortSignal,
) => Promise<AsyncIterable<StreamedEvent>>;
