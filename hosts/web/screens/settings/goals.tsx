import { useState } from "react";
import type { GoalStatus } from "../../../../core/goals/goal.ts";
import { type RowOf, usePages, useWrite } from "../../live/calls.ts";
import { AddByName } from "../../parts/add-by-name.tsx";
import { Button, IconButton } from "../../parts/button.tsx";
import { ConfirmDialog } from "../../parts/dialog.tsx";
import { Problem } from "../../parts/field.tsx";
import { Menu } from "../../parts/menu.tsx";
import { useToasts } from "../../parts/toasts.tsx";
import { useCompany, useMayHere } from "../../shell/company.tsx";
import { Section } from "./section.tsx";

type Goal = RowOf<"goals.list">;

const statusWords: Readonly<Record<GoalStatus, string>> = {
  planned: "Planned",
  active: "Active",
  achieved: "Achieved",
  cancelled: "Cancelled",
};

/** The goals of the company; issues and projects name the goal that they are for. */
export const Goals = () => {
  const { id: companyId } = useCompany();
  const mayWork = useMayHere("writeGoals");
  const mayArchive = useMayHere("archiveGoals");
  const say = useToasts();
  const [archiving, setArchiving] = useState<Goal | null>(null);
  const goals = usePages("goals.list", { companyId });
  const create = useWrite("goals.create");
  const update = useWrite("goals.update");
  const archive = useWrite("goals.archive", {
    onDone: () => setArchiving(null),
    onRefused: () => setArchiving(null),
  });
  const move = (goal: Goal, status: GoalStatus) =>
    update.run(
      { goalId: goal.id, status },
      {
        onSuccess: () =>
          say.done(`${goal.title} is ${statusWords[status].toLowerCase()}.`, () =>
            update.run({ goalId: goal.id, status: goal.status }),
          ),
      },
    );
  const error = goals.error ?? update.error ?? archive.error;
  const titleOf = (id: string) => goals.rows.find((each) => each.id === id)?.title;
  return (
    <Section title="Goals">
      {error === null ? null : <Problem error={error} />}
      {goals.isSuccess && goals.rows.length === 0 ? <p className="faint">No goal yet.</p> : null}
      <ul className="plain-list">
        {goals.rows.map((goal) => (
          <li key={goal.id} className="row list-row">
            <span className="grow cut">
              {goal.title}
              {goal.parentId === null ? null : <span className="faint"> · for {titleOf(goal.parentId)}</span>}
            </span>
            {mayWork ? (
              <Menu
                label={`Change the status of ${goal.title}`}
                align="end"
                button={statusWords[goal.status]}
                items={(Object.keys(statusWords) as GoalStatus[]).map((status) => ({
                  label: statusWords[status],
                  isChosen: status === goal.status,
                  run: () => move(goal, status),
                }))}
              />
            ) : (
              <span className="muted">{statusWords[goal.status]}</span>
            )}
            {mayArchive ? (
              <IconButton
                icon="trash"
                small
                label={`Archive ${goal.title}`}
                onClick={() => setArchiving(goal)}
              />
            ) : null}
          </li>
        ))}
      </ul>
      {goals.more === null ? null : <Button onClick={goals.more}>Show more</Button>}
      {mayWork ? (
        <AddByName
          label="Add a goal"
          field="Title of a new goal"
          name="title"
          write={create}
          onAdd={(title) => create.runAndWait({ companyId, title })}
        />
      ) : null}
      {archiving === null ? null : (
        <ConfirmDialog
          title={`Archive ${archiving.title}?`}
          verb="Archive"
          busy={archive.busy}
          onConfirm={() => archive.run({ goalId: archiving.id })}
          onClose={() => setArchiving(null)}
        >
          Lists leave it out, for good. Its issues and the goals below it stay as they are.
        </ConfirmDialog>
      )}
    </Section>
  );
};
