import { useState } from "react";
import { useRead, useWrite } from "../../live/calls.ts";
import type { IssueChanges } from "../../live/records.ts";
import { Button } from "../../widgets/button.tsx";
import { CheckField, SelectField } from "../../widgets/field.tsx";
import { FormDialog } from "../../widgets/form-dialog.tsx";
import { useToasts } from "../../widgets/toasts.tsx";
import { visible } from "../visible-text.ts";

const methods = [
  { value: "squash", label: "Squash and merge" },
  { value: "merge", label: "Create a merge commit" },
  { value: "fast_forward", label: "Fast-forward" },
] as const;

type Method = (typeof methods)[number]["value"];

interface MergeWorkProps {
  readonly issueId: string;
  readonly changes: IssueChanges;
  /** Another button is the main one. */
  readonly isQuiet?: boolean;
}

/** Gets the work of the issue into the default branch at the host, for those who may. */
export const MergeWork = ({ issueId, changes, isQuiet = false }: MergeWorkProps) => {
  const say = useToasts();
  const [isOpen, setOpen] = useState(false);
  const [method, setMethod] = useState<Method>("squash");
  const [overrideGates, setOverride] = useState(false);
  const { branch, defaultBranch, repositoryId, mergedAt } = changes;
  const merge = useWrite("issues.merge", {
    onDone: () => {
      setOpen(false);
      say.done(`Merged ${branch} into ${defaultBranch}`);
    },
  });
  const gates = useRead("issues.gates", { issueId }, { enabled: isOpen });
  const unmet = gates.data?.gates.filter(({ reason }) => reason !== null) ?? [];
  if (mergedAt !== null) return null;
  return (
    <div className="row-wrap">
      <Button kind={changes.conflicts === null && !isQuiet ? "main" : "plain"} onClick={() => setOpen(true)}>
        Merge
      </Button>
      {isOpen ? (
        <FormDialog
          title={`Merge ${branch} into ${defaultBranch}`}
          verb="Merge"
          write={merge}
          disabled={unmet.length > 0 && !overrideGates}
          onSubmit={() => merge.run({ issueId, repositoryId, method, overrideGates })}
          onClose={() => setOpen(false)}
        >
          <SelectField
            label="Method"
            name="method"
            value={method}
            onChange={(value) => setMethod(methods.find((each) => each.value === value)?.value ?? "squash")}
            options={methods}
          />
          {unmet.length === 0 ? null : (
            <div className="stack">
              <p>{unmet.length === 1 ? "A gate doesn't pass:" : "Gates don't pass:"}</p>
              <ul>
                {unmet.map(({ name, reason }) => (
                  <li key={name}>
                    {visible(name)} <span className="muted">· {visible(reason ?? "")}</span>
                  </li>
                ))}
              </ul>
              <CheckField
                label="Merge without passing gates (logged)"
                name="overrideGates"
                checked={overrideGates}
                onChange={setOverride}
              />
            </div>
          )}
        </FormDialog>
      ) : null}
    </div>
  );
};
