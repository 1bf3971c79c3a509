import { eventually } from "../support/eventually.ts";
import type { TestService } from "../support/service.ts";

const day = 24 * 60 * 60 * 1000;

/** A program that says what it does and ends like that. */
const programPrinting = (lines: readonly string[], end: string) => ({
  command: "sh",
  args: ["-c", [...lines.map((line) => `echo '${line}'`), end].join("; ")],
});

/**
 * A company as it looks after some weeks of work: agents at work, idle, paused and failed, requests that wait for the
 * board, routines, spend against budgets. Returns the path of each screen of it. `translate` replaces what people and agents
 * write: names, titles, texts.
 */
export const workingCompany = async (
  service: TestService,
  translate: (text: string) => string = (text) => text,
) => {
  const { admin } = service;
  const company = await admin.companies.create({
    name: translate("Harbour Works"),
    description: translate("Keeps the harbour of Kiel in repair."),
    budgetMonthlyCents: 60_000,
  });
  const companyId = company.id;
  const hire = (
    name: string,
    title: string,
    program: ReturnType<typeof programPrinting>,
    more: object = {},
  ) =>
    admin.agents.create({
      companyId,
      name: translate(name),
      title: translate(title),
      role: "engineer",
      adapterType: "process",
      adapterConfig: { ...program, timeoutSec: 900 } as never,
      ...more,
    });
  const ada = await hire(
    "Ada Lovelace",
    "Head of works",
    programPrinting(["Read the thread.", "The plan holds."], "exit 0"),
    {
      role: "manager",
      budgetMonthlyCents: 20_000,
    },
  );
  const under = { reportsTo: ada.id };
  const grace = await hire(
    "Grace Hopper",
    "Crane engineer",
    programPrinting(
      [
        "Read HAR-1 and log/2026-03.txt.",
        "Measure the hook: 4.1 mm worn, 3.0 mm allowed.",
        "Draw the new hook.",
      ],
      "sleep 600",
    ),
    { ...under, budgetMonthlyCents: 15_000 },
  );
  const margaret = await hire(
    "Margaret Hamilton",
    "Software engineer",
    programPrinting(["Fetch the tide tables.", "error: tides.example answered 503"], "exit 3"),
    { ...under, budgetMonthlyCents: 12_000 },
  );
  const katherine = await hire(
    "Katherine Johnson",
    "Surveyor",
    programPrinting(["Compare the soundings."], "exit 0"),
    under,
  );
  const hedy = await hire("Hedy Lamarr", "Radio engineer", programPrinting(["Listen."], "exit 0"), under);
  const project = (name: string) => admin.projects.create({ companyId, name: translate(name) });
  const cranes = await project("Cranes");
  const tides = await project("Tide service");
  const goal = await admin.goals.create({
    companyId,
    title: translate("No crane stands still for longer than a day"),
  });
  const label = (name: string) => admin.labels.create({ companyId, name: translate(name) });
  const [safety, waiting] = [await label("safety"), await label("waits for parts")];

  const issue = (title: string, fields: object = {}) =>
    admin.issues.create({ companyId, title: translate(title), ...fields });
  const hook = await issue("Replace the hook of crane 4", {
    description:
      "The hook of crane 4 is worn beyond what is allowed.\n\n1. Measure it and compare with `log/2026-03.txt`.\n2. Draw the new one and order it.\n3. Fit it **before the spring survey**.\n\n| place | allowed | measured |\n| --- | --- | --- |\n| throat | 3.0 mm | 4.1 mm |\n| saddle | 3.0 mm | 1.2 mm |",
    priority: "critical",
    projectId: cranes.id,
    goalId: goal.id,
    labelIds: [safety.id],
    assigneeAgentId: grace.id,
  });
  const tide = await issue("Show tide tables when the source is down", {
    priority: "high",
    projectId: tides.id,
    assigneeAgentId: margaret.id,
  });
  const open = [
    ["Order 400 m of mooring rope", "high", { projectId: cranes.id, labelIds: [waiting.id] }],
    ["Paint the hull of the pilot boat", "medium", {}],
    ["Survey berth 7 after the storm", "high", { labelIds: [safety.id] }],
    ["Explain the new tariff to the pilots", "low", {}],
    ["Move the radio log to the new server", "medium", { projectId: tides.id }],
    ["Grease the bearings of cranes 1 to 6", "medium", { projectId: cranes.id }],
    ["Translate the safety card into Polish", "low", { labelIds: [safety.id] }],
    ["Count the fenders at the south quay", "low", {}],
  ] as const;
  const made: { readonly id: string }[] = [];
  for (const [title, priority, fields] of open) made.push(await issue(title, { priority, ...fields }));
  const to = (at: number, status: "in_review" | "blocked" | "done" | "todo") =>
    admin.issues.update({ issueId: made[at]!.id, status });
  await admin.issues.update({ issueId: made[0]!.id, blockedByIssueIds: [hook.id] });
  await to(0, "blocked");
  await to(2, "todo");
  await to(3, "todo");
  await to(4, "in_review");
  for (const at of [5, 6]) await to(at, "done");

  for (const [at, cents] of [
    310, 480, 220, 940, 1260, 380, 150, 720, 1510, 640, 890, 1130, 460, 2050,
  ].entries()) {
    const occurredAt = new Date(Date.now() - (13 - at) * day);
    if (occurredAt.getUTCMonth() !== new Date().getUTCMonth()) continue;
    const agent = [grace, margaret, ada, katherine][at % 4]!;
    await admin.costs.report({
      companyId,
      agentId: agent.id,
      provider: at % 3 === 0 ? "openai" : "anthropic",
      model: at % 3 === 0 ? "gpt-5-codex" : "claude-opus-4-5",
      inputTokens: cents * 900,
      outputTokens: cents * 60,
      costCents: cents,
      occurredAt: occurredAt.toISOString(),
      issueId: (at % 2 === 0 ? hook : tide).id,
    });
  }
  await admin.costs.report({
    companyId,
    agentId: hedy.id,
    provider: "local",
    model: "qwen3-coder",
    inputTokens: 184_000,
  });

  const schedule = async (
    title: string,
    assigneeAgentId: string,
    cronExpression: string,
    timezone: string,
  ) => {
    const routine = await admin.routines.create({
      companyId,
      title: translate(title),
      assigneeAgentId,
      projectId: cranes.id,
    });
    await admin.routines.addTrigger({ routineId: routine.id, kind: "schedule", cronExpression, timezone });
    return routine;
  };
  const rounds = await schedule("Walk the cranes", ada.id, "30 6 * * mon-fri", "Europe/Berlin");
  await schedule("Read the tide gauges", katherine.id, "0 */6 * * *", "UTC");
  await schedule("Report the week to the board", ada.id, "0 16 * * fri", "Europe/Berlin");
  await admin.routines.run({ routineId: rounds.id });

  const secret = (name: string, description: string) =>
    admin.secrets.create({
      companyId,
      name: translate(name),
      description: translate(description),
      value: `not a real value of ${name}`,
    });
  const gauge = await secret("Tide gauge key", "For the gauges at the pilot station.");
  await secret("Rope dealer login", "Orders up to 2,000 euros.");
  await secret("Radio log password", "Of the archive.");
  await admin.agents.update({
    agentId: katherine.id,
    adapterConfig: {
      env: { GAUGE_KEY: { type: "secret_ref", secretId: gauge.id, version: "latest" } },
    } as never,
  });

  const asAda = service.as((await admin.agents.createKey({ agentId: ada.id, name: "pictures" })).token);
  await asAda.approvals.hire({
    companyId,
    name: translate("Mary Jackson"),
    title: translate("Diver"),
    role: "engineer",
    adapterType: "process",
    adapterConfig: { command: "/usr/local/bin/diver.sh" } as never,
    budgetMonthlyCents: 8_000,
    reportsTo: ada.id,
  } as never);
  const strategy = await asAda.approvals.create({
    companyId,
    type: "approve_ceo_strategy",
    payload: {
      title: translate("Repair before rebuild"),
      summary: translate(
        "Spend the spring on the six cranes, and put the new quay off until the survey is in.",
      ),
    },
  } as never);
  await asAda.approvals.create({
    companyId,
    type: "ownership_decision",
    payload: {
      subject: translate("the tide gauges"),
      candidateOwners: ["Katherine Johnson", translate("Hedy Lamarr")],
    },
  } as never);
  const dredger = await asAda.approvals.create({
    companyId,
    type: "approve_ceo_strategy",
    payload: {
      title: "Buy a second dredger",
      costPerMonth: 4200,
      reason: translate("The channel silts up twice a year."),
    },
  } as never);
  await admin.approvals.reject({
    approvalId: dredger.id,
    decisionNote: translate("Rent one in spring instead."),
  });
  await admin.approvals.link({ issueId: hook.id, approvalId: strategy.id });
  await admin.vaults.create({
    companyId,
    provider: "local_encrypted",
    displayName: translate("Pilot station"),
  });
  await admin.vaults.create({
    companyId,
    provider: "cloud_b_secret_manager",
    displayName: translate("Head office"),
  });
  await admin.documents.put({
    issueId: hook.id,
    key: "plan",
    title: translate("Plan"),
    body: "# Plan\n\n1. Order the forging from Lübeck.\n2. Close crane 4 for two days.\n3. Fit and load-test the hook.",
  });
  await admin.interactions.create({
    issueId: hook.id,
    kind: "request_confirmation",
    title: translate("Close crane 4 for two days"),
    payload: { prompt: translate("Crane 4 stands still on Tuesday and Wednesday. Go on?") },
  } as never);
  await admin.issues.comment({
    issueId: hook.id,
    body: translate("The dealer in Lübeck has the forging in stock."),
  });
  await admin.agents.pause({ agentId: hedy.id });
  const failed = await eventually(
    async () => (await admin.runs.list({ companyId, status: ["failed"] })).items[0],
    (run) => run !== undefined,
  );
  await eventually(
    async () => (await admin.runs.list({ companyId, status: ["running"] })).items.length,
    (count) => count > 0,
  );
  const here = `/${company.issuePrefix}`;
  return {
    inbox: "/inbox",
    pulse: `${here}/pulse`,
    issues: `${here}/issues`,
    board: `${here}/issues?view=board`,
    "board-by-assignee": `${here}/issues?view=board&group=assignee`,
    issue: `${here}/issues/${hook.identifier}`,
    agents: `${here}/agents`,
    agent: `${here}/agents/${grace.id}`,
    ...Object.fromEntries(
      ["runs", "configuration", "access", "spend"].map((tab) => [
        `agent-${tab}`,
        `${here}/agents/${grace.id}?tab=${tab}`,
      ]),
    ),
    organisation: `${here}/org`,
    runs: `${here}/runs`,
    run: `${here}/runs/${failed!.id}`,
    approvals: `${here}/approvals`,
    approval: `${here}/approvals/${strategy.id}`,
    projects: `${here}/projects`,
    project: `${here}/projects/${cranes.id}`,
    goals: `${here}/goals`,
    goal: `${here}/goals/${goal.id}`,
    routines: `${here}/routines`,
    routine: `${here}/routines/${rounds.id}`,
    spend: `${here}/spend`,
    events: `${here}/spend/events`,
    activity: `${here}/activity`,
    secrets: `${here}/secrets`,
    settings: `${here}/settings`,
    profile: "/profile",
    instance: "/instance",
    hire: `${here}/agents?new`,
    "first-run": "/new",
  };
};
