import { useState } from "react";
import { resumableStatuses } from "../../../../core/model/agents/resumable-statuses.ts";
import { useWrite } from "../../live/calls.ts";
import type { Agent } from "../../live/records.ts";
import { useResumeAgent } from "../../nouns/agents/resume-agent.tsx";
import { BudgetDialog } from "../../nouns/companies/budgets.tsx";
import { ActionButton, lacksRole } from "../../widgets/action-button.tsx";
import { Button } from "../../widgets/button.tsx";
import { ConfirmDialog } from "../../widgets/dialog.tsx";
import { Problem } from "../../widgets/field.tsx";
import { Icon } from "../../widgets/icon.tsx";
import { Menu } from "../../widgets/menu.tsx";
import { useToasts } from "../../widgets/toasts.tsx";
import { budgetOwnerOf } from "./agent-budget.tsx";
import { WakeDialog } from "./wake-dialog.tsx";

/** The buttons of an agent as a whole; none of a terminated one. */
export const AgentActions = ({ agent }: { readonly agent: Agent }) => {
  const say = useToasts();
  const [asked, setAsked] = useState<"message" | "release" | "terminate" | null>(null);
  const close = () => setAsked(null);
  const agentId = agent.id;
  const wake = useWrite("agents.invoke", { onDone: () => say.done(`${agent.name} woken`) });
  const resume = useResumeAgent();
  const pause = useWrite("agents.pause", {
    onDone: () => say.done(`${agent.name} paused. Its runs are stopping.`, () => resume.run({ agentId })),
  });
  if (agent.status === "terminated") return null;
  const error = wake.error ?? resume.error ?? pause.error;
  const { callerMay: may } = agent;
  return (
    <>
      {error === null ? null : <Problem error={error} />}
      {lacksRole(may.terminate) ? null : (
        <Menu
          label="More"
          align="end"
          className="button quiet icon-only"
          button={<Icon name="ellipsis" />}
          items={moreOf(agent, setAsked)}
        />
      )}
      {agent.pauseReason === "budget" && may.update.allowed ? (
        <RaiseBudget agent={agent} />
      ) : resumableStatuses.has(agent.status) ? (
        <ActionButton may={may.resume} kind="main" busy={resume.busy} onClick={() => resume.run({ agentId })}>
          Resume
        </ActionButton>
      ) : (
        <>
          <ActionButton may={may.pause} busy={pause.busy} onClick={() => pause.run({ agentId })}>
            Pause
          </ActionButton>
          <ActionButton may={may.invoke} kind="main" busy={wake.busy} onClick={() => wake.run({ agentId })}>
            Wake
          </ActionButton>
        </>
      )}
      {resume.dialog}
      {asked === "message" ? <WakeDialog agent={agent} onClose={close} /> : null}
      {asked === "release" ? <ReleaseDialog agent={agent} onClose={close} /> : null}
      {asked === "terminate" ? <TerminateDialog agent={agent} onClose={close} /> : null}
    </>
  );
};

const moreOf = (
  { callerMay: may, workspace }: Agent,
  ask: (asked: "message" | "release" | "terminate") => void,
) => [
  {
    label: "Wake with a message",
    disabled: !may.invoke.allowed,
    ...(may.invoke.error === undefined ? {} : { hint: may.invoke.error }),
    run: () => ask("message"),
  },
  ...(workspace === null
    ? []
    : [
        {
          label: "Move to another host",
          disabled: !may.releaseWorkspace.allowed,
          ...(may.releaseWorkspace.error === undefined ? {} : { hint: may.releaseWorkspace.error }),
          run: () => ask("release"),
        },
      ]),
  {
    label: "Terminate",
    kind: "danger" as const,
    disabled: !may.terminate.allowed,
    hint: may.terminate.error ?? "Permanent",
    run: () => ask("terminate"),
  },
];

interface AgentDialogProps {
  readonly agent: Agent;
  readonly onClose: () => void;
}

const ReleaseDialog = ({ agent, onClose }: AgentDialogProps) => {
  const say = useToasts();
  const release = useWrite("agents.releaseWorkspace", {
    onDone: () => {
      onClose();
      say.done(`${agent.name} will continue on the next free host.`);
    },
  });
  return (
    <ConfirmDialog
      title={`Move ${agent.name} away from ${agent.workspace?.host}?`}
      verb="Move"
      busy={release.busy}
      onConfirm={() => release.run({ agentId: agent.id })}
      onClose={onClose}
    >
      The next run starts on another host without the agent's workspace files and sessions. The files stay on
      the current host. {release.error === null ? null : <Problem error={release.error} />}
    </ConfirmDialog>
  );
};

const TerminateDialog = ({ agent, onClose }: AgentDialogProps) => {
  const terminate = useWrite("agents.terminate", { onDone: onClose });
  return (
    <ConfirmDialog
      title={`Terminate ${agent.name}?`}
      verb="Terminate"
      busy={terminate.busy}
      onConfirm={() => terminate.run({ agentId: agent.id })}
      onClose={onClose}
    >
      This stops its runs and revokes its keys permanently. Its issues become unassigned.{" "}
      {terminate.error === null ? null : <Problem error={terminate.error} />}
    </ConfirmDialog>
  );
};

/** In place of Resume where the budget holds the agent: resuming would change nothing. */
const RaiseBudget = ({ agent }: { readonly agent: Agent }) => {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button kind="main" onClick={() => setOpen(true)}>
        Edit budget
      </Button>
      {isOpen ? (
        <BudgetDialog
          of={budgetOwnerOf(agent)}
          cents={agent.budgetMonthlyCents}
          onClose={() => setOpen(false)}
        />
      ) : null}
    </>
  );
};
