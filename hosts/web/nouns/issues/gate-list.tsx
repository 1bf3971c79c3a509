import { useState } from "react";
import type { AnswerOf } from "../../live/calls.ts";
import { Button, IconButton } from "../../widgets/button.tsx";
import { Form, Problem, SelectField, TextField } from "../../widgets/field.tsx";
import { type Assignable, useAssignables } from "./assignees.ts";

export type NamedGate = AnswerOf<"projects.gates">[number];
export type Gate = Omit<NamedGate, "reviewerName">;

/** A gate as a call takes it. */
export const asSent = ({
  name,
  kind,
  reviewerAgentId,
  reviewerUserId,
  command,
  timeoutSec,
  maxWakes,
}: NamedGate): Gate => ({ name, kind, reviewerAgentId, reviewerUserId, command, timeoutSec, maxWakes });

const kinds = [
  { value: "clean", label: "No uncommitted changes" },
  { value: "published", label: "Pushed to the issue branch" },
  { value: "command", label: "Command succeeds at the last commit" },
  { value: "checks", label: "Pull request checks pass" },
  { value: "review", label: "Review by an agent or a person" },
] as const;

type Kind = (typeof kinds)[number]["value"];

const describeGate = ({ kind, reviewerName, command }: NamedGate): string =>
  kind === "review" ? `review by ${reviewerName ?? "nobody"}` : (command ?? kind);

interface GateListProps {
  /** Of the list, for those who hear it. */
  readonly label: string;
  readonly gates: readonly NamedGate[];
  readonly mayManage: boolean;
  readonly write: { readonly busy: boolean; readonly error: unknown };
  /** Gets the whole list as it is to be; calls `done` once it is so. */
  readonly onSet: (gates: readonly Gate[], done: () => void) => void;
}

/** A list of gates that its reader changes, if they may. */
export const GateList = ({ label, gates, mayManage, write, onSet }: GateListProps) => {
  const [isAdding, setAdding] = useState(false);
  const reviewers = useAssignables();
  const close = () => setAdding(false);
  return (
    <>
      {write.error === null || isAdding ? null : <Problem error={write.error} />}
      <ul className="plain-list" aria-label={label}>
        {gates.map((gate) => (
          <li key={gate.name} className="row list-row">
            <span className="grow">
              {gate.name} <span className="faint">· {describeGate(gate)}</span>
            </span>
            {mayManage ? (
              <IconButton
                icon="trash"
                small
                label={`Remove the gate ${gate.name}`}
                onClick={() => onSet(gates.filter(({ name }) => name !== gate.name).map(asSent), close)}
              />
            ) : null}
          </li>
        ))}
      </ul>
      {mayManage && isAdding ? (
        <NewGate
          reviewers={reviewers}
          write={write}
          onAdd={(gate) => onSet([...gates.map(asSent), gate], close)}
          onClose={close}
        />
      ) : null}
      {mayManage && !isAdding ? (
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
  readonly onAdd: (gate: Gate) => void;
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
            hint="Runs with /bin/sh in the agents' sandbox, at the last commit."
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
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" kind="main" busy={write.busy}>
          Add
        </Button>
      </div>
    </Form>
  );
};
