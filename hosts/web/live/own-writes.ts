/**
 * The writes of this page. What a write touches is read again after its answer, which holds the write's instant: its
 * events, which have the same instant and actor, come too late to say anything new about that.
 */
interface OwnWrite {
  readonly instants: ReadonlySet<string>;
  /** The calls that are read again after it. */
  readonly prefixes: readonly string[];
}

/** The last ones: their events come soon. */
const done: OwnWrite[] = [];
const mostDone = 50;

let inFlight = 0;
const held = new Set<() => void>();
/** An event waits for the answers of writes, but not for that of a long upload. */
const longestHeldMs = 1_000;

const instant = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;

/** Carries a write out, after which the calls below the prefixes are read again. */
export const writing = async <Answer>(
  prefixes: readonly string[],
  write: () => Promise<Answer>,
): Promise<Answer> => {
  inFlight += 1;
  try {
    const answer = await write();
    done.push({ instants: new Set(JSON.stringify(answer)?.match(instant)), prefixes });
    if (done.length > mostDone) done.shift();
    return answer;
  } finally {
    inFlight -= 1;
    if (inFlight === 0) for (const release of [...held]) release();
  }
};

/** Calls back once no write is in flight: an event may come before the answer of its write. */
export const afterWrites = (then: () => void): void => {
  if (inFlight === 0) {
    then();
    return;
  }
  const release = () => {
    clearTimeout(longest);
    if (held.delete(release)) then();
  };
  const longest = setTimeout(release, longestHeldMs);
  held.add(release);
};

/** The calls that were read again after this page's own write at that instant; none where it was not its own. */
export const readAfterWriteAt = (createdAt: string): readonly string[] =>
  done.find(({ instants }) => instants.has(createdAt))?.prefixes ?? [];
