import { useState } from "react";
import { Link } from "wouter";
import type { SuggestedTask, SuggestTasks } from "../../../../core/model/issues/interactions/payload.ts";
import type { Interaction } from "../../live/records.ts";
import { ActionButton } from "../../widgets/action-button.tsx";
import { Button } from "../../widgets/button.tsx";
import { CheckField } from "../../widgets/field.tsx";
import { KeyedButton } from "../../widgets/keyed-button.tsx";
import { useHere, useIssuePath } from "../companies/company.tsx";
import { HeldDecision, useFinalWrite } from "../final-writes.tsx";
import { Markdown } from "../markdown.tsx";
import { useNames } from "../names.ts";
import { PriorityMark } from "../status.tsx";
import { InteractionActions } from "./interaction-actions.tsx";

interface SuggestedTasksProps {
  readonly interaction: Interaction;
  readonly payload: SuggestTasks;
}

interface Placed {
  readonly task: SuggestedTask;
  readonly depth: number;
}

/** Tasks below their parents, each with how deep it lies. */
const placed = (
  tasks: readonly SuggestedTask[],
  parent: string | null = null,
  depth = 0,
): readonly Placed[] =>
  tasks
    .filter(({ parentClientKey }) => (parentClientKey ?? null) === parent)
    .flatMap((task) => [{ task, depth }, ...placed(tasks, task.clientKey, depth + 1)]);

/** Tasks to choose from; the chosen ones become issues, all or none. */
export const SuggestedTasks = ({ interaction, payload: { tasks } }: SuggestedTasksProps) => {
  const mayWork = interaction.callerMay.accept.allowed;
  const [declined, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [showsAll, setShowsAll] = useState(false);
  const accept = useFinalWrite("interactions.accept", interaction.id);
  const reject = useFinalWrite("interactions.reject", interaction.id);
  const title = interaction.title ?? "Suggested tasks";
  const isPending = interaction.status === "pending";
  const all = placed(tasks);
  const shown = showsAll ? all : all.filter(({ task }) => task.hiddenInPreview !== true);
  const chosen = tasks.filter(({ clientKey }) => !declined.has(clientKey)).map(({ clientKey }) => clientKey);
  // A task is part of its parent: it leaves with it, and brings it back.
  const toggle = (task: SuggestedTask, isChosen: boolean) => {
    const next = new Set(declined);
    if (isChosen)
      for (let at: SuggestedTask | undefined = task; at !== undefined; ) {
        const above: string | null = at.parentClientKey ?? null;
        next.delete(at.clientKey);
        at = tasks.find(({ clientKey }) => clientKey === above);
      }
    else
      for (const each of [task, ...placed(tasks, task.clientKey).map((below) => below.task)])
        next.add(each.clientKey);
    setLeft(next);
  };
  const named = { issueId: interaction.issueId, interactionId: interaction.id };
  return (
    <>
      <ul className="plain-list card-tasks">
        {shown.map(({ task, depth }) => (
          <li key={task.clientKey} className={`card-task depth-${Math.min(depth, 3)}`}>
            {isPending && mayWork ? (
              <CheckField
                label={task.title}
                name={task.clientKey}
                checked={!declined.has(task.clientKey)}
                onChange={(isChecked) => toggle(task, isChecked)}
              />
            ) : (
              <TaskTitle interaction={interaction} task={task} />
            )}
            <TaskFacts task={task} />
          </li>
        ))}
      </ul>
      {shown.length === all.length ? null : (
        <Button small kind="quiet" onClick={() => setShowsAll(true)}>
          Collapse {all.length - shown.length}
        </Button>
      )}
      {accept.waits !== null ? (
        <HeldDecision subject={interaction.id} />
      ) : isPending ? (
        <InteractionActions interaction={interaction} error={accept.error}>
          <KeyedButton kind="danger" action="reject" onClick={() => reject.run(named, `Rejected: ${title}`)}>
            Reject
          </KeyedButton>
          <ActionButton
            may={interaction.callerMay.accept}
            kind="main"
            action="approve"
            disabled={chosen.length === 0}
            onClick={() =>
              accept.run(
                { ...named, ...(declined.size === 0 ? {} : { selectedClientKeys: chosen }) },
                `${chosen.length} of ${tasks.length} issues created: ${title}`,
              )
            }
          >
            {chosen.length === 1 ? "Create 1 issue" : `Create ${chosen.length} issues`}
          </ActionButton>
        </InteractionActions>
      ) : null}
    </>
  );
};

interface Created {
  readonly clientKey: string;
  readonly identifier: string;
}

/** The title, and the issue made from it. */
const TaskTitle = ({
  interaction,
  task,
}: {
  readonly interaction: Interaction;
  readonly task: SuggestedTask;
}) => {
  const here = useHere();
  const created = (interaction.result?.createdTasks ?? []) as readonly Created[];
  const made = created.find(({ clientKey }) => clientKey === task.clientKey);
  if (made !== undefined)
    return (
      <Link href={here(`/issues/${made.identifier}`)}>
        {made.identifier} {task.title}
      </Link>
    );
  return interaction.status === "accepted" ? (
    <span className="faint">{task.title} (not selected)</span>
  ) : (
    task.title
  );
};

const TaskFacts = ({ task }: { readonly task: SuggestedTask }) => {
  const nameOf = useNames();
  const issuePath = useIssuePath();
  const { priority, description } = task;
  const assigneeId = task.assigneeAgentId ?? task.assigneeUserId;
  return (
    <>
      {priority === undefined && assigneeId == null ? null : (
        <div className="row-wrap card-task-facts muted">
          {priority === undefined ? null : <PriorityMark priority={priority} />}
          {assigneeId == null ? null : <span>for {nameOf(assigneeId).name}</span>}
        </div>
      )}
      {description == null || description.trim() === "" ? null : (
        <details className="card-task-facts">
          <summary className="muted">Description</summary>
          <Markdown text={description} issuePath={issuePath} />
        </details>
      )}
    </>
  );
};
