import { useRead, useWrite } from "../live/calls.ts";
import type { Company } from "../live/records.ts";
import { stillHeld } from "../nouns/agents/still-held.ts";
import { useToasts } from "../widgets/toasts.tsx";
import { useIssueActions } from "./issue-actions.ts";
import type { PaletteAction } from "./palette-action.ts";

/** The actions available anywhere in the company, by name: only those that this person may take now. */
export const usePaletteActions = (company: Company | null): readonly PaletteAction[] => {
  const companyId = company?.id ?? "";
  const say = useToasts();
  const enabled = company !== null;
  const agents = useRead("agents.list", { companyId, callerMay: true }, { enabled });
  const routines = useRead("routines.list", { companyId, callerMay: true }, { enabled });
  const onRefused = say.refused;
  const issueActions = useIssueActions(company);
  const resume = useWrite("agents.resume", {
    onDone: (agent) => {
      if (agent.pauseReason === null) return say.done(`${agent.name} resumed`);
      say.refused(new Error(stillHeld(agent) ?? ""));
    },
    onRefused,
  });
  const pause = useWrite("agents.pause", {
    onDone: ({ id, name }) => say.done(`${name} paused`, () => resume.run({ agentId: id })),
    onRefused,
  });
  const wake = useWrite("agents.invoke", { onDone: () => say.done("Agent woken"), onRefused });
  const fire = useWrite("routines.run", { onDone: () => say.done("Routine started"), onRefused });
  if (!enabled) return [];
  const at = `/${company.issuePrefix}`;
  return [
    ...issueActions,
    ...(agents.data ?? []).flatMap(({ id, name, pauseReason, callerMay: may }) => [
      ...(may?.resume.allowed && pauseReason === "manual"
        ? [
            {
              key: `resume ${id}`,
              label: `Resume ${name}`,
              icon: "play" as const,
              run: () => resume.run({ agentId: id }),
            },
          ]
        : []),
      ...(may?.pause.allowed && pauseReason !== "manual"
        ? [
            {
              key: `pause ${id}`,
              label: `Pause ${name}`,
              icon: "circle-pause" as const,
              run: () => pause.run({ agentId: id }),
            },
          ]
        : []),
      ...(may?.invoke.allowed
        ? [
            {
              key: `wake ${id}`,
              label: `Wake ${name}`,
              icon: "play" as const,
              run: () => wake.run({ agentId: id }),
              instead: { label: `Open ${name}`, to: `${at}/agents/${id}` },
            },
          ]
        : []),
    ]),
    ...(routines.data ?? [])
      .filter(({ callerMay: may }) => may?.run.allowed)
      .map(({ id, title }) => ({
        key: `fire ${id}`,
        label: `Run routine ${title} now`,
        icon: "calendar-clock" as const,
        run: () => fire.run({ routineId: id }),
        instead: { label: `Open ${title}`, to: `${at}/routines/${id}` },
      })),
  ];
};
