import { useState } from "react";
import { Link } from "wouter";
import { type RowOf, usePages, useWrite } from "../../live/calls.ts";
import type { Issue } from "../../live/records.ts";
import { approvalTitle, approvalTypeLabels } from "../../nouns/approvals/approval-labels.ts";
import { useCompany, useHere } from "../../nouns/companies/company.tsx";
import { Status } from "../../nouns/status.tsx";
import { Button, IconButton } from "../../widgets/button.tsx";
import { Combobox } from "../../widgets/combobox.tsx";
import { Field, Problem } from "../../widgets/field.tsx";
import { FormDialog } from "../../widgets/form-dialog.tsx";
import { useToasts } from "../../widgets/toasts.tsx";
import { Fact } from "./fact.tsx";

type Approval = RowOf<"approvals.list">;

/** The approvals that an issue waits for or comes from. */
export const LinkedApprovals = ({
  issue: { id: issueId },
  mayChange,
}: {
  readonly issue: Issue;
  readonly mayChange: boolean;
}) => {
  const here = useHere();
  const say = useToasts();
  const [isLinking, setLinking] = useState(false);
  const { rows } = usePages("approvals.ofIssue", { issueId });
  const again = useWrite("approvals.link", { onRefused: say.refused });
  const unlink = useWrite("approvals.unlink", { onRefused: say.refused });
  const remove = (approval: Approval) =>
    unlink.run(
      { issueId, approvalId: approval.id },
      {
        onSuccess: () =>
          say.done(`${approvalTitle(approval)} unlinked`, () =>
            again.run({ issueId, approvalId: approval.id }),
          ),
      },
    );
  if (rows.length === 0 && !mayChange) return null;
  return (
    <Fact label="Approvals">
      <ul className="issue-references">
        {rows.map((approval) => (
          <li key={approval.id} className="row">
            <Status of="other" status={approval.status} bare />
            <Link href={here(`/approvals/${approval.id}`)} className="grow quiet-link">
              {approvalTitle(approval)}
            </Link>
            {mayChange ? (
              <IconButton
                icon="x"
                small
                label={`Unlink ${approvalTitle(approval)}`}
                onClick={() => remove(approval)}
              />
            ) : null}
          </li>
        ))}
      </ul>
      {mayChange ? (
        <Button kind="quiet" small icon="link" onClick={() => setLinking(true)}>
          Link an approval
        </Button>
      ) : null}
      {isLinking ? <LinkDialog issueId={issueId} linked={rows} onClose={() => setLinking(false)} /> : null}
    </Fact>
  );
};

interface LinkDialogProps {
  readonly issueId: string;
  readonly linked: readonly Approval[];
  readonly onClose: () => void;
}

const LinkDialog = ({ issueId, linked, onClose }: LinkDialogProps) => {
  const { id: companyId } = useCompany();
  const [approvalId, setApproval] = useState<string | null>(null);
  const { rows, isSuccess, error } = usePages("approvals.list", { companyId, limit: 500 });
  const offered = rows.filter(({ id }) => !linked.some((each) => each.id === id));
  const link = useWrite("approvals.link", { onDone: onClose });
  return (
    <FormDialog
      title="Link an approval"
      verb="Link"
      write={link}
      disabled={approvalId === null}
      onSubmit={() => link.run({ issueId, approvalId: approvalId ?? "" })}
      onClose={onClose}
    >
      {error === null ? null : <Problem error={error} />}
      <Field
        label="Approval"
        name="approvalId"
        hint={offered.length === 0 && isSuccess ? "No other approvals to link" : undefined}
      >
        {({ id }) => (
          <Combobox
            id={id}
            label="Approval"
            placeholder="Find an approval"
            options={offered.map((approval) => ({
              value: approval.id,
              label: `${approvalTitle(approval)} · ${approvalTypeLabels[approval.type]}`,
              shown: (
                <span className="row">
                  <Status of="other" status={approval.status} bare />
                  <span className="grow">{approvalTitle(approval)}</span>
                  <span className="faint">{approvalTypeLabels[approval.type]}</span>
                </span>
              ),
            }))}
            value={approvalId}
            onChange={setApproval}
          />
        )}
      </Field>
    </FormDialog>
  );
};
