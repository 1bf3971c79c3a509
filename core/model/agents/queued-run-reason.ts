import { type GateFacts, gate } from "../runs/gate.ts";
import type { Instant } from "../shared/instant.ts";
import type { LiveRunFacts, ServiceFacts, SituationFacts } from "./situation-facts.ts";
import { type Reason, reason, toIssue } from "./situation-reasons.ts";

export const accountLimit = (until: Instant, more: Partial<Reason>): Reason =>
  reason("account_limit", `Its provider allows no run of its account before ${until}.`, { ...more, until });

const slots: Readonly<Record<string, string>> = {
  agent_cap: "It has as many runs at once as it may have",
  adapter_cap: "As many runs of its adapter are running as may run at once",
  company_cap: "As many runs of its company are running as may run at once",
  instance_cap: "As many runs are running as the service allows at once",
};

const none: GateFacts["recent"] = { ofCause: 0, ofIssue: 0, byAgents: 0 };

/** Why a queued run of an agent has not started, as the search for runs and the gate see it. */
export const reasonOfQueued = (
  run: LiveRunFacts,
  facts: SituationFacts,
  service: ServiceFacts,
  at: Instant,
): Reason => {
  const { of } = run;
  const more: Partial<Reason> = {
    since: run.heldSince ?? run.createdAt,
    links: [...(of === null ? [] : [toIssue(of)]), { kind: "run", id: run.id, label: "the run" }],
  };
  const on = of === null ? "" : ` on ${of.identifier}`;
  const held = () =>
    reason(
      "run_held",
      `Its run${on} is held, because such runs repeat without a person's attention: comment on the issue, change it, or wake the agent.`,
      more,
    );
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
    reason("run_refused", `Its run${on} is about to end without a start (${refused}).`, more);
  const isPast = refused === "issue_closed" || refused === "issue_reassigned";
  // The search for runs passes over those that wait, also over one that its issue needs no more.
  if (refused !== null && !isPast) return ends();
  if (run.heldSince !== null) return held();
  if (service.unavailable !== null)
    return reason(service.isDiskFull ? "disk_full" : "unavailable", service.unavailable, more);
  if (run.accountHeldUntil !== null) return accountLimit(run.accountHeldUntil, more);
  const slot = isPast ? ask({ issue: null, recent: none }) : verdict;
  if (!slot.go && "wait" in slot)
    return slot.wait === "former_assignee"
      ? reason("former_assignee", `Its run${on} waits until the run of the former assignee has ended.`, more)
      : reason(
          "no_slot",
          `${slots[slot.wait] ?? "No slot is free"}: its run${on} waits for the end of one.`,
          more,
        );
  if (refused !== null) return ends();
  return slot.go ? reason("starting", `Its run${on} starts now.`, more) : held();
};
