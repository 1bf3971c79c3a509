/** The pushes of a run so far, refused ones included. */
export interface Pushed {
  readonly pushes: number;
  /** As they were sent. */
  readonly bytes: number;
}

/** The limits of all pushes of one run together: each keeps its commits, also those that no ref reaches any more. */
export const pushLimits: Pushed = { pushes: 500, bytes: 2 * 2 ** 30 };

/** The reason why a run may push no more, in the words that git shows next to each ref; null: it may. */
export const noMorePushes = ({ pushes, bytes }: Pushed): string | null => {
  if (pushes >= pushLimits.pushes) return `a run pushes at most ${pushLimits.pushes} times`;
  if (bytes >= pushLimits.bytes) return `a run pushes at most ${pushLimits.bytes / 2 ** 20} MiB`;
  return null;
};
