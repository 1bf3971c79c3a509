import { useRead } from "../../live/calls.ts";
import { Problem } from "../../parts/field.tsx";
import { PermissionQuestion } from "../../parts/permission-question.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import type { EntryProps } from "./entry.ts";

/** The request that a program waits for, whole: nobody allows what they have not seen. */
export const AnswerPermission = ({ entry }: EntryProps) => {
  const asked = useRead("interactions.get", {
    issueId: entry.issue?.id ?? "",
    interactionId: entry.subject.id,
  });
  if (asked.isPending) return <Skeleton />;
  if (asked.isError) return <Problem error={asked.error} />;
  return (
    <div className="inbox-card">
      <PermissionQuestion interaction={asked.data} />
    </div>
  );
};
