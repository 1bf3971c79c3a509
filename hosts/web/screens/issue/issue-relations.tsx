import { type ReactNode, useState } from "react";
import { Link } from "wouter";
import { type InputOf, useRead, useWrite } from "../../live/calls.ts";
import type { Issue } from "../../live/records.ts";
import { useCompany, useHere } from "../../nouns/companies/company.tsx";
import { useIssueOptions } from "../../nouns/issues/issue-options.ts";
import { LabelDot, LabelName } from "../../nouns/issues/label-dot.tsx";
import { NewIssue } from "../../nouns/issues/new-issue.tsx";
import { Status } from "../../nouns/status.tsx";
import { IconButton } from "../../widgets/button.tsx";
import { Problem, TextField } from "../../widgets/field.tsx";
import { FormDialog } from "../../widgets/form-dialog.tsx";
import { useToasts } from "../../widgets/toasts.tsx";
import { ChosenFact } from "./chosen-fact.tsx";
import { Fact } from "./fact.tsx";
import { belongingOf } from "./issue-belonging.ts";

interface Props {
  readonly issue: Issue;
  readonly mayChange: boolean;
}

type Changes = Omit<InputOf<"issues.update">, "issueId">;

/** Changes one issue and offers to change it back. */
const useSave = (issue: Issue) => {
  const say = useToasts();
  const update = useWrite("issues.update");
  const save = (changes: Changes, before: Changes, message: string) =>
    update.run(
      { issueId: issue.id, ...changes },
      { onSuccess: () => say.done(message, () => update.run({ issueId: issue.id, ...before })) },
    );
  return { save, error: update.error };
};

/** The parent, labels, blockers and billing code of an issue, each changed in place. */
export const IssueRelations = (props: Props) => (
  <>
    <ParentFact {...props} />
    <LabelsFact {...props} />
    <BlockersFact {...props} />
    <References label="Blocks" issues={props.issue.blocks} />
    <BillingFact {...props} />
  </>
);

const nobody = "none";

const ParentFact = ({ issue, mayChange }: Props) => {
  const here = useHere();
  const { save, error } = useSave(issue);
  const { options, onType } = useIssueOptions([issue.id], true);
  const [parent] = issue.ancestors;
  return (
    <>
      {error === null ? null : <Problem error={error} />}
      <ChosenFact
        label="Parent issue"
        mayChange={mayChange}
        options={[...(issue.parentId === null ? [] : [{ value: nobody, label: "No issue" }]), ...options]}
        value={issue.parentId}
        onType={onType}
        onChoose={(chosen) =>
          save(
            { parentId: chosen === nobody ? null : chosen },
            { parentId: issue.parentId },
            chosen === nobody ? `${issue.identifier} no longer has a parent` : `${issue.identifier} moved`,
          )
        }
      >
        {parent === undefined ? (
          <span className="faint">None</span>
        ) : (
          <Link href={here(`/issues/${parent.identifier}`)} className="quiet-link">
            {parent.identifier} {parent.title}
          </Link>
        )}
      </ChosenFact>
    </>
  );
};

const LabelsFact = ({ issue, mayChange }: Props) => {
  const { id: companyId } = useCompany();
  const here = useHere();
  const { save, error } = useSave(issue);
  const { data: known = [] } = useRead("labels.list", { companyId });
  const labels = issue.labels ?? [];
  const before = labels.map(({ id }) => id);
  const put = (labelIds: readonly string[], message: string) =>
    save({ labelIds: [...labelIds] }, { labelIds: before }, message);
  const free = known.filter(({ id }) => !before.includes(id));
  if (labels.length === 0 && known.length === 0) return null;
  return (
    <>
      {error === null ? null : <Problem error={error} />}
      <ChosenFact
        label="Labels"
        verb="Add a label"
        opensBy="l"
        mayChange={mayChange && free.length > 0}
        options={free.map((label) => ({
          value: label.id,
          label: label.name,
          shown: <LabelName {...label} />,
        }))}
        value={null}
        onChoose={(id) => put([...before, id], `Label added to ${issue.identifier}`)}
      >
        {labels.length === 0 ? (
          <span className="faint">None</span>
        ) : (
          <ul className="issue-references">
            {labels.map(({ id, name, color }) => (
              <li key={id} className="row">
                <LabelDot color={color} />
                <Link href={here(`/issues?label=${id}`)} className="quiet-link grow">
                  {name}
                </Link>
                {mayChange ? (
                  <IconButton
                    icon="x"
                    small
                    label={`Remove the label ${name}`}
                    onClick={() =>
                      put(
                        before.filter((each) => each !== id),
                        `${name} removed`,
                      )
                    }
                  />
                ) : null}
              </li>
            ))}
          </ul>
        )}
      </ChosenFact>
    </>
  );
};

