import { ErrorView } from "./error-view.tsx";
import { Skeleton } from "./skeleton.tsx";

/** A read without an answer. */
export interface UnansweredRead {
  readonly isPending: boolean;
  readonly error: unknown;
  readonly refetch: () => unknown;
}

interface UnreadProps {
  readonly read: UnansweredRead;
  /** Of the skeleton. */
  readonly rows?: number;
}

/** In place of an answer: that it is awaited, or the refusal. */
export const Unread = ({ read, ...skeleton }: UnreadProps) =>
  read.isPending ? (
    <Skeleton {...skeleton} />
  ) : (
    <ErrorView error={read.error} retry={() => void read.refetch()} />
  );
