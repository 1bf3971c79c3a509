/**
 * The writes of this page. What a write touches is read again after its answer, which holds the write's instant: its
 * events, which have the same instant and actor, come too late to say anything new about that.
 */
interface OwnWrite {
  readonly instants: Set<string>;
  /**
   * The ids that it was about, where its answer holds no instant, as that of a deletion: the first event of the actor
   * about one of them tells the instant. Empty once it is known.
   */
  ids: ReadonlySet<string>;
  readonly answeredAt: number;
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

/** An event about the same ids that comes later is that of another write, as in another tab. */
const longestUntilEventMs = 10_000;

const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const idsIn = (value: unknown): readonly string[] => JSON.stringify(value)?.match(uuid) ?? [];

const instant = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;

/** Carries a write of that input out, after which the calls below the prefixes are read again. */
export const writing = async <Answer>(
  prefixes: readonly string[],
  input: object,
  write: () => Promise<Answer>,
): Promise<Answer> => {
  inFlight += 1;
  try {
    const answer = await write();
    const instants = new Set(JSON.stringify(answer)?.match(instant));
    const ids = new Set(instants.size > 0 ? [] : idsIn({ ...input, companyId: undefined }));
    done.push({ instants, ids, answeredAt: Date.now(), prefixes });
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

/** An event of the audit trail, as far as it tells which write it is of. */
interface EventOfWrite {
  readonly createdAt: string;
  readonly entityId: string;
  readonly details: unknown;
}

/** The calls that were read again after the write of this page that an event of its person is of; none: of no such write. */
export const readAfterWriteOf = ({ createdAt, entityId, details }: EventOfWrite): readonly string[] => {
  const known = done.find(({ instants }) => instants.has(createdAt));
  if (known !== undefined) return known.prefixes;
  const about = idsIn([entityId, details]);
  const since = Date.now() - longestUntilEventMs;
  const write = done.find(({ ids, answeredAt }) => answeredAt > since && about.some((id) => ids.has(id)));
  if (write === undefined) return [];
  write.instants.add(createdAt);
  write.ids = new Set();
  return write.prefixes;
};
