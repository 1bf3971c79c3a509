import { useState } from "react";
import { Link, useLocation } from "wouter";
import { type RowOf, usePages, useRead, useWrite } from "../../live/calls.ts";
import { useCompany, useHere, useMayHere } from "../../nouns/companies/company.tsx";
import { Progress } from "../../nouns/issues/progress.tsx";
import { useNames } from "../../nouns/names.ts";
import { GoalForm, goalLevelLabels, goalStatusLabels } from "../../nouns/projects/goal-form.tsx";
import { useArchivedFilter } from "../../widgets/archived-filter.tsx";
import { Button } from "../../widgets/button.tsx";
import { Empty } from "../../widgets/empty.tsx";
import { Page } from "../../widgets/page.tsx";
import { Pages } from "../../widgets/pages.tsx";
import { Table } from "../../widgets/table.tsx";

type Goal = RowOf<"goals.list">;

interface Placed {
  readonly goal: Goal;
  /** How many goals it serves, one above the other. */
  readonly depth: number;
}

/** Each goal below the one that it serves. The one it serves may be archived, and not among them. */
const asTree = (goals: readonly Goal[]): readonly Placed[] => {
  const known = new Set(goals.map(({ id }) => id));
  const below = (parentId: string | null, depth: number): readonly Placed[] =>
    goals
      .filter((goal) =>
        parentId === null ? goal.parentId === null || !known.has(goal.parentId) : goal.parentId === parentId,
      )
      .flatMap((goal) => [{ goal, depth }, ...below(goal.id, depth + 1)]);
  return below(null, 0);
};

/** The goals of the company, each below the one that it serves, with how far it is. */
export const GoalsScreen = () => {
  const { id: companyId } = useCompany();
  const mayWork = useMayHere("writeGoals");
  const here = useHere();
  const [, go] = useLocation();
  const [isMaking, setMaking] = useState(false);
  const { archived, menu } = useArchivedFilter();
  const goals = usePages("goals.list", { companyId, archived });
  const create = useWrite("goals.create", { onDone: ({ id }) => go(here(`/goals/${id}`)) });
  return (
    <Page
      title="Goals"
      actions={
        mayWork ? (
          <Button kind="main" icon="plus" onClick={() => setMaking(true)}>
            New goal
          </Button>
        ) : undefined
      }
    >
      {menu}
      <Pages
        of={goals}
        empty={
          <Empty icon="target" title="No goals yet">
            Goals explain why the work matters. Agents see them with each issue.
          </Empty>
        }
      >
        <GoalTable goals={goals.rows} />
      </Pages>
      {isMaking ? (
        <GoalForm
          title="New goal"
          verb="Create goal"
          goal={null}
          write={create}
          onSubmit={(fields) => create.run({ companyId, ...fields })}
          onClose={() => setMaking(false)}
        />
      ) : null}
    </Page>
  );
};

const GoalTable = ({ goals }: { readonly goals: readonly Goal[] }) => {
  const { id: companyId } = useCompany();
  const here = useHere();
  const nameOf = useNames();
  const { data: progress = [] } = useRead("issues.progress", { companyId, by: "goal" });
  return (
    <Table
      label="Goals"
      rows={asTree(goals)}
      rowKey={({ goal }) => goal.id}
      columns={[
        {
          key: "title",
          title: "Title",
          grows: true,
          cell: ({ goal, depth }: Placed) => (
            <span className="row" style={{ paddingInlineStart: depth * 24 }}>
              <Link href={here(`/goals/${goal.id}`)} className="cut table-title">
                {goal.title}
              </Link>
            </span>
          ),
        },
        {
          key: "progress",
          title: "Progress",
          cell: ({ goal }: Placed) => (
            <Progress name={goal.title} of={progress.find(({ id }) => id === goal.id)} />
          ),
        },
        {
          key: "status",
          title: "Status",
          wideOnly: true,
          cell: ({ goal }: Placed) => (goal.archivedAt === null ? goalStatusLabels[goal.status] : "Archived"),
        },
        {
          key: "level",
          title: "Level",
          wideOnly: true,
          cell: ({ goal }: Placed) => goalLevelLabels[goal.level],
        },
        {
          key: "owner",
          title: "Owner",
          wideOnly: true,
          cell: ({ goal }: Placed) => (goal.ownerAgentId === null ? "" : nameOf(goal.ownerAgentId).name),
        },
      ]}
    />
  );
};
