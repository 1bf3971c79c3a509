/** The pushes of a run so far, refused ones included. */
export interface Pushed {
  readonly pushes: number;
  /** As they were sent. */
  readonly bytes: number;
}

/** The limits of all pushes of one run together: each push stores its commits, even those that no ref reaches any more. */
export const pushLimits: Pushed = { pushes: 500, bytes: 2 * 2 ** 30 };

/** Why git refuses a push, next to each ref, once a stop of the run has been requested. */
const stopsPushes = "the run is being stopped";

/** The reason why a run may push no more, as git shows it next to each ref; null: it may. */
export const noMorePushes = (
  { pushes, bytes }: Pushed,
  { isStopping }: { readonly isStopping: boolean },
): string | null => {
  if (isStopping) return stopsPushes;
  if (pushes >= pushLimits.pushes) return `a run can push at most ${pushLimits.pushes} times`;
  if (bytes >= pushLimits.bytes) return `a run can push at most ${pushLimits.bytes / 2 ** 20} MiB`;
  return null;
};

/**
 * The pushes of one attempt to capture a run's work, in addition to those already counted: everything, then without branches,
 * then the files alone. A run that has reached its limit must not lose its work because of that.
 */
const captureMaxPushes = 4;

export const noMoreCaptures = (pushed: Pushed, pushesBefore: number): string | null =>
  pushed.pushes >= pushesBefore + captureMaxPushes
    ? `one attempt to save a run's work can push at most ${captureMaxPushes} times`
    : null;
