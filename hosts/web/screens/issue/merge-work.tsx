import { useState } from "react";
import { useWrite } from "../../live/calls.ts";
import type { IssueChanges } from "../../live/records.ts";
import { Button } from "../../parts/button.tsx";
import { CheckField, SelectField } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { useToasts } from "../../parts/toasts.tsx";
import { useIssueMay } from "./issue-shown.ts";

const methods = [
  { value: "squash", label: "Squash: one commit" },
  { value: "merge", label: "Merge: all commits and one that joins them" },
  { value: "fast_forward", label: "Fast-forward: the commits as they are" },
] as const;

type Method = (typeof methods)[number]["value"];

interface MergeWorkProps {
  readonly issueId: string;
  readonly changes: IssueChanges;
}

/** Gets the work of the issue into the default branch at the host. */
export const MergeWork = ({ issueId, changes }: MergeWorkProps) => {
  const may = useIssueMay("merge");
  const say = useToasts();
  const [isOpen, setOpen] = useState(false);
  const [method, setMethod] = useState<Method>("squash");
  const [overrideGates, setOverride] = useState(false);
  const { branch, defaultBranch, repositoryId, mergedAt } = changes;
  const merge = useWrite("issues.merge", {
    onDone: () => {
      setOpen(false);
      say.done(`${branch} is in ${defaultBranch}.`);
    },
  });
  if (mergedAt !== null || !may.allowed) return null;
  return (
    <div className="row-wrap">
      <Button kind="main" onClick={() => setOpen(true)}>
        Merge
      </Button>
      {isOpen ? (
        <FormDialog
          title={`Merge ${branch} into ${defaultBranch}`}
          verb="Merge"
          write={merge}
          onSubmit={() => merge.run({ issueId, repositoryId, method, overrideGates })}
          onClose={() => setOpen(false)}
        >
          <SelectField
            label="How"
            name="method"
            value={method}
            onChange={(value) => setMethod(methods.find((each) => each.value === value)?.value ?? "squash")}
            options={methods}
          />
          <CheckField
            label="Also if gates of the issue are not met, which is logged"
            name="overrideGates"
            checked={overrideGates}
            onChange={setOverride}
          />
        </FormDialog>
      ) : null}
    </div>
  );
};
