import { useRead } from "../../live/calls.ts";
import type { Run } from "../../live/records.ts";
import { PermissionQuestion } from "../../nouns/interactions/permission-question.tsx";
import { Problem } from "../../widgets/field.tsx";

/** The requests that the run waits for, above its transcript. */
export const OpenPermissions = ({ run }: { readonly run: Run }) => (
  <>
    {run.permissionRequests.map(({ id, issueId }) => (
      <OpenPermission key={id} interactionId={id} issueId={issueId} />
    ))}
  </>
);

const OpenPermission = (named: { readonly interactionId: string; readonly issueId: string }) => {
  const asked = useRead("interactions.get", named);
  if (asked.isPending) return null;
  if (asked.isError) return <Problem error={asked.error} />;
  return (
    <section className="run-asks" aria-label={`Needs your answer: ${asked.data.title}`}>
      <h2>{asked.data.title}</h2>
      <PermissionQuestion interaction={asked.data} />
    </section>
  );
};
