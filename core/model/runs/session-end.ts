/** How a run that resumed a session ended. */
export interface SessionEnd {
  readonly errorCode: string | null;
  /** The agent's own words. */
  readonly summary: string | null;
}

/** A failure that its adapter could not name, of a run in which the agent said nothing. */
export const isWordlessFailure = ({ errorCode, summary }: SessionEnd): boolean =>
  errorCode === "adapter_failed" && (summary ?? "").trim() === "";

/** Whether the next run leaves the session: two failures in it without a word suggest that it cannot be continued. */
export const isSessionStuck = (previous: SessionEnd | null, last: SessionEnd): boolean =>
  previous !== null && isWordlessFailure(previous) && isWordlessFailure(last);
