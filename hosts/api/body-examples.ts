/** A placeholder id for the examples. */
const id = "0193a0f0-0000-7000-8000-000000000001";

const authorizationRequest =
  "response_type=code&client_id=https%3A%2F%2Fassistant.example%2Fclient.json&redirect_uri=https%3A%2F%2Fassistant.example%2Fcallback&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256&state=af0ifjsldkj&resource=https%3A%2F%2Fboard.example%2Fmcp";

/** An authenticator's answer to the options of a sign-in. */
const answeredByPasskey = {
  flow: "the flow of POST /api/session/passkey/options",
  response: {
    id: "6Jx0Zq3vQk2mYtWn",
    type: "public-key",
    response: {
      clientDataJSON: "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0",
      authenticatorData: "SZYN5YgOjGh0NBcP",
      signature: "MEUCIQDx",
    },
  },
};

/** As a browser gives it. */
const pushSubscription = {
  endpoint: "https://push.example.net/send/dXNlcg",
  expirationTime: null,
  keys: {
    p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
    auth: "BTBZMqHH6r4Tts7J_aSIgg",
  },
};

/** Example requests by endpoint name, for the API description. */
export const bodyExamples: Readonly<Record<string, unknown>> = {
  "companies.create": { name: "Harbour Works", budgetMonthlyCents: 20_000 },
  "companies.update": { budgetMonthlyCents: 50_000 },
  "companies.applyTemplate": {
    template: {
      agents: [{ key: "ada", name: "Ada", adapterType: "process", instructions: "Read the issue first." }],
    },
    dryRun: true,
  },
  "companies.importTemplate": {
    name: "Harbour Works",
    template: {
      company: { budgetMonthlyCents: 20_000 },
      agents: [
        {
          key: "ada",
          name: "Ada",
          adapterType: "process",
          adapterConfig: { command: "/usr/local/bin/work" },
        },
      ],
      projects: [{ key: "website", name: "Website", lead: "ada" }],
    },
  },
  "agents.create": {
    name: "Ada",
    role: "engineer",
    adapterType: "process",
    adapterConfig: {
      command: "/usr/local/bin/work",
      env: { API_KEY: { type: "secret_ref", secretId: id, version: "latest" }, MODE: "careful" },
    },
  },
  "agents.update": { adapterConfig: { timeoutSec: 600, env: null }, budgetMonthlyCents: 5000 },
  "agents.rollback": { secrets: ["ANTHROPIC_API_KEY"] },
  "agents.syncSkills": { desiredSkills: ["boardroom"] },
  "agents.invoke": { issueId: id, message: "Look at the failing test first." },
  "agents.releaseWorkspace": { to: id },
  "agents.createKey": { name: "ci" },
  "adapters.install": { packageName: "my-adapter@1.2.3" },
  "adapters.testEnvironment": { adapterConfig: { command: "/usr/local/bin/work" } },
  "issues.create": {
    title: "Fix the login",
    description: "It fails after the second try.",
    priority: "high",
    assigneeAgentId: id,
  },
  "issues.update": { status: "done", comment: "Shipped: see the plan." },
  "issues.updateMany": { issueIds: ["ABC-12", "ABC-13"], priority: "high" },
  "issues.review": {
    verdict: "changes_requested",
    commits: ["8f3c2a1d0b9e8f7a6c5d4e3f2a1b0c9d8e7f6a5b"],
    note: "Add a test.",
    comments: [{ body: "Why twice?", path: "src/main.ts", line: 12, endLine: 14 }],
  },
  "issues.setGates": { gates: [{ name: "nothing uncommitted", kind: "clean" }] },
  "projects.setGates": { gates: [{ name: "nothing uncommitted", kind: "clean" }] },
  "runs.say": { body: "Use the staging database." },
  "workspaces.restore": { runId: id },
  "workspaces.remove": { abandon: true },
  "issues.merge": { method: "squash" },
  "issues.openPullRequest": { title: "Open the harbour page" },
  "issues.checkout": { agentId: id, expectedStatuses: ["todo", "backlog", "blocked", "in_review"] },
  "issues.updateComment": { body: "@Ada please have a second look." },
  "issues.commentOnLines": {
    comments: [{ body: "Why twice?", path: "src/main.ts", line: 12, endLine: 14 }, { body: "Nearly there." }],
  },
  "issues.comment": { body: "@Ada please have a look." },
  "watchers.watch": { seenUntil: "2026-11-22T09:30:00.000Z" },
  "interactions.create": {
    kind: "request_confirmation",
    idempotencyKey: "plan-2",
    continuationPolicy: "wake_assignee",
    payload: { prompt: "Ship it?", rejectRequiresReason: true },
  },
  "interactions.accept": { selectedClientKeys: ["first", "second"] },
  "interactions.reject": { reason: "Not before Monday." },
  "interactions.respond": { answers: [{ questionId: "colour", optionIds: ["blue"] }] },
  "documents.put": { title: "Plan", format: "markdown", body: "1. Measure\n2. Cut", baseRevisionId: id },
  "members.invite": { name: "Grace Hopper", role: "viewer" },
  "savedViews.save": { name: "Mine, urgent", query: "assignee=me&priority=critical,high" },
  "savedViews.rename": { name: "Mine, most urgent" },
  "session.update": { name: "Grace Hopper" },
  "labels.create": { name: "bug", color: "#cc3300" },
  "companies.setHouseRules": { body: "Write British English.", baseRevisionNumber: 0 },
  "mcpServers.create": { name: "tickets", url: "https://tickets.example.com/mcp", allAgents: true },
  "mcpServers.update": { roles: ["engineer"] },
  "eventSubscriptions.create": { url: "https://hooks.example.com/boardroom", events: ["approval.*"] },
  "eventSubscriptions.update": { events: ["issue.*"], enabled: true },
  "eventSubscriptions.redeliverAll": { from: "2026-11-01T00:00:00Z", to: "2026-11-02T00:00:00Z" },
  "repositories.create": { url: "https://git.example.com/harbour/website.git", setupCommand: "npm ci" },
  "repositories.update": { url: "https://git.example.com/harbour/site.git" },
  "routines.create": { title: "Read the mail", assigneeAgentId: id, projectId: id },
  "routines.update": { status: "paused", baseRevisionId: id },
  "routines.run": { source: "api", payload: { day: "monday" }, idempotencyKey: "monday" },
  "routines.addTrigger": { kind: "schedule", cronExpression: "30 9 * * mon-fri", timezone: "Europe/London" },
  "routines.updateTrigger": { enabled: false },
  "projects.create": { name: "Harbour", targetDate: "2027-03-31" },
  "projects.update": { status: "in_progress" },
  "goals.create": { title: "Open by spring", level: "company" },
  "goals.update": { status: "achieved" },
  "secrets.create": { name: "API_KEY", value: "the value itself" },
  "secrets.update": { description: "Of the test account.", status: "disabled" },
  "secrets.updateVersion": { status: "disabled" },
  "secrets.rotate": { value: "the new value" },
  "routines.rotateSecret": {},
  "secrets.previewImport": { providerConfigId: id, query: "prod/", pageSize: 50 },
  "secrets.import": {
    providerConfigId: id,
    secrets: [{ externalRef: "prod/db", name: "Database", key: "db" }],
  },
  "vaults.create": {
    provider: "cloud_a_secrets_manager",
    displayName: "Frankfurt",
    config: { region: "eu-central-1" },
  },
  "vaults.update": { config: { region: "eu-west-1" } },
  "approvals.create": {
    type: "ownership_decision",
    payload: { subject: "The docs", candidateOwners: ["ada", "bob"], class: "docs" },
  },
  "approvals.hire": { name: "Bob", role: "engineer", reportsTo: id, budgetMonthlyCents: 5000 },
  "approvals.approve": { chosenOwner: "ada", payloadRevision: 1, decisionNote: "She wrote most of it." },
  "approvals.reject": { decisionNote: "Not this month." },
  "approvals.requestRevision": { decisionNote: "Say what it costs." },
  "approvals.resubmit": { payload: { subject: "The docs", candidateOwners: ["ada"] } },
  "approvals.comment": { body: "What does Bob think?" },
  "approvals.link": { approvalId: id },
  "inbox.dismiss": { version: "2026-11-22T09:30:00.000Z" },
  "grants.create": { agentId: id, permission: "ownership:decide", classes: ["docs"] },
  "costs.report": {
    agentId: id,
    provider: "anthropic",
    model: "claude-opus-5",
    inputTokens: 1200,
    outputTokens: 340,
    costCents: 3,
  },
  "members.set": { role: "operator" },
  "users.create": { name: "Grace Hopper" },
  "users.update": { disabled: true },
  "session.saveNotices": {
    channels: {
      push: { kinds: ["decision", "budget"], graceSec: 5 },
      email: { kinds: ["decision", "digest"], graceSec: 300 },
      chat: { kinds: ["decision", "mention"], graceSec: 60 },
    },
    companies: [],
    timeZone: "Europe/Berlin",
    quietHours: { from: "22:00", to: "07:00" },
    digestAt: "08:00",
  },
  "session.seeNotices": { stays: true },
  "session.testNotice": { channel: "email" },
  "session.setEmail": { address: "grace@example.org" },
  "session.setChat": { format: "slack", url: "https://hooks.slack.com/services/T0/B0/x" },
  "session.confirmEmail": { code: "N3mJ8ePpLr1r2WZ0qXv5bYtq7u6cKf4sGh9dAa1BcDe" },
  "pushSubscriptions.save": pushSubscription,
  "session.beginByProvider": { provider: "default" },
  "session.createByProvider": {
    provider: "default",
    flow: "the flow of POST /api/session/oidc",
    response: "code=SplxlOBeZQQYbYS6WxSbIA&state=af0ifjsldkj",
  },
  "session.createByPasskey": answeredByPasskey,
  "session.verify": answeredByPasskey,
  "assistants.check": { request: authorizationRequest },
  "assistants.allow": { request: authorizationRequest, scopes: ["read", "work"] },
  "passkeys.create": {
    name: "Phone",
    flow: "the flow of POST /api/passkeys/options",
    response: {
      id: "6Jx0Zq3vQk2mYtWn",
      type: "public-key",
      response: {
        clientDataJSON: "eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIn0",
        attestationObject: "o2NmbXRkbm9uZQ",
      },
    },
  },
  "session.createByCode": { code: "N3mJ8ePpLr1r2WZ0qXv5bYtq7u6cKf4sGh9dAa1BcDe" },
  "tokens.create": { name: "laptop", expiresAt: "2027-06-30T00:00:00Z" },
};
