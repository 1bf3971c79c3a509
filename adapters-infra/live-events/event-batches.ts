import type { StreamedEvent } from "../../ports/event-feed.ts";
import type { StreamEvent, StreamPosition } from "../../ports/views/stream-views.ts";

/** The result of one read of the stream, shared by all followers. */
export interface EventBatch {
  /** Increases by one from batch to batch. */
  readonly number: number;
  /** The batch holds the events after `from`, up to `upTo`, of all companies that had followers. */
  readonly from: StreamPosition;
  upTo: StreamPosition;
  readonly events: readonly ReadEvent[];
  /** The events that pass a filter, selected once per filter. */
  readonly filtered: Map<string, readonly StreamedEvent[]>;
}

/** An event and the form in which followers get it, made once for all of them. */
export interface ReadEvent {
  readonly event: StreamEvent;
  readonly streamed: StreamedEvent;
}

/** The number of batches in memory. Followers that are further behind read their own pages. */
const maxBatches = 100;
const maxBytes = 16 * 1024 * 1024;

/** The latest batches, in order, without a gap between them. */
export class EventBatches {
  #batches: EventBatch[] = [];
  #bytes = 0;
  #nextNumber = 0;

  /** The number of the batch that is added next. */
  get nextNumber(): number {
    return this.#nextNumber;
  }

  get last(): EventBatch | undefined {
    return this.#batches.at(-1);
  }

  add(batch: Pick<EventBatch, "from" | "upTo" | "events">): void {
    const added = { ...batch, number: this.#nextNumber++, filtered: new Map() };
    this.#batches.push(added);
    this.#bytes += bytesOf(added);
    while (this.#batches.length > maxBatches || (this.#bytes > maxBytes && this.#batches.length > 1))
      this.#bytes -= bytesOf(this.#batches.shift()!);
  }

  clear(): void {
    this.#batches = [];
    this.#bytes = 0;
  }

  /** Leaves a number out: a follower that waits for that batch finds it gone. */
  skip(): void {
    this.#nextNumber += 1;
  }

  /** null: not added yet. "gone": dropped, because too many came after it. */
  get(number: number): EventBatch | "gone" | null {
    if (number >= this.#nextNumber) return null;
    return this.#at(number) ?? "gone";
  }

  /**
   * The latest batch with which a follower that has all events up to the position misses none, if every batch from
   * `since` holds the events it follows.
   */
  after(position: StreamPosition, since: number): number | null {
    const first = this.#batches[0];
    if (first === undefined) return null;
    const covering = this.#at(Math.max(since, first.number));
    if (covering === undefined || isBefore(position, covering.from)) return null;
    return this.#batches.findLast(({ number, from }) => number >= since && !isBefore(position, from))!.number;
  }

  #at(number: number): EventBatch | undefined {
    const first = this.#batches[0];
    return first === undefined ? undefined : this.#batches[number - first.number];
  }
}

const partsOf = (position: StreamPosition): readonly [bigint, bigint] => {
  const dash = position.indexOf("-");
  return [BigInt(position.slice(0, dash)), BigInt(position.slice(dash + 1))];
};

/** Tells whether the position comes before the other one. */
export const isBefore = (one: StreamPosition, other: StreamPosition): boolean => {
  const [xid, number] = partsOf(one);
  const [otherXid, otherNumber] = partsOf(other);
  return xid < otherXid || (xid === otherXid && number < otherNumber);
};

const bytesOf = ({ events }: EventBatch): number =>
  events.reduce((sum, { streamed }) => sum + 500 + contentOf(streamed).length, 0);

const contentOf = ({ data }: StreamedEvent): string => (data as { readonly content?: string }).content ?? "";
