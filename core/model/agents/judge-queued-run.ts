import { type GateFacts, gate } from "../runs/gate.ts";
import { quarantined } from "../runs/quarantine.ts";
import type { Instant } from "../shared/instant.ts";
import { holdMessages } from "./hold-messages.ts";
import type { LiveRunFacts, ServiceFacts, SituationFacts } from "./situation-facts.ts";
import { type Reason, reason, toIssue } from "./situation-reasons.ts";

export const accountLimit = (until: Instant, more: Partial<Reason>): Reason =>
  reason("account_limit", `Rate limited by the provider until ${until}.`, { ...more, until });

const slots: Readonly<Record<string, string>> = {
  agent_cap: "the agent has reached its limit of concurrent runs",
  adapter_cap: "the adapter has reached its limit of concurrent runs",
  company_cap: "the company has reached its limit of concurrent runs",
  instance_cap: "the service has reached its limit of concurrent runs",
};

const none: GateFacts["recent"] = { ofCause: 0, ofIssue: 0, byAgents: 0 };

/**
 * Why a queued run of an agent has not started, as the search for runs and the gate see it. The only judgement of that: the
 * agent page shows it for each of an agent's runs, the run page and the command line for one. `subject` begins the sentence.
 */
export const judgeQueuedRun = (
  run: LiveRunFacts,
  facts: Pick<SituationFacts, "agent" | "company" | "agentCausedRunLimit" | "running" | "isHeldAsRestored">,
  service: ServiceFacts,
  at: Instant,
  subject = "It",
): Reason => {
  const { of } = run;
  const more: Partial<Reason> = {
    since: run.quarantinedSince ?? run.createdAt,
    links: [...(of === null ? [] : [toIssue(of)]), { kind: "run", id: run.id, label: "the run" }],
  };
  const inQuarantine = () => reason("run_held", quarantined(subject), more);
  const ask = (of: Pick<GateFacts, "issue" | "recent">) =>
    gate(
      run,
      {
        ...run,
        ...of,
        agent: facts.agent,
        company: facts.company,
        agentCausedRunLimit: facts.agentCausedRunLimit,
        running: facts.running,
        isElsewhere: service.isElsewhere,
        isHeldAsRestored: facts.isHeldAsRestored,
        at,
      },
      service.caps,
    );
  const verdict = ask(run);
  const refused = !verdict.go && "refuse" in verdict ? verdict.refuse : null;
  const ends = () =>
    reason("run_refused", `${subject} will be cancelled before it starts (${refused}).`, more);
  const isPast = refused === "issue_closed" || refused === "issue_reassigned";
  // The search for runs passes over those that wait, also over one that its issue needs no more.
  if (refused !== null && !isPast) return ends();
  if (facts.isHeldAsRestored)
    return reason("restored", `${subject} starts when ${holdMessages.restored.until}.`, more);
  if (run.quarantinedSince !== null) return inQuarantine();
  if (service.unavailable !== null)
    return reason(service.isDiskFull ? "disk_full" : "unavailable", service.unavailable, more);
  if (run.accountHeldUntil !== null) return accountLimit(run.accountHeldUntil, more);
  if (run.notBefore !== null && run.notBefore > at)
    return reason("undo_window", `${subject} starts unless the change that caused it is undone.`, {
      ...more,
      until: run.notBefore,
    });
  const slot = isPast ? ask({ issue: null, recent: none }) : verdict;
  if (!slot.go && "wait" in slot)
    return slot.wait === "former_assignee"
      ? reason("former_assignee", `${subject} is waiting for the previous assignee's run to end.`, more)
      : reason(
          "no_slot",
          `${subject} is waiting for a free slot: ${slots[slot.wait] ?? "none is free"}.`,
          more,
        );
  if (refused !== null) return ends();
  return slot.go ? reason("starting", `${subject} is starting now.`, more) : inQuarantine();
};
