import { useState } from "react";
import { Link, useLocation, useParams } from "wouter";
import { type AnswerOf, usePages, useRead, useWrite } from "../../live/calls.ts";
import { Actor } from "../../nouns/avatar.tsx";
import { useHere, useIssuePath, useMayHere } from "../../nouns/companies/company.tsx";
import { useOwnCompany } from "../../nouns/companies/own-company.ts";
import { OpenIssues } from "../../nouns/issues/open-issues.tsx";
import { Progress } from "../../nouns/issues/progress.tsx";
import { Markdown } from "../../nouns/markdown.tsx";
import { useNames } from "../../nouns/names.ts";
import { GoalForm, goalLevelLabels, goalStatusLabels } from "../../nouns/projects/goal-form.tsx";
import { Button } from "../../widgets/button.tsx";
import { ConfirmDialog } from "../../widgets/dialog.tsx";
import { Fact } from "../../widgets/fact.tsx";
import { Problem } from "../../widgets/field.tsx";
import { InOrder } from "../../widgets/in-order.tsx";
import { Page } from "../../widgets/page.tsx";
import { Section } from "../../widgets/section.tsx";
import { useToasts } from "../../widgets/toasts.tsx";
import { Unread } from "../../widgets/unread.tsx";

type Goal = AnswerOf<"goals.get">;

/** One goal: why, how far it is, the goals that serve it, and its issues. */
export const GoalScreen = () => {
  const { goal: goalId = "" } = useParams<{ goal: string }>();
  const here = useHere();
  const issuePath = useIssuePath();
  const goal = useRead("goals.get", { goalId });
  useOwnCompany(goal.data);
  const mayCreate = useMayHere("createIssue");
  const crumbs = [{ label: "Goals", to: here("/goals") }];
  if (goal.isPending || goal.isError)
    return (
      <Page title="Goal" crumbs={crumbs}>
        <Unread read={goal} />
      </Page>
    );
  const { title, description } = goal.data;
  return (
    <Page title={title} crumbs={crumbs} actions={<GoalActions goal={goal.data} />}>
      <div className="sections">
        <InOrder>
          <GoalFacts goal={goal.data} />
          {description === null || description.trim() === "" ? null : (
            <Markdown text={description} issuePath={issuePath} />
          )}
          <ServedBy goal={goal.data} />
          <OpenIssues of={{ goalId: goal.data.id }} mayCreate={mayCreate} />
        </InOrder>
      </div>
    </Page>
  );
};

const GoalFacts = ({ goal }: { readonly goal: Goal }) => {
  const { id, companyId, title, status, level, parentId, ownerAgentId } = goal;
  const here = useHere();
  const nameOf = useNames();
  const parent = useRead("goals.get", { goalId: parentId ?? "" }, { enabled: parentId !== null });
  const { data: progress = [] } = useRead("issues.progress", { companyId, by: "goal", id });
  return (
    <dl className="facts-grid">
      <Fact name="Status">{goalStatusLabels[status]}</Fact>
      <Fact name="Progress">
        <Progress name={title} of={progress.find((each) => each.id === id)} />
      </Fact>
      <Fact name="Level">{goalLevelLabels[level]}</Fact>
      <Fact name="Owner">
        {ownerAgentId === null ? (
          <span className="faint">Unassigned</span>
        ) : (
          <Link href={here(`/agents/${ownerAgentId}`)} className="in-text">
            <Actor {...nameOf(ownerAgentId)} />
          </Link>
        )}
      </Fact>
      <Fact name="Parent goal">
        {parentId === null ? (
          <span className="faint">None</span>
        ) : (
          <Link href={here(`/goals/${parentId}`)} className="in-text">
            {parent.data?.title ?? "…"}
          </Link>
        )}
      </Fact>
    </dl>
  );
};

const ServedBy = ({ goal: { id, companyId } }: { readonly goal: Goal }) => {
  const here = useHere();
  const goals = usePages("goals.list", { companyId });
  const { data: progress = [] } = useRead("issues.progress", { companyId, by: "goal" });
  const parts = goals.rows.filter(({ parentId }) => parentId === id);
  if (parts.length === 0) return null;
  return (
    <Section title="Sub-goals">
      <ul className="plain-list">
        {parts.map((part) => (
          <li key={part.id} className="row list-row">
            <Link href={here(`/goals/${part.id}`)} className="cut grow">
              {part.title}
            </Link>
            <span className="muted">{goalStatusLabels[part.status]}</span>
            <Progress name={part.title} of={progress.find((each) => each.id === part.id)} />
          </li>
        ))}
      </ul>
    </Section>
  );
};

const GoalActions = ({ goal }: { readonly goal: Goal }) => {
  const here = useHere();
  const [, go] = useLocation();
  const say = useToasts();
  const mayWork = useMayHere("writeGoals");
  const mayArchive = useMayHere("archiveGoals");
  const [isEditing, setEditing] = useState(false);
  const [isArchiving, setArchiving] = useState(false);
  const goalId = goal.id;
  const { title, description, level, status, parentId, ownerAgentId } = goal;
  const update = useWrite("goals.update", { onDone: () => setEditing(false) });
  const archive = useWrite("goals.archive", {
    onDone: () => {
      go(here("/goals"));
      say.done(`${title} archived`);
    },
    onRefused: () => setArchiving(false),
  });
  if (goal.archivedAt !== null) return <span className="muted">Archived</span>;
  return (
    <>
      {archive.error === null ? null : <Problem error={archive.error} />}
      {mayArchive ? <Button onClick={() => setArchiving(true)}>Archive</Button> : null}
      {mayWork ? (
        <Button icon="pencil" onClick={() => setEditing(true)}>
          Edit
        </Button>
      ) : null}
      {isEditing ? (
        <GoalForm
          title="Edit goal"
          verb="Save"
          goal={goal}
          write={update}
          onSubmit={(fields) =>
            update.run(
              { goalId, ...fields },
              {
                onSuccess: () =>
                  say.done(`${fields.title} updated`, () =>
                    update.run({ goalId, title, description, level, status, parentId, ownerAgentId }),
                  ),
              },
            )
          }
          onClose={() => setEditing(false)}
        />
      ) : null}
      {isArchiving ? (
        <ConfirmDialog
          title={`Archive ${title}?`}
          verb="Archive"
          busy={archive.busy}
          onConfirm={() => archive.run({ goalId })}
          onClose={() => setArchiving(false)}
        >
          It's no longer listed. This can't be undone. Its issues and supporting goals stay as they are.
        </ConfirmDialog>
      ) : null}
    </>
  );
};
