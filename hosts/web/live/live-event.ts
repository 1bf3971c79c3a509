/** live: news arrives. lost: it does not, and the page tries again. idle: nothing to follow. */
export type LiveState = "idle" | "opening" | "live" | "lost";

export interface LiveEvent {
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** An event with its position in the stream. */
export interface HeardEvent extends LiveEvent {
  readonly id: string;
}

/** The state of a tab, as its part in the stream reads and changes it. */
export interface LiveTab {
  readonly state: LiveState;
  readonly shownRunId: string | null;
  enter(next: LiveState): void;
  hear(event: LiveEvent): void;
}
