/** How a run that resumed a session ended. */
export interface SessionEnd {
  readonly errorCode: string | null;
  /** A message from the agent itself. */
  readonly summary: string | null;
}

/** A failure that the adapter could not classify, in a run without a message from the agent. */
export const isWordlessFailure = ({ errorCode, summary }: SessionEnd): boolean =>
  errorCode === "adapter_failed" && (summary ?? "").trim() === "";

/** Whether the next run starts a new session: two failures without a message suggest that this one cannot be continued. */
export const isSessionStuck = (previous: SessionEnd | null, last: SessionEnd): boolean =>
  previous !== null && isWordlessFailure(previous) && isWordlessFailure(last);
