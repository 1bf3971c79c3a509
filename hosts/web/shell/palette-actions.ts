import { useRead, useWrite } from "../live/calls.ts";
import type { Company } from "../live/records.ts";
import { useToasts } from "../parts/toasts.tsx";
import type { PaletteAction } from "./palette-action.ts";
import { useIssueActions } from "./palette-issue-actions.ts";

/** The actions available anywhere in the company, by name: only those that this person may take now. */
export const usePaletteActions = (company: Company | null, isOpen: boolean): readonly PaletteAction[] => {
  const companyId = company?.id ?? "";
  const mayWork = company?.callerMay.createIssue.allowed === true;
  const say = useToasts();
  const enabled = isOpen && company !== null && mayWork;
  const agents = useRead("agents.list", { companyId }, { enabled });
  const routines = useRead("routines.list", { companyId }, { enabled });
  const waiting = useRead("inbox.ofCompany", { companyId, limit: 100 }, { enabled });
  const onRefused = say.refused;
  const issueActions = useIssueActions(company, enabled);
  const resume = useWrite("agents.resume", {
    onDone: ({ name }) => say.done(`${name} is resumed.`),
    onRefused,
  });
  const pause = useWrite("agents.pause", {
    onDone: ({ id, name }) => say.done(`${name} is paused.`, () => resume.run({ agentId: id })),
    onRefused,
  });
  const wake = useWrite("agents.invoke", { onDone: () => say.done("The agent is woken."), onRefused });
  const fire = useWrite("routines.run", { onDone: () => say.done("The routine is fired."), onRefused });
  const approve = useWrite("approvals.approve", { onDone: () => say.done("Approved."), onRefused });
  if (!enabled) return [];
  return [
    ...issueActions,
    ...(waiting.data?.items ?? [])
      .filter(({ kind, actions }) => kind === "approval" && actions.includes("approve"))
      .map(({ subject, payloadRevision }) => ({
        key: `approve ${subject.id}`,
        label: `Approve ${subject.title}`,
        icon: "circle-check" as const,
        run: () => approve.run({ approvalId: subject.id, payloadRevision: payloadRevision ?? undefined }),
      })),
    ...(agents.data ?? [])
      .filter(({ status }) => status !== "terminated" && status !== "pending_approval")
      .flatMap(({ id, name, pauseReason }) =>
        pauseReason === "manual"
          ? [
              {
                key: `resume ${id}`,
                label: `Resume ${name}`,
                icon: "play" as const,
                run: () => resume.run({ agentId: id }),
              },
            ]
          : [
              {
                key: `pause ${id}`,
                label: `Pause ${name}`,
                icon: "circle-pause" as const,
                run: () => pause.run({ agentId: id }),
              },
              {
                key: `wake ${id}`,
                label: `Wake ${name}`,
                icon: "play" as const,
                run: () => wake.run({ agentId: id }),
              },
            ],
      ),
    ...(routines.data ?? [])
      .filter(({ status }) => status !== "archived")
      .map(({ id, title }) => ({
        key: `fire ${id}`,
        label: `Run routine ${title} now`,
        icon: "calendar-clock" as const,
        run: () => fire.run({ routineId: id }),
      })),
  ];
};
