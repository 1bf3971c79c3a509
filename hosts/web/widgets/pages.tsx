import type { ReactNode } from "react";
import { Button } from "./button.tsx";
import { ErrorView } from "./error-view.tsx";
import { Skeleton } from "./skeleton.tsx";

interface PagesProps {
  /** As `usePages` returns it. */
  readonly of: {
    readonly isPending: boolean;
    readonly isError: boolean;
    readonly error: Error | null;
    readonly refetch: () => Promise<unknown>;
    readonly rows: readonly unknown[];
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    readonly more: (() => void) | null;
  };
  /** In place of a list without rows. */
  readonly empty: ReactNode;
  /** The list of the rows. */
  readonly children: ReactNode;
}

/** A list that is read page by page: what stands there before it has come, where it fails, and where it is empty. */
export const Pages = ({ of: pages, empty, children }: PagesProps) => {
  if (pages.isPending) return <Skeleton />;
  if (pages.isError) return <ErrorView error={pages.error} retry={() => void pages.refetch()} />;
  if (pages.rows.length === 0) return empty;
  return (
    <>
      {children}
      {pages.hasNextPage ? (
        <div className="table-more">
          <Button busy={pages.isFetchingNextPage} onClick={pages.more ?? undefined}>
            Show more
          </Button>
        </div>
      ) : null}
    </>
  );
};
