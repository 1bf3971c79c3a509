import { lazy, Suspense, useState } from "react";
import type { Issue } from "../../live/records.ts";
import { Button } from "../../widgets/button.tsx";
import { useKeys } from "../../widgets/keys.tsx";

const EditDialog = lazy(async () => ({ default: (await import("./edit-dialog.tsx")).EditDialog }));

/** Opens the form of title and description, whose code is loaded then. */
export const EditIssue = ({ issue }: { readonly issue: Issue }) => {
  const [begun, setBegun] = useState<Issue | null>(null);
  useKeys([{ keys: "e", does: "Edit title and description", run: () => setBegun(issue) }]);
  return (
    <>
      <Button icon="pencil" onClick={() => setBegun(issue)}>
        Edit
      </Button>
      {begun === null ? null : (
        <Suspense>
          <EditDialog begun={begun} now={issue} onClose={() => setBegun(null)} />
        </Suspense>
      )}
    </>
  );
};
