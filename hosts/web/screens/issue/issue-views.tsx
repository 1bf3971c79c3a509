import { lazy, type ReactNode, Suspense, useState } from "react";
import { useRead } from "../../live/calls.ts";
import { isMetered } from "../../live/metered.ts";
import type { Issue } from "../../live/records.ts";
import { Skeleton } from "../../widgets/skeleton.tsx";
import { Tabs } from "../../widgets/tabs.tsx";

const loadChanges = () => import("./changes.tsx");
const Changes = lazy(async () => ({ default: (await loadChanges()).Changes }));

interface IssueViewsProps {
  readonly issue: Issue;
  /** The view of the issue itself. */
  readonly children: ReactNode;
}

const tabs = [
  { name: "issue", label: "Issue" },
  { name: "changes", label: "Changes" },
] as const;

/** The issue, and what it changes where its project has repositories. */
export const IssueViews = ({ issue, children }: IssueViewsProps) => {
  const { projectId } = issue;
  const [shown, setShown] = useState<"issue" | "changes">("issue");
  const repositories = useRead(
    "repositories.list",
    { projectId: projectId ?? "" },
    { enabled: projectId !== null },
  );
  if ((repositories.data ?? []).length === 0) return children;
  return (
    <Tabs
      label="Views of the issue"
      tabs={tabs}
      shown={shown}
      onChange={setShown}
      onNear={(name) => (name === "changes" && !isMetered() ? void loadChanges().catch(() => {}) : undefined)}
    >
      <div className="issue-view">
        {shown === "issue" ? (
          children
        ) : (
          <Suspense fallback={<Skeleton />}>
            <Changes issueId={issue.id} />
          </Suspense>
        )}
      </div>
    </Tabs>
  );
};