const BlockersFact = ({ issue, mayChange }: Props) => {
  const { save, error } = useSave(issue);
  const [isMaking, setMaking] = useState(false);
  const before = issue.blockedBy.map(({ id }) => id);
  const { options, onType } = useIssueOptions([issue.id, ...before], true);
  const put = (blockedByIssueIds: readonly string[], message: string) =>
    save({ blockedByIssueIds: [...blockedByIssueIds] }, { blockedByIssueIds: before }, message);
  const wait = (id: string) => put([...before, id], `Blocker added to ${issue.identifier}`);
  return (
    <>
      {error === null ? null : <Problem error={error} />}
      <ChosenFact
        label="Blocked by"
        verb="Add a blocker"
        mayChange={mayChange}
        options={[{ value: "new", label: "New issue…" }, ...options]}
        value={null}
        onType={onType}
        onChoose={(id) => (id === "new" ? setMaking(true) : wait(id))}
      >
        {issue.blockedBy.length === 0 ? (
          <span className="faint">Nothing</span>
        ) : (
          <IssueLinks
            issues={issue.blockedBy}
            action={({ id, identifier }) =>
              mayChange ? (
                <IconButton
                  icon="x"
                  small
                  label={`No longer blocked by ${identifier}`}
                  onClick={() =>
                    put(
                      before.filter((each) => each !== id),
                      `${issue.identifier} is no longer blocked by ${identifier}`,
                    )
                  }
                />
              ) : null
            }
          />
        )}
      </ChosenFact>
      {isMaking ? (
        <NewIssue
          title={`An issue that blocks ${issue.identifier}`}
          begun={belongingOf(issue)}
          onMade={({ id }) => wait(id)}
          onClose={() => setMaking(false)}
        />
      ) : null}
    </>
  );
};

const BillingFact = ({ issue, mayChange }: Props) => {
  const [isOpen, setOpen] = useState(false);
  const [code, setCode] = useState("");
  const update = useWrite("issues.update", { onDone: () => setOpen(false) });
  if (issue.billingCode === null && !mayChange) return null;
  const open = () => {
    setCode(issue.billingCode ?? "");
    setOpen(true);
  };
  return (
    <Fact label="Billing code">
      <div className="issue-chosen">
        <span className="grow">{issue.billingCode ?? <span className="faint">None</span>}</span>
        {mayChange ? (
          <IconButton icon="pencil" small data-opens label="Edit billing code" onClick={open} />
        ) : null}
      </div>
      {isOpen ? (
        <FormDialog
          title={`Billing code of ${issue.identifier}`}
          verb="Save"
          write={update}
          onSubmit={() => update.run({ issueId: issue.id, billingCode: code.trim() || null })}
          onClose={() => setOpen(false)}
        >
          <TextField
            label="Billing code"
            name="billingCode"
            hint="Groups run costs in reports. Optional."
            maxLength={500}
            value={code}
            onChange={setCode}
          />
        </FormDialog>
      ) : null}
    </Fact>
  );
};

type Reference = Pick<Issue["blockedBy"][number], "id" | "identifier" | "title" | "status">;

const References = ({ label, issues }: { readonly label: string; readonly issues: readonly Reference[] }) =>
  issues.length === 0 ? null : (
    <Fact label={label}>
      <IssueLinks issues={issues} />
    </Fact>
  );

const IssueLinks = ({
  issues,
  action,
}: {
  readonly issues: readonly Reference[];
  readonly action?: (issue: Reference) => ReactNode;
}) => {
  const here = useHere();
  return (
    <ul className="issue-references">
      {issues.map((issue) => (
        <li key={issue.id} className="row">
          <Status of="issue" status={issue.status} bare />
          <Link href={here(`/issues/${issue.identifier}`)} className="quiet-link grow">
            {issue.identifier} {issue.title}
          </Link>
          {action?.(issue)}
        </li>
      ))}
    </ul>
  );
};
