import { useState } from "react";
import { type Assignable, useAssignables } from "../../actions/assignees.ts";
import { type AnswerOf, type RowOf, useRead, useWrite } from "../../live/calls.ts";
import { Button, IconButton } from "../../parts/button.tsx";
import { Form, Problem, SelectField, TextField } from "../../parts/field.tsx";

type Project = RowOf<"projects.list">;
type Gate = AnswerOf<"projects.gates">[number];

const kinds = [
  { value: "clean", label: "Clean: nothing uncommitted" },
  { value: "published", label: "Published: on the issue's branch" },
  { value: "command", label: "Command: it succeeds at the last commit" },
  { value: "checks", label: "Checks: those of its pull request passed" },
  { value: "review", label: "Review by an agent or a person" },
] as const;

type Kind = (typeof kinds)[number]["value"];

const wordsOf = ({ kind, reviewerName, command }: Gate): string =>
  kind === "review" ? `review by ${reviewerName ?? "nobody"}` : (command ?? kind);

/** The gates of a project: conditions that its issues meet before they are done. */
export const Gates = ({ project }: { readonly project: Project }) => {
  const { id: projectId } = project;
  const [isAdding, setAdding] = useState(false);
  const gates = useRead("projects.gates", { projectId });
  const set = useWrite("projects.setGates", { onDone: () => setAdding(false) });
  const reviewers = useAssignables();
  const mayManage = project.callerMay.manageGates.allowed;
  const rows = gates.data ?? [];
  const asSent = ({ reviewerName: _, ...gate }: Gate) => gate;
  const error = gates.error ?? (isAdding ? null : set.error);
  return (
    <>
      <h3>Gates of done</h3>
      {error === null ? null : <Problem error={error} />}
      {gates.isSuccess && rows.length === 0 ? (
        <p className="faint">None: an issue is done when somebody says so.</p>
      ) : null}
      <ul className="plain-list" aria-label={`Gates of ${project.name}`}>
        {rows.map((gate) => (
          <li key={gate.name} className="row list-row">
            <span className="grow">
              {gate.name} <span className="faint">· {wordsOf(gate)}</span>
            </span>
            {mayManage ? (
              <IconButton
                icon="trash"
                small
                label={`Remove the gate ${gate.name}`}
                onClick={() =>
                  set.run({ projectId, gates: rows.filter(({ name }) => name !== gate.name).map(asSent) })
                }
              />
            ) : null}
          </li>
        ))}
      </ul>
      {mayManage && isAdding ? (
        <NewGate
          reviewers={reviewers}
          write={set}
          onAdd={(gate) => set.run({ projectId, gates: [...rows.map(asSent), gate] })}
          onClose={() => setAdding(false)}
        />
      ) : null}
      {mayManage && !isAdding && gates.isSuccess ? (
        <Button small icon="plus" onClick={() => setAdding(true)}>
          Add a gate
        </Button>
      ) : null}
    </>
  );
};

interface NewGateProps {
  readonly reviewers: readonly Assignable[];
  readonly write: { readonly busy: boolean; readonly error: unknown };
  readonly onAdd: (gate: Omit<Gate, "reviewerName">) => void;
  readonly onClose: () => void;
}

const NewGate = ({ reviewers, write, onAdd, onClose }: NewGateProps) => {
  const [name, setName] = useState("");
  const [kind, setKind] = useState<Kind>("clean");
  const [chosen, setChosen] = useState("");
  const [command, setCommand] = useState("");
  const [timeoutSec, setTimeoutSec] = useState("600");
  const isCommand = kind === "command";
  const reviewer = reviewers.find(({ id }) => id === chosen) ?? reviewers[0];
  return (
    <Form
      label="Add a gate"
      error={write.error}
      onSubmit={() =>
        onAdd({
          name: name.trim(),
          kind,
          reviewerAgentId: kind === "review" && reviewer?.kind === "agent" ? reviewer.id : null,
          reviewerUserId: kind === "review" && reviewer?.kind === "person" ? reviewer.id : null,
          command: isCommand ? command : null,
          timeoutSec: isCommand ? Number(timeoutSec) : null,
          maxWakes: isCommand ? 3 : null,
        })
      }
    >
      <TextField label="Name of the gate" name="name" required value={name} onChange={setName} />
      <SelectField label="Kind" name="kind" value={kind} onChange={setKind} options={kinds} />
      {isCommand ? (
        <>
          <TextField
            label="Command"
            name="command"
            required
            placeholder="npm ci && npm test"
            hint="For /bin/sh, in the agents' sandbox, in a workspace at the last commit."
            value={command}
            onChange={setCommand}
          />
          <TextField
            label="Time limit in seconds"
            name="timeoutSec"
            required
            value={timeoutSec}
            onChange={setTimeoutSec}
          />
        </>
      ) : null}
      {kind === "review" ? (
        <SelectField
          label="Reviewer"
          name="reviewer"
          value={reviewer?.id ?? ""}
          onChange={setChosen}
          options={reviewers.map(({ id, name: label }) => ({ value: id, label }))}
        />
      ) : null}
      <div className="form-actions">
        <Button type="submit" busy={write.busy}>
          Add
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </div>
    </Form>
  );
};
